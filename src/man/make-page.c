/* SPDX-License-Identifier: GPL-2.0-or-later */

/*
 * Makes a manual page of its template: make-page TEMPLATE README >PAGE. It runs on the host that
 * builds, and is linked with the tables of the sources and nothing else of them.
 *
 * A template is man(7) source. These lines are replaced by what the tables say, mostly as tagged
 * paragraphs:
 *
 *     @settings SECTION@   settings of a section of svcroute.conf
 *     @modes@              which modes are built in, as a sentence
 *     @keys OBJECT@        keys of an object, which has its name of check_on_text()
 *     @checks OBJECT@      what is refused and warned of, by key
 *     @commands@           commands of svcroutectl
 *     @options@            its options
 *     @kube-proxy@         kube-proxy's names of the settings: a table of the README
 *     @not-yet@            what is accepted and has no effect: another one
 *
 * Between .EX and .EE, which hold examples, the text is taken as it is and escaped.
 */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "ctl/command.h"
#include "man/page.h"
#include "model/checks.h"
#include "model/read.h"
#include "model/settings.h"

static int put_settings(struct page *p, const char *section)
{
	bool found = false;

	for (size_t i = 0; i < n_setting_rows; i++) {
		const struct setting_row *row = &setting_rows[i];

		if (!streq(row->section, section))
			continue;
		found = true;
		page_begin_paragraph(p);
		page_put_bold(p, row->key);
		page_put(p, "\\fB=\\fR\n\\&");
		page_put_text(p, row->help);
		page_put(p, "\n.br\nValue: ");
		page_put_text(p, row->type);
		page_put(p, row->list ? ", in one line or several.\n" : ".\n");
		if (row->default_text[0]) {
			page_put(p, "Default: ");
			page_put_bold(p, row->default_text);
			page_put(p, ".\n");
		} else {
			page_put(p, "Default: empty.\n");
		}
		page_put(p, "A change needs: ");
		page_put_text(p, setting_scope_text(row->scope));
		page_put(p, ".\n");
	}
	return found ? 0 : page_refuse(p, "no section '%s'", section);
}

static int put_modes(struct page *p)
{
	const char *separator = "This build has these modes: ";

	for (int mode = 0; mode < _MODE_MAX; mode++) {
		if (!svc_mode_built((enum svc_mode)mode))
			continue;
		page_put(p, separator);
		page_put_bold(p, svc_mode_text((enum svc_mode)mode));
		separator = ", ";
	}
	page_put(p, ".\n");
	return 0;
}

/* -EINVAL when nothing has the name. */
static int find_object(const char *name, enum check_on *ret)
{
	for (int on = 0; on < _CHECK_ON_MAX; on++) {
		if (streq(check_on_text((enum check_on)on), name)) {
			*ret = (enum check_on)on;
			return 0;
		}
	}
	return -EINVAL;
}

static int put_keys(struct page *p, const char *object)
{
	static const struct {
		const struct key_row *rows;
		const size_t *n;
	} tables[_CHECK_ON_MAX] = {
		[ON_SERVICE] = {service_keys, &n_service_keys},
		[ON_SERVICE_PORT] = {service_port_keys, &n_service_port_keys},
		[ON_LB_IP] = {lb_ip_keys, &n_lb_ip_keys},
		[ON_HEALTH_CHECK] = {health_check_keys, &n_health_check_keys},
		[ON_GROUP] = {endpoint_group_keys, &n_endpoint_group_keys},
		[ON_ENDPOINT] = {endpoint_keys, &n_endpoint_keys},
		[ON_ENDPOINT_PORT] = {endpoint_port_keys, &n_endpoint_port_keys},
	};
	enum check_on on;

	if (find_object(object, &on) < 0 || !tables[on].rows)
		return page_refuse(p, "no keys of '%s'", object);
	for (size_t i = 0; i < *tables[on].n; i++) {
		const struct key_row *row = &tables[on].rows[i];

		page_begin_paragraph(p);
		page_put_bold(p, row->key);
		page_put(p, "\n");
		page_put_sentence(p, row->help);
		page_put(p, ".br\nValue: ");
		page_put_text(p, row->type);
		page_put(p, ".\n");
		if (row->default_text[0]) {
			page_put(p, "Default: ");
			page_put_text(p, row->default_text);
			page_put(p, ".\n");
		}
	}
	return 0;
}

static bool same_key(const struct check_row *a, const struct check_row *b)
{
	if (!a->key || !b->key)
		return a->key == b->key;
	return streq(a->key, b->key);
}

/* Rows that are told of the same key of the same object. A row without an id is never told. */
static bool belong_together(const struct check_row *a, const struct check_row *b)
{
	return a->id && b->id && a->on == b->on && same_key(a, b);
}

/* Words in braces stand for something else. */
static void put_reason(struct page *p, const char *reason)
{
	for (size_t i = 0; reason[i]; i++) {
		size_t n = strspn(reason + i + 1, "abcdefghijklmnopqrstuvwxyz ");

		if (reason[i] != '{' || n == 0 || reason[i + 1 + n] != '}') {
			page_put_char(p, reason, i);
			continue;
		}
		page_put_placeholder(p, reason + i + 1, n);
		i += n + 1;
	}
}

/* All that is told of the key of row first, which is the first one with this key. */
static void put_checks_of_key(struct page *p, size_t first)
{
	const struct check_row *head = &check_rows[first];

	page_begin_paragraph(p);
	if (head->key)
		page_put_bold(p, head->key);
	else
		page_put_text(p, head->on < ON_FILE	  ? check_on_text(head->on)
				 : head->on < ON_SERVICES ? "the entry as a whole"
							  : "other keys");
	for (size_t i = first; i < _CHECK_MAX; i++) {
		const struct check_row *row = &check_rows[i];
		bool told = !belong_together(head, row);

		/* Some differ in their hints only. */
		for (size_t j = first; j < i && !told; j++)
			told = belong_together(head, &check_rows[j]) &&
			       check_rows[j].severity == row->severity &&
			       streq(check_rows[j].reason, row->reason);
		if (told)
			continue;
		page_put(p, i == first ? "\n\\fI" : "\n.br\n\\fI");
		page_put(p, diag_severity_text(row->severity));
		page_put(p, ":\\fR ");
		put_reason(p, row->reason);
	}
	page_put(p, "\n");
}

static int put_checks(struct page *p, const char *object)
{
	bool found = false;
	enum check_on on;

	if (find_object(object, &on) < 0)
		return page_refuse(p, "no object '%s'", object);
	for (size_t i = 0; i < _CHECK_MAX; i++) {
		bool first = check_rows[i].id && check_rows[i].on == on;

		for (size_t j = 0; j < i && first; j++)
			first = !belong_together(&check_rows[j], &check_rows[i]);
		if (first)
			put_checks_of_key(p, i);
		found |= first;
	}
	return found ? 0 : page_refuse(p, "no checks of '%s'", object);
}

/* "[DIR]", "FILE...": what stands for something else is in capitals. */
static void put_arguments(struct page *p, const char *text)
{
	while (*text) {
		size_t n = strspn(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZ");

		if (n > 0)
			page_put_placeholder(p, text, n);
		else
			page_put_char(p, text, 0);
		text += n > 0 ? n : 1;
	}
}

static int put_commands(struct page *p)
{
	for (size_t i = 0; i < n_commands; i++) {
		const struct command *c = &commands[i];
		const char *separator = "Options of its own: ";

		page_begin_paragraph(p);
		page_put_bold(p, c->name);
		page_put(p, c->arguments[0] ? " " : "");
		put_arguments(p, c->arguments);
		page_put(p, "\n");
		page_put_sentence(p, c->help);
		for (size_t j = 0; j < n_option_rows; j++) {
			if (!(option_rows[j].bit & c->options))
				continue;
			page_put_text(p, separator);
			page_put(p, "\\fB\\-\\-");
			page_put_text(p, option_rows[j].name);
			page_put(p, "\\fR");
			separator = ", ";
		}
		page_put(p, c->options ? ".\n" : "");
	}
	return 0;
}

static int put_options(struct page *p)
{
	for (size_t i = 0; i < n_option_rows; i++) {
		const struct option_row *o = &option_rows[i];

		page_begin_paragraph(p);
		if (islower((unsigned char)o->letter)) {
			page_put(p, "\\fB\\-");
			page_put(p, (char[]){o->letter, '\0'});
			page_put(p, "\\fR, ");
		}
		page_put(p, "\\fB\\-\\-");
		page_put_text(p, o->name);
		page_put(p, o->argument ? "\\fR " : "\\fR");
		put_arguments(p, o->argument ? o->argument : "");
		page_put(p, "\n");
		page_put_sentence(p, o->help);
	}
	return 0;
}

/* The next cell of a row of a Markdown table, NULL at its end. The row is cut up. */
static char *next_cell(char **row)
{
	char *cell = *row, *end = strchr(cell, '|');

	if (!end)
		return NULL;
	*row = end + 1;
	while (end > cell && end[-1] == ' ')
		end--;
	*end = '\0';
	return cell + strspn(cell, " ");
}

/* What stands between backticks is bold. */
static void put_cell(struct page *p, char *cell)
{
	bool bold = false;

	for (char *part; (part = strsep(&cell, "`")); bold = !bold) {
		if (*part && bold)
			page_put_bold(p, part);
		else
			page_put_text(p, part);
	}
}

static void put_kube_proxy_row(struct page *p, char *row)
{
	char none[] = "none", *config, *flag, *ours, *note;
	const char *between;

	row++;
	config = next_cell(&row);
	flag = config ? next_cell(&row) : NULL;
	ours = flag ? next_cell(&row) : NULL;
	if (!ours)
		return;
	between = *config && *flag ? "; " : "";
	if (!*config && !*flag)
		config = none;
	note = strstr(ours, " (");
	if (note)
		*note = '\0';
	page_begin_paragraph(p);
	put_cell(p, ours);
	page_put(p, "\n\\&");
	put_cell(p, config);
	page_put(p, between);
	put_cell(p, flag);
	if (note) {
		page_put(p, "\n.br\nHere: ");
		put_cell(p, note + 1);
	}
	page_put(p, "\n");
}

static void put_not_yet_row(struct page *p, char *row)
{
	char *what, *but;

	row++;
	what = next_cell(&row);
	but = what ? next_cell(&row) : NULL;
	if (!but)
		return;
	page_begin_paragraph(p);
	put_cell(p, what);
	page_put(p, "\n\\&");
	put_cell(p, but);
	page_put(p, "\n");
}

/* Rows of the table that stands below a heading of the README. */
static int put_readme_table(struct page *p, const char *heading,
			    void (*put_row)(struct page *p, char *row))
{
	FILE *f = fopen(p->readme, "re");
	_cleanup_free_ char *line = NULL;
	bool in_section = false;
	unsigned n_rows = 0;
	size_t size = 0;

	if (!f)
		return page_refuse(p, "cannot open %s: %s", p->readme, strerror(errno));
	while (getline(&line, &size, f) >= 0) {
		line[strcspn(line, "\n")] = '\0';
		if (strncmp(line, "## ", 3) == 0)
			in_section = streq(line + 3, heading);
		/* The first two rows are the heads of the columns and a ruler. */
		if (in_section && line[0] == '|' && ++n_rows > 2)
			put_row(p, line);
	}
	(void)fclose(f);
	return n_rows > 2 ? 0 : page_refuse(p, "%s has no table below '%s'", p->readme, heading);
}

/* "@keys service port@" */
static int put_table(struct page *p, char *line)
{
	char *end = strrchr(line, '@'), *argument;

	if (end == line || end[1])
		return page_refuse(p, "has no '@' at its end");
	*end = '\0';
	line++;
	argument = strchr(line, ' ');
	if (argument)
		*argument++ = '\0';
	if (!argument && streq(line, "modes"))
		return put_modes(p);
	if (!argument && streq(line, "commands"))
		return put_commands(p);
	if (!argument && streq(line, "options"))
		return put_options(p);
	if (!argument && streq(line, "kube-proxy"))
		return put_readme_table(p, "Settings, and what they are called in kube-proxy",
					put_kube_proxy_row);
	if (!argument && streq(line, "not-yet"))
		return put_readme_table(p, "What is not there yet", put_not_yet_row);
	if (argument && streq(line, "settings"))
		return put_settings(p, argument);
	if (argument && streq(line, "keys"))
		return put_keys(p, argument);
	if (argument && streq(line, "checks"))
		return put_checks(p, argument);
	return page_refuse(p, "no table '%s', or not with an argument like this", line);
}

static int put_line(struct page *p, char *line)
{
	if (streq(line, ".EX") || streq(line, ".EE")) {
		if (p->example == streq(line, ".EX"))
			return page_refuse(p, "%s without the other one", line);
		p->example = !p->example;
	} else if (p->example) {
		page_put(p, *line == '.' || *line == '\'' ? "\\&" : "");
		page_put_text(p, line);
		page_put(p, "\n");
		return 0;
	} else if (*line == '@') {
		return put_table(p, line);
	}
	page_put(p, line);
	page_put(p, "\n");
	return 0;
}

static int put_page(struct page *p, FILE *template)
{
	_cleanup_free_ char *line = NULL;
	size_t size = 0;
	int r = 0;

	while (r == 0 && getline(&line, &size, template) >= 0) {
		p->line++;
		line[strcspn(line, "\n")] = '\0';
		r = put_line(p, line);
	}
	if (r == 0 && p->example)
		r = page_refuse(p, "the example is not closed");
	if (r == 0 && ferror(template))
		r = page_refuse(p, "cannot be read");
	if (r == 0 && (fflush(p->out) == EOF || ferror(p->out)))
		r = page_refuse(p, "the page cannot be written");
	return r;
}

int main(int argc, char **argv)
{
	struct page page = {.out = stdout};
	FILE *template;
	int r;

	if (argc != 3) {
		(void)fprintf(stderr, "Usage: make-page TEMPLATE README >PAGE\n");
		return 2;
	}
	page.template = argv[1];
	page.readme = argv[2];
	template = fopen(page.template, "re");
	if (!template) {
		(void)fprintf(stderr, "%s: %s\n", page.template, strerror(errno));
		return 1;
	}
	r = put_page(&page, template);
	(void)fclose(template);
	return r < 0 ? 1 : 0;
}
