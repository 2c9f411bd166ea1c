/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "backend/ipvs-outcome.h"

#include <errno.h>
#include <stdarg.h>
#include <unistd.h>

#include "base/array.h"
#include "base/file.h"
#include "base/log.h"

void ipvs_outcome_done(struct ipvs_outcome *o)
{
	free(o->message);
	strbuf_done(&o->warnings);
	free(o->draining);
	*o = (struct ipvs_outcome){0};
}

void ipvs_outcome_fail_text(struct ipvs_outcome *o, enum addr_family family, int error, char *text)
{
	log_debug("%s", text ? text : "no memory");
	for (int f = 0; f < _ADDR_FAMILY_MAX; f++)
		if ((int)family == f || family == _ADDR_FAMILY_INVALID)
			o->failed[f] = true;
	o->n_errors++;
	if (o->error < 0) {
		free(text);
		return;
	}
	o->error = error;
	o->message = text;
}

void ipvs_outcome_fail(struct ipvs_outcome *o, enum addr_family family, int error,
		       const char *format, ...)
{
	struct strbuf b = {0};
	va_list ap;

	va_start(ap, format);
	strbuf_addv(&b, format, ap);
	va_end(ap);
	ipvs_outcome_fail_text(o, family, error, strbuf_take(&b));
}

void ipvs_outcome_warn(struct ipvs_outcome *o, const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	strbuf_addv(&o->warnings, format, ap);
	va_end(ap);
	strbuf_add_bytes(&o->warnings, "", 1);
}

void ipvs_outcome_log_warnings(const struct ipvs_outcome *o)
{
	const char *text = strbuf_text(&o->warnings), *end = text + o->warnings.len;

	for (; text < end; text += strlen(text) + 1)
		log_warning("%s", text);
}

void ipvs_outcome_drains(struct ipvs_outcome *o, const struct ipvs_key *key)
{
	if (o->n_draining > 0 && ipvs_key_compare(&o->draining[o->n_draining - 1], key) == 0)
		return;
	/* Without memory it is looked at again by the next full pass. */
	if (array_reserve(&o->draining, &o->draining_allocated, o->n_draining + 1) == 0)
		o->draining[o->n_draining++] = *key;
}

char *ipvs_outcome_text(const struct ipvs_outcome *o)
{
	struct strbuf b = {0};

	strbuf_add(&b, o->message ? o->message : strerror(-o->error));
	if (o->n_errors > 1)
		strbuf_addf(&b, " (and %zu more)", o->n_errors - 1);
	return strbuf_take(&b);
}

/* Same program, same layout: the struct as it is, then what its pointers point to. */
int ipvs_outcome_write(const struct ipvs_outcome *o, int fd)
{
	size_t sizes[] = {o->message ? strlen(o->message) : 0, o->warnings.len};
	int r = strbuf_error(&o->warnings);

	if (r == 0)
		r = file_write_all(fd, o, sizeof(*o));
	if (r == 0)
		r = file_write_all(fd, sizes, sizeof(sizes));
	if (r == 0)
		r = file_write_all(fd, o->message, sizes[0]);
	if (r == 0)
		r = file_write_all(fd, o->warnings.data, sizes[1]);
	return r < 0 ? r : file_write_all(fd, o->draining, o->n_draining * sizeof(*o->draining));
}

int ipvs_outcome_read(const char *data, size_t size, struct ipvs_outcome *ret)
{
	_cleanup_ipvs_outcome_ struct ipvs_outcome o = {0};
	size_t sizes[2], rest;
	struct ipvs_key *draining = NULL;
	struct ipvs_outcome raw;

	if (size < sizeof(raw) + sizeof(sizes))
		return -EBADMSG;
	memcpy(&raw, data, sizeof(raw));
	memcpy(sizes, data + sizeof(raw), sizeof(sizes));
	data += sizeof(raw) + sizeof(sizes);
	rest = size - sizeof(raw) - sizeof(sizes);
	if (sizes[0] > rest || sizes[1] > rest - sizes[0] ||
	    raw.n_draining != (rest - sizes[0] - sizes[1]) / sizeof(*o.draining))
		return -EBADMSG;
	o = raw;
	o.message = NULL;
	o.warnings = (struct strbuf){0};
	o.draining = NULL;
	if (sizes[0] > 0) {
		o.message = strndup(data, sizes[0]);
		if (!o.message)
			return -ENOMEM;
	}
	data += sizes[0];
	if (raw.n_draining > 0) {
		draining = calloc(raw.n_draining, sizeof(*draining));
		if (!draining)
			return -ENOMEM;
		memcpy(draining, data + sizes[1], raw.n_draining * sizeof(*draining));
	}
	strbuf_add_bytes(&o.warnings, data, sizes[1]);
	if (strbuf_error(&o.warnings) < 0) {
		free(draining);
		return -ENOMEM;
	}
	o.draining_allocated = raw.n_draining;
	*ret = o;
	o = (struct ipvs_outcome){0};
	ret->draining = draining;
	return 0;
}
