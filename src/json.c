/*
 * json.c
 *	  Small JSON documents: json-c behind json.h.
 *
 * json-c reads more than JSON and, worse, some of it wrongly: it clamps
 * integers, takes NaN, 'a', "-01", "1." and raw control characters, and cuts a
 * member's name at "\u0000", in strict mode too.  So one quick scan of the
 * source text comes first; what passes it, json-c holds exactly.
 *
 * A JSON null is a NULL pointer, as in json-c.
 */
#include "json.h"

#include <json-c/json.h>

#define MAX_DEPTH     512
#define DUMP_FLAGS    (JSON_C_TO_STRING_PLAIN | JSON_C_TO_STRING_NOSLASHESCAPE)
#define as_object(v)  ((struct json_object *) (v))
#define as_value(obj) ((CfdwJson *) (obj))

/* json-c's own loop declares after statements, which PostgreSQL's style forbids */
#define each_member(object, it) \
	for (struct json_object_iterator it = json_object_iter_begin(object), it##_end = json_object_iter_end(object); \
		 !json_object_iter_equal(&(it), &it##_end); json_object_iter_next(&(it)))

/* ---- the scan before json-c ---- */

typedef struct Scan
{
	const char *text;
	const char *at;
	const char *end;
	int depth;
} Scan;

static bool
bad_json(CfdwError *err, const Scan *scan, const char *reason)
{
	cfdw_fail(err, CFDW_ERR_JSON, "invalid JSON");
	/* no excerpt: these documents hold tokens and passwords */
	cfdw_detail(err, "At byte %zu of %zu: %s.", (size_t) (scan->at - scan->text) + 1, (size_t) (scan->end - scan->text), reason);
	return false;
}

static bool
is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

/* One digit or more. */
static bool
scan_digits(Scan *scan)
{
	const char *start = scan->at;

	while (scan->at < scan->end && isdigit((unsigned char) *scan->at))
		scan->at++;
	return scan->at > start;
}

/* Step over the next character if it is one of two. */
static bool
scan_either(Scan *scan, char a, char b)
{
	if (scan->at == scan->end || (*scan->at != a && *scan->at != b))
		return false;
	scan->at++;
	return true;
}

/* Does an integer of this text fit json-c's int64 or uint64? */
static bool
integer_fits(const char *text, size_t len)
{
	const char *limit = text[0] == '-' ? "-9223372036854775808" : "18446744073709551615";
	size_t max = strlen(limit);

	return len < max || (len == max && memcmp(text, limit, len) <= 0);
}

/* A number, by the grammar of RFC 8259. */
static bool
scan_number(Scan *scan, CfdwError *err)
{
	const char *start = scan->at;
	const char *digits;
	bool ok;
	bool integer = true;

	scan_either(scan, '-', '-');
	digits = scan->at;
	ok = scan_digits(scan) && (*digits != '0' || scan->at - digits == 1);
	if (ok && scan_either(scan, '.', '.'))
	{
		integer = false;
		ok = scan_digits(scan);
	}
	if (ok && scan_either(scan, 'e', 'E'))
	{
		integer = false;
		scan_either(scan, '+', '-');
		ok = scan_digits(scan);
	}
	if (!ok)
		return bad_json(err, scan, "a number is malformed");
	if (integer && !integer_fits(start, scan->at - start))
		return bad_json(err, scan, "an integer has more than 64 bits");
	return true;
}

static bool
scan_string(Scan *scan, CfdwError *err)
{
	bool has_nul = false;
	const char *next;

	for (scan->at++; scan->at < scan->end && *scan->at != '"'; scan->at++)
	{
		if ((unsigned char) *scan->at < ' ')
			return bad_json(err, scan, "a control character in a string is not escaped");
		if (*scan->at != '\\')
			continue;
		if (scan->end - scan->at > 6 && memcmp(scan->at, "\\u0000", 6) == 0)
			has_nul = true;
		if (++scan->at == scan->end)
			break;
	}
	if (scan->at == scan->end)
		return bad_json(err, scan, "the document ends inside a string");
	scan->at++;
	for (next = scan->at; has_nul && next < scan->end && is_blank(*next); next++)
		;
	if (has_nul && next < scan->end && *next == ':')
		return bad_json(err, scan, "the name of a member holds \\u0000");
	return true;
}

/* Anything but a string or a number. */
static bool
scan_other(Scan *scan, CfdwError *err)
{
	char c = *scan->at;

	/* brackets, signs, blanks, and the letters of true, false and null */
	if (c == '\0' || strchr("[]{}:, \t\r\ntruefalsn", c) == NULL)
		return bad_json(err, scan, "a character is there that JSON does not have");
	if ((c == '[' || c == '{') && ++scan->depth > MAX_DEPTH)
		return cfdw_fail(err, CFDW_ERR_LIMIT, "JSON is nested more than %d levels deep", MAX_DEPTH);
	if (c == ']' || c == '}')
		scan->depth--;
	scan->at++;
	return true;
}

/* Refuse what json-c would read wrongly; the rest of the grammar is its own business. */
static bool
scan_text(Scan *scan, CfdwError *err)
{
	bool ok = true;

	while (ok && scan->at < scan->end)
	{
		if (*scan->at == '"')
			ok = scan_string(scan, err);
		else if (*scan->at == '-' || isdigit((unsigned char) *scan->at))
			ok = scan_number(scan, err);
		else
			ok = scan_other(scan, err);
	}
	return ok;
}

/* ---- parse ---- */

typedef struct Document
{
	struct json_object *root;
} Document;

static void
release(void *arg)
{
	json_object_put(((Document *) arg)->root);
}

static bool
run_tokener(struct json_tokener *tokener, Scan *scan, struct json_object **out, CfdwError *err)
{
	enum json_tokener_error error;

	*out = json_tokener_parse_ex(tokener, scan->text, (int) (scan->end - scan->text));
	error = json_tokener_get_error(tokener);
	scan->at = scan->text + json_tokener_get_parse_end(tokener);
	if (error == json_tokener_continue)
	{
		/* a scalar document ends only where json-c sees a NUL */
		*out = json_tokener_parse_ex(tokener, "", 1);
		error = json_tokener_get_error(tokener);
	}
	if (error != json_tokener_success)
		return bad_json(err, scan, json_tokener_error_desc(error));
	Assert(scan->at == scan->end); /* strict: text behind the document is an error */
	return true;
}

bool
cfdw_json_parse(CfdwArena *arena, const char *text, size_t len, CfdwJson **out, CfdwError *err)
{
	Scan scan = {.text = text, .at = text, .end = text + len};
	struct json_tokener *tokener;
	Document *document;
	bool ok;

	*out = NULL;
	if (len > PG_INT32_MAX)
		return cfdw_fail(err, CFDW_ERR_LIMIT, "JSON is too large");
	if (!scan_text(&scan, err))
		return false;
	/* first the callback, then the object: an arena that cannot give memory must not leak it */
	document = cfdw_alloc(arena, sizeof(Document));
	cfdw_arena_on_reset(arena, release, document);
	tokener = json_tokener_new_ex(MAX_DEPTH + 1);
	if (tokener == NULL)
		return cfdw_fail(err, CFDW_ERR_MEMORY, "out of memory");
	json_tokener_set_flags(tokener, JSON_TOKENER_STRICT | JSON_TOKENER_VALIDATE_UTF8);
	ok = run_tokener(tokener, &scan, &document->root, err);
	json_tokener_free(tokener);
	if (ok)
		*out = as_value(document->root);
	return ok;
}

/* ---- look ---- */

CfdwJsonKind
cfdw_json_kind(const CfdwJson *value)
{
	switch (json_object_get_type((const struct json_object *) value))
	{
		case json_type_boolean:
			return CFDW_JSON_BOOL;
		case json_type_int:
		case json_type_double:
			return CFDW_JSON_NUMBER;
		case json_type_string:
			return CFDW_JSON_STRING;
		case json_type_array:
			return CFDW_JSON_ARRAY;
		case json_type_object:
			return CFDW_JSON_OBJECT;
		case json_type_null:
			break;
	}
	return CFDW_JSON_NULL;
}

static bool
step(struct json_object *value, const CfdwSegment *segment, struct json_object **child)
{
	if (json_object_is_type(value, json_type_object))
		return json_object_object_get_ex(value, segment->name, child);
	if (!json_object_is_type(value, json_type_array))
		return false;
	if (segment->index < 0 || (size_t) segment->index >= json_object_array_length(value))
		return false;
	*child = json_object_array_get_idx(value, (size_t) segment->index);
	return true;
}

CfdwJson *
cfdw_json_at(CfdwJson *root, const CfdwPointer *pointer, bool *found)
{
	struct json_object *value = as_object(root);

	for (int i = 0; i < pointer->count; i++)
	{
		*found = step(value, &pointer->segments[i], &value);
		if (!*found)
			return NULL;
	}
	*found = true;
	return as_value(value);
}

CfdwJson *
cfdw_json_member(CfdwJson *object, const char *name)
{
	struct json_object *value = NULL;

	if (cfdw_json_kind(object) == CFDW_JSON_OBJECT)
		json_object_object_get_ex(as_object(object), name, &value);
	return as_value(value);
}

bool
cfdw_json_each(CfdwJson *object, bool (*fn)(const char *name, CfdwJson *value, void *arg), void *arg)
{
	if (cfdw_json_kind(object) != CFDW_JSON_OBJECT)
		return true;
	each_member(as_object(object), member)
	{
		if (!fn(json_object_iter_peek_name(&member), as_value(json_object_iter_peek_value(&member)), arg))
			return false;
	}
	return true;
}

bool
cfdw_json_int(CfdwJson *value, int64 *out)
{
	struct json_object *object = as_object(value);

	if (!json_object_is_type(object, json_type_int))
		return false;
	*out = json_object_get_int64(object);
	/* json-c clamps what only uint64 can hold */
	return *out < 0 || (uint64) *out == json_object_get_uint64(object);
}

static bool
string_is(struct json_object *string, const char *text)
{
	size_t len = (size_t) json_object_get_string_len(string);

	return len == strlen(text) && memcmp(json_object_get_string(string), text, len) == 0;
}

bool
cfdw_json_truth(CfdwJson *value)
{
	struct json_object *object = as_object(value);

	switch (json_object_get_type(object))
	{
		case json_type_boolean:
			return json_object_get_boolean(object);
		case json_type_int:
			return json_object_get_uint64(object) != 0 || json_object_get_int64(object) != 0;
		case json_type_double:
			return json_object_get_double(object) != 0;
		case json_type_string:
			return json_object_get_string_len(object) > 0 && !string_is(object, "false");
		case json_type_array:
			return json_object_array_length(object) > 0;
		case json_type_object:
			return json_object_object_length(object) > 0;
		case json_type_null:
			break;
	}
	return false;
}

/* ---- text ---- */

static void
add_quoted(CfdwBuf *buf, const char *s, size_t len)
{
	cfdw_buf_putc(buf, '"');
	for (size_t i = 0; i < len; i++)
	{
		char escape[8];

		if (s[i] == '"' || s[i] == '\\')
			snprintf(escape, sizeof(escape), "\\%c", s[i]);
		else if ((unsigned char) s[i] < ' ')
			snprintf(escape, sizeof(escape), "\\u%04x", s[i]);
		else
		{
			cfdw_buf_putc(buf, s[i]);
			continue;
		}
		cfdw_buf_puts(buf, escape);
	}
	cfdw_buf_putc(buf, '"');
}

char *
cfdw_json_quote(CfdwArena *arena, const char *s)
{
	CfdwBuf buf;

	cfdw_buf_init(&buf, arena);
	add_quoted(&buf, s, strlen(s));
	return buf.data;
}

/* A string's bytes; a NUL among them shows as \u0000, since C text cannot hold one. */
static char *
string_bytes(CfdwArena *arena, struct json_object *string)
{
	const char *s = json_object_get_string(string);
	size_t len = (size_t) json_object_get_string_len(string);
	CfdwBuf buf;

	if (strlen(s) == len)
		return cfdw_strndup(arena, s, len);
	cfdw_buf_init(&buf, arena);
	for (size_t i = 0; i < len; i++)
	{
		if (s[i] == '\0')
			cfdw_buf_puts(&buf, "\\u0000");
		else
			cfdw_buf_putc(&buf, s[i]);
	}
	return buf.data;
}

char *
cfdw_json_text(CfdwArena *arena, CfdwJson *value)
{
	if (value == NULL)
		return NULL;
	if (cfdw_json_kind(value) == CFDW_JSON_STRING)
		return string_bytes(arena, as_object(value));
	return cfdw_json_dump(arena, value);
}

char *
cfdw_json_dump(CfdwArena *arena, CfdwJson *value)
{
	/* numbers that are no integers were kept as their source text by json-c */
	return cfdw_strdup(arena, json_object_to_json_string_ext(as_object(value), DUMP_FLAGS));
}

/* ---- body templates ---- */

typedef struct Fill
{
	CfdwBuf out;
	const CfdwVariables *vars;
	struct json_object *merge; /* an object, or NULL */
	CfdwError *err;
} Fill;

static bool fill_value(Fill *fill, struct json_object *value);

/* Text that a template can be: a string without a NUL inside. */
static const char *
template_text(struct json_object *value)
{
	if (!json_object_is_type(value, json_type_string) || !string_is(value, json_object_get_string(value)))
		return NULL;
	return json_object_get_string(value);
}

/* The variable that this value stands for as a whole, or NULL. */
static const CfdwVariable *
sole_variable(const Fill *fill, struct json_object *value)
{
	const char *text = template_text(value);

	return text != NULL ? cfdw_template_sole(text, fill->vars) : NULL;
}

static bool
has_value(const CfdwVariable *variable)
{
	return variable->text != NULL || variable->json != NULL;
}

static void
fill_variable(Fill *fill, const CfdwVariable *variable)
{
	if (variable->json != NULL)
		cfdw_buf_puts(&fill->out, variable->json);
	else if (variable->text != NULL)
		add_quoted(&fill->out, variable->text, strlen(variable->text));
	else
		cfdw_buf_puts(&fill->out, "null");
}

static bool
fill_string(Fill *fill, struct json_object *value)
{
	const CfdwVariable *variable = sole_variable(fill, value);
	const char *text = template_text(value);
	CfdwBuf filled;

	if (variable != NULL)
		fill_variable(fill, variable);
	else if (text == NULL)
		add_quoted(&fill->out, json_object_get_string(value), (size_t) json_object_get_string_len(value));
	else
	{
		cfdw_buf_init(&filled, fill->out.arena);
		if (!cfdw_template_fill(&filled, text, CFDW_PLAIN, fill->vars, fill->err))
			return false;
		add_quoted(&fill->out, filled.data, filled.len);
	}
	return true;
}

static bool
fill_array(Fill *fill, struct json_object *array)
{
	cfdw_buf_putc(&fill->out, '[');
	for (size_t i = 0; i < json_object_array_length(array); i++)
	{
		if (i > 0)
			cfdw_buf_putc(&fill->out, ',');
		if (!fill_value(fill, json_object_array_get_idx(array, i)))
			return false;
	}
	cfdw_buf_putc(&fill->out, ']');
	return true;
}

static void
add_name(Fill *fill, const char *name)
{
	/* behind "{" this is the first member */
	if (fill->out.data[fill->out.len - 1] != '{')
		cfdw_buf_putc(&fill->out, ',');
	add_quoted(&fill->out, name, strlen(name));
	cfdw_buf_putc(&fill->out, ':');
}

/* The members of an object, less those that over (or NULL) replaces. */
static bool
fill_members(Fill *fill, struct json_object *object, struct json_object *over)
{
	each_member(object, member)
	{
		const char *name = json_object_iter_peek_name(&member);
		struct json_object *value = json_object_iter_peek_value(&member);
		const CfdwVariable *variable = sole_variable(fill, value);

		if (over != NULL && json_object_object_get_ex(over, name, NULL))
			continue;
		if (variable != NULL && !has_value(variable))
			continue;
		add_name(fill, name);
		if (!fill_value(fill, value))
			return false;
	}
	return true;
}

static bool
fill_value(Fill *fill, struct json_object *value)
{
	switch (json_object_get_type(value))
	{
		case json_type_string:
			return fill_string(fill, value);
		case json_type_array:
			return fill_array(fill, value);
		case json_type_object:
			cfdw_buf_putc(&fill->out, '{');
			if (!fill_members(fill, value, NULL))
				return false;
			cfdw_buf_putc(&fill->out, '}');
			return true;
		default:
			cfdw_buf_puts(&fill->out, json_object_to_json_string_ext(value, DUMP_FLAGS));
			return true;
	}
}

/* The top level with the members of merge over it; those are data and hold no placeholders. */
static bool
fill_merged(Fill *fill, struct json_object *tmpl, struct json_object *merge)
{
	if (!json_object_is_type(merge, json_type_object) || (tmpl != NULL && !json_object_is_type(tmpl, json_type_object)))
		return cfdw_fail(fill->err, CFDW_ERR_OPTION, "the members of a cursor can be merged only into a body that is a JSON object");
	cfdw_buf_putc(&fill->out, '{');
	if (tmpl != NULL && !fill_members(fill, tmpl, merge))
		return false;
	each_member(merge, member)
	{
		add_name(fill, json_object_iter_peek_name(&member));
		cfdw_buf_puts(&fill->out, json_object_to_json_string_ext(json_object_iter_peek_value(&member), DUMP_FLAGS));
	}
	cfdw_buf_putc(&fill->out, '}');
	return true;
}

bool
cfdw_json_fill(CfdwArena *arena, CfdwJson *tmpl, const CfdwVariables *vars, CfdwJson *merge, char **out, CfdwError *err)
{
	Fill fill = {.vars = vars, .err = err};

	cfdw_buf_init(&fill.out, arena);
	if (merge != NULL ? !fill_merged(&fill, as_object(tmpl), as_object(merge)) : !fill_value(&fill, as_object(tmpl)))
		return false;
	*out = fill.out.data;
	return true;
}
