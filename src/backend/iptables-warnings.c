/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "backend/iptables-warnings.h"

#include <stdarg.h>

#include "base/log.h"
#include "base/strbuf.h"

void iptables_warnings_done(struct iptables_warnings *w)
{
	for (size_t i = 0; i < ELEMENTSOF(w->texts); i++)
		free(w->texts[i]);
	*w = (struct iptables_warnings){0};
}

void iptables_warning_set(struct iptables_warnings *w, enum iptables_warning which,
			  const char *format, ...)
{
	struct strbuf b = {0};
	char *text = NULL;
	va_list ap;

	if (format) {
		va_start(ap, format);
		strbuf_addv(&b, format, ap);
		va_end(ap);
		text = strbuf_take(&b);
	}
	if (text && !(w->texts[which] && streq(w->texts[which], text)))
		log_debug("warning: %s", text);
	free(w->texts[which]);
	w->texts[which] = text;
}

const char *const *iptables_warnings_list(struct iptables_warnings *w, size_t *ret_n)
{
	size_t n = 0;

	for (size_t i = 0; i < ELEMENTSOF(w->texts); i++)
		if (w->texts[i])
			w->list[n++] = w->texts[i];
	*ret_n = n;
	return w->list;
}
