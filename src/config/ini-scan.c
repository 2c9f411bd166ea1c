/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config/ini-scan.h"

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/array.h"

/* inih 55 cuts a line after 199 bytes and takes the rest for a line of its own. */
#define INI_LINE_MAX 190

/* A piece of the text. */
struct slice {
	const char *begin, *end;
};

/* A line that is being scanned. */
struct scanning {
	struct ini_scan *to;
	const char *file_name;
	struct diags *d;
	struct slice line;
	int number;
};

void ini_scan_done(struct ini_scan *s)
{
	for (size_t i = 0; i < s->n; i++) {
		free(s->items[i].key);
		free(s->items[i].value);
	}
	for (size_t i = 0; i < s->n_sections; i++)
		free(s->sections[i].name);
	free(s->items);
	free(s->sections);
	free(s->text);
	*s = (struct ini_scan){0};
}

static int column_of(const struct scanning *s, const char *at)
{
	return (int)(at - s->line.begin) + 1;
}

/* Refuses the text at one of its bytes. */
static int refuse(const struct scanning *s, const char *at, const char *hint, const char *reason)
{
	struct place place = {.file = s->file_name, .line = s->number, .column = column_of(s, at)};

	diags_add(s->d, DIAG_ERROR, &place, NULL, NULL, NULL, hint, "%s", reason);
	return s->d->error < 0 ? s->d->error : -EBADMSG;
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t';
}

static struct slice trim(struct slice s)
{
	while (s.begin < s.end && is_blank(*s.begin))
		s.begin++;
	while (s.end > s.begin && is_blank(s.end[-1]))
		s.end--;
	return s;
}

static bool slice_equal(struct slice s, const char *text)
{
	size_t n = strlen(text);

	return (size_t)(s.end - s.begin) == n && memcmp(s.begin, text, n) == 0;
}

static bool begins_with(struct slice s, const char *text)
{
	size_t n = strlen(text);

	return (size_t)(s.end - s.begin) >= n && memcmp(s.begin, text, n) == 0;
}

/* The first of chars, or the ';' behind a blank that begins a comment, or the end. */
static const char *find(struct slice s, const char *chars)
{
	bool after_blank = false;

	for (const char *c = s.begin; c < s.end; c++) {
		if (strchr(chars, *c) || (after_blank && *c == ';'))
			return c;
		after_blank = is_blank(*c);
	}
	return s.end;
}

/* "services = (" and the like. Outside of a section more is suspect: only libconfig has no
 * sections. */
static bool looks_like_libconfig(struct slice s, bool in_section)
{
	const char *separator = find(s, "=:");
	struct slice key = trim((struct slice){s.begin, separator}), value;

	if (!in_section &&
	    (strchr("{}()@", *s.begin) || begins_with(s, "//") || begins_with(s, "/*")))
		return true;
	if (separator == s.end || *separator == ';')
		return false;
	value = trim((struct slice){separator + 1, s.end});
	if (slice_equal(key, "services") || slice_equal(key, "endpoints"))
		return true;
	if (in_section || value.begin == value.end)
		return false;
	return *value.begin == '(' || *value.begin == '{' || value.end[-1] == ';';
}

static int add_section(const struct scanning *s, struct slice name)
{
	struct ini_scan *to = s->to;
	int r;

	r = array_reserve(&to->sections, &to->sections_allocated, to->n_sections + 1);
	if (r < 0)
		return r;
	to->sections[to->n_sections] = (struct ini_section){
		.name = strndup(name.begin, (size_t)(name.end - name.begin)),
		.line = s->number,
		.column = column_of(s, name.begin),
	};
	if (!to->sections[to->n_sections].name)
		return -ENOMEM;
	to->n_sections++;
	return 0;
}

static int scan_section(const struct scanning *s, struct slice content)
{
	struct slice name = {.begin = content.begin + 1}, rest;

	name.end = find((struct slice){name.begin, content.end}, "]");
	if (name.end == content.end || *name.end != ']')
		return refuse(s, content.begin, "write [Section]", "has no ']'");
	/* inih would drop it without a word. */
	rest = trim((struct slice){name.end + 1, content.end});
	if (rest.begin < rest.end && *rest.begin != ';')
		return refuse(s, rest.begin, NULL, "must be in a line of its own, not behind ']'");
	return add_section(s, name);
}

static int scan_assignment(const struct scanning *s, struct slice content)
{
	struct ini_scan *to = s->to;
	struct ini_assignment new = {
		.section = to->n_sections > 0 ? to->n_sections - 1 : SIZE_MAX,
		.line = s->number,
	};
	const char *separator = find(content, "=:");
	struct slice key, value;
	int r;

	if (separator == content.end || *separator == ';')
		return refuse(s, content.begin, NULL, "must be [Section], Key=value or a comment");
	key = trim((struct slice){content.begin, separator});
	if (key.begin == key.end)
		return refuse(s, content.begin, NULL, "has no key");
	value.begin = separator + 1;
	value.end = find((struct slice){value.begin, content.end}, "");
	value = trim(value);

	r = array_reserve(&to->items, &to->allocated, to->n + 1);
	if (r < 0)
		return r;
	new.key_column = column_of(s, key.begin);
	new.value_column = column_of(s, value.begin);
	new.key = strndup(key.begin, (size_t)(key.end - key.begin));
	new.value = strndup(value.begin, (size_t)(value.end - value.begin));
	if (!new.key || !new.value) {
		free(new.key);
		free(new.value);
		return -ENOMEM;
	}
	to->items[to->n++] = new;
	return 0;
}

static int scan_line(const struct scanning *s)
{
	struct slice content = trim(s->line);

	for (const char *c = s->line.begin; c < s->line.end; c++) {
		if (*c == '\r')
			return refuse(s, c, "save the file with Unix line ends",
				      "has a carriage return that does not end a line");
		if ((unsigned char)*c < ' ' && *c != '\t')
			return refuse(s, c, NULL, "has a control character");
	}
	/* Comments, too: the rest would not be one. */
	if (s->line.end - s->line.begin > INI_LINE_MAX)
		return refuse(s, s->line.begin + INI_LINE_MAX,
			      "lists may be given in several lines with the same key",
			      "is longer than 190 bytes");
	if (content.begin == content.end || *content.begin == ';' || *content.begin == '#')
		return 0;
	if (looks_like_libconfig(content, s->to->n_sections > 0))
		return refuse(s, content.begin, "services and endpoints belong in services.d/*.cfg",
			      "looks like libconfig; settings files are INI: [Section], Key=value");
	/* inih would add it to the value above. */
	if (content.begin > s->line.begin)
		return refuse(s, content.begin,
			      "lists may be given in several lines with the same key",
			      "must not begin with a blank");
	if (*content.begin == '[')
		return scan_section(s, content);
	return scan_assignment(s, content);
}

/* What no line of a text file has; inih would stop there, or hang. */
static int check_bytes(const struct scanning *s, const char *data, size_t size)
{
	if (size >= 2 && (memcmp(data, "\xff\xfe", 2) == 0 || memcmp(data, "\xfe\xff", 2) == 0))
		return refuse(s, s->line.begin, "save the file as UTF-8", "is UTF-16");
	for (size_t i = 0; i < size; i++) {
		struct scanning here = *s;

		if (data[i] != '\0')
			continue;
		for (size_t j = 0; j < i; j++) {
			if (data[j] != '\n')
				continue;
			here.number++;
			here.line.begin = data + j + 1;
		}
		return refuse(&here, data + i, "save the file as UTF-8",
			      "has a NUL byte: it is not text, or not UTF-8");
	}
	return 0;
}

/* Copies the text for inih: the byte order mark and the CR of a CR LF are only of use to other
 * systems. A second mark, or a CR elsewhere, stays and is refused. */
static char *clean_copy(const char *data, size_t size)
{
	char *text, *to;

	if (size >= 3 && memcmp(data, "\xef\xbb\xbf", 3) == 0) {
		data += 3;
		size -= 3;
	}
	text = malloc(size + 1);
	if (!text)
		return NULL;
	to = text;
	for (size_t i = 0; i < size; i++)
		if (data[i] != '\r' || i + 1 == size || data[i + 1] != '\n')
			*to++ = data[i];
	*to = '\0';
	return text;
}

int ini_scan(const char *data, size_t size, const char *file_name, struct ini_scan *ret,
	     struct diags *d)
{
	_cleanup_ini_scan_ struct ini_scan new = {0};
	struct scanning s = {
		.to = &new,
		.file_name = file_name,
		.d = d,
		.line.begin = data,
		.number = 1,
	};
	const char *next;
	int r;

	r = check_bytes(&s, data, size);
	if (r < 0)
		return r;
	new.text = clean_copy(data, size);
	if (!new.text)
		return -ENOMEM;
	for (const char *line = new.text; *line != '\0'; line = next, s.number++) {
		s.line = (struct slice){line, strchrnul(line, '\n')};
		next = s.line.end + (*s.line.end == '\n');
		if (s.number == 1 && begins_with(s.line, "\xef\xbb\xbf"))
			return refuse(&s, line, "keep one of them, or none",
				      "has two byte order marks");
		r = scan_line(&s);
		if (r < 0)
			return r;
	}
	*ret = new;
	new = (struct ini_scan){0};
	return 0;
}
