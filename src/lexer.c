/*
 * lexer.c
 *	  The server's JSON parser behind lexer.h.
 */
#include "lexer.h"

#include "mb/pg_wchar.h"

#define ARRAYS_DEPTH 4 /* how deep in a body, and how many arrays a HINT names */
#define ARRAYS_MAX   5

bool
cfdw_lexer_check(CfdwSlice body, CfdwError *err)
{
	const char *nul;

	if (body.len > PG_INT32_MAX)
		return cfdw_fail(err, CFDW_ERR_LIMIT, "response body is larger than %d bytes", PG_INT32_MAX);
	nul = body.len > 0 ? memchr(body.data, '\0', body.len) : NULL;
	if (nul == NULL)
		return true;
	cfdw_fail(err, CFDW_ERR_JSON, "response body is not valid JSON");
	cfdw_detail(err, "At byte %zu of %zu: a NUL byte. JSON is text in UTF-8.", (size_t) (nul - body.data) + 1, body.len);
	return false;
}

JsonLexContext *
cfdw_lexer_new(CfdwSlice text)
{
	/* one byte a character: the encoding serves only to step over a bad one, and must not lead beyond the end */
#if PG_VERSION_NUM >= 170000
	return makeJsonLexContextCstringLen(NULL, (char *) text.data, text.len, PG_SQL_ASCII, false);
#else
	return makeJsonLexContextCstringLen((char *) text.data, (int) text.len, PG_SQL_ASCII, false);
#endif
}

void
cfdw_lexer_free(JsonLexContext *lex)
{
#if PG_VERSION_NUM >= 170000
	freeJsonLexContext(lex);
#else
	pfree(lex);
#endif
}

void
cfdw_lexer_peek(JsonLexContext *lex)
{
	const char *end = lex->input + lex->input_length;
	const char *first = cfdw_skip_blanks(lex->input, end);

	lex->token_start = (char *) first;
	lex->token_type = JSON_TOKEN_STRING;
	if (first == end)
		lex->token_type = JSON_TOKEN_END;
	else if (*first == '[')
		lex->token_type = JSON_TOKEN_ARRAY_START;
	else if (*first == '{')
		lex->token_type = JSON_TOKEN_OBJECT_START;
	else if (*first == 'n')
		lex->token_type = JSON_TOKEN_NULL;
}

bool
cfdw_lexer_at_container(const JsonLexContext *lex)
{
	return lex->token_type == JSON_TOKEN_OBJECT_START || lex->token_type == JSON_TOKEN_ARRAY_START;
}

CfdwSlice
cfdw_lexer_name(const JsonLexContext *lex)
{
	const char *end = lex->prev_token_terminator - 1; /* the colon */
	const char *start;

	while (end[-1] != '"')
		end--;
	/* a quote inside a string has a backslash before it, the one that opens it never */
	start = end - 2;
	while (*start != '"' || start[-1] == '\\')
		start--;
	return (CfdwSlice){start, end - start};
}

/* ---- strings ---- */

static pg_wchar
hex4(const char *s)
{
	pg_wchar code = 0;

	for (int i = 0; i < 4; i++)
		code = code << 4 | (pg_wchar) (s[i] <= '9' ? s[i] - '0' : (s[i] | 0x20) - 'a' + 10);
	return code;
}

/* Of a UTF-8 character, by its first byte.  (pg_utf_mblen has another name in the libpgcommon of some versions.) */
static int
character_length(unsigned char first)
{
	if (first < 0xc0)
		return 1;
	if (first < 0xe0)
		return 2;
	return first < 0xf0 ? 3 : 4;
}

/* What follows "\u", and the second half of the pair if it has one. */
static pg_wchar
read_unicode_escape(const char **at, const char *end)
{
	pg_wchar code = hex4(*at);

	*at += 4;
	if (is_utf16_surrogate_first(code) && end - *at >= 6 && (*at)[0] == '\\' && (*at)[1] == 'u' &&
		is_utf16_surrogate_second(hex4(*at + 2)))
	{
		code = surrogate_pair_to_codepoint(code, hex4(*at + 2));
		*at += 6;
	}
	return code;
}

/* One character, or one byte of it, into out; returns its length.  Sets problem if no text can hold it. */
static int
read_char(const char **at, const char *end, unsigned char *out, CfdwUnescaped *problem)
{
	static const char escapes[] = "b\bf\fn\nr\rt\t";

	*out = (unsigned char) *(*at)++;
	if (*out != '\\')
		return 1;
	*out = (unsigned char) *(*at)++;
	if (*out == 'u')
	{
		pg_wchar code = read_unicode_escape(at, end);

		if (code == 0)
			*problem = CFDW_ESCAPED_NUL;
		if (is_utf16_surrogate_first(code) || is_utf16_surrogate_second(code))
		{
			*problem = CFDW_ESCAPED_SURROGATE;
			code = 0xfffd;
		}
		unicode_to_utf8(code, out);
		return character_length(*out);
	}
	for (const char *escape = escapes; *escape != '\0'; escape += 2)
	{
		if (*escape == (char) *out)
		{
			*out = (unsigned char) escape[1];
			break;
		}
	}
	return 1;
}

CfdwUnescaped
cfdw_unescape(CfdwSlice inner, char *out, size_t *len)
{
	const char *at = inner.data;
	const char *end = inner.data + inner.len;
	CfdwUnescaped problem = CFDW_UNESCAPED;

	*len = 0;
	while (at < end && problem == CFDW_UNESCAPED)
	{
		const char *escape = memchr(at, '\\', end - at);
		size_t run = (escape != NULL ? escape : end) - at;

		memcpy(out + *len, at, run);
		*len += run;
		at += run;
		if (escape != NULL)
			*len += (size_t) read_char(&at, end, (unsigned char *) out + *len, &problem);
	}
	return problem;
}

CfdwSlice
cfdw_name_unescape(CfdwArena *arena, CfdwSlice quoted)
{
	const char *at = quoted.data + 1;
	const char *end = quoted.data + quoted.len - 1;
	char *copy;
	size_t len = 0;
	CfdwUnescaped ignored;

	if (memchr(at, '\\', end - at) == NULL)
		return (CfdwSlice){at, end - at};
	copy = cfdw_alloc(arena, quoted.len); /* no escape is shorter than its character */
	while (at < end)
		len += (size_t) read_char(&at, end, (unsigned char *) copy + len, &ignored);
	return (CfdwSlice){copy, len};
}

bool
cfdw_name_is(CfdwSlice quoted, const char *name, size_t len)
{
	const char *at = quoted.data + 1;
	const char *end = quoted.data + quoted.len - 1;
	CfdwUnescaped ignored;

	if (memchr(at, '\\', end - at) == NULL)
		return end - at == len && memcmp(at, name, len) == 0;
	while (at < end)
	{
		unsigned char c[4];
		size_t n = (size_t) read_char(&at, end, c, &ignored);

		if (len < n || memcmp(name, c, n) != 0)
			return false;
		name += n;
		len -= n;
	}
	return len == 0;
}

void
cfdw_name_to_pointer(CfdwBuf *buf, const char *name)
{
	cfdw_buf_putc(buf, '/');
	for (; *name != '\0'; name++)
	{
		if (*name == '~' || *name == '/')
			cfdw_buf_puts(buf, *name == '~' ? "~0" : "~1");
		else
			cfdw_buf_putc(buf, *name);
	}
}

/* ---- messages ---- */

const char *
cfdw_lexer_kind(char first)
{
	switch (first)
	{
		case '{':
			return "an object";
		case '[':
			return "an array";
		case '"':
			return "a string";
		case 't':
		case 'f':
			return "a boolean";
		case 'n':
			return "null";
		default:
			return "a number";
	}
}

const char *
cfdw_skip_blanks(const char *at, const char *end)
{
	while (at < end && (*at == ' ' || *at == '\t' || *at == '\n' || *at == '\r'))
		at++;
	return at;
}

CfdwSlice
cfdw_trim_blanks(CfdwSlice text)
{
	const char *end = text.data + text.len;
	const char *start = cfdw_skip_blanks(text.data, end);

	while (end > start && cfdw_skip_blanks(end - 1, end) == end)
		end--;
	return (CfdwSlice){start, end - start};
}

char *
cfdw_excerpt(CfdwArena *arena, CfdwSlice text, size_t max)
{
	const char *at = text.data;
	const char *end = text.data + text.len;
	CfdwBuf buf;

	cfdw_buf_init(&buf, arena);
	while (at < end && buf.len < max)
	{
		const unsigned char *c = (const unsigned char *) at;
		int len = character_length(*c);
		bool legal = len <= end - at && pg_utf8_islegal(c, len);

		if (!legal)
			cfdw_buf_putc(&buf, '?');
		else if (*c < ' ' || *c == 0x7f)
			cfdw_buf_putc(&buf, ' ');
		else
			cfdw_buf_add(&buf, at, (size_t) len);
		at += legal ? len : 1;
	}
	if (at < end)
		cfdw_buf_puts(&buf, "...");
	return buf.data;
}

static const char *
reason_of(JsonParseErrorType code)
{
	switch (code)
	{
		case JSON_EXPECTED_ARRAY_FIRST:
			return "a value or \"]\" was expected";
		case JSON_EXPECTED_ARRAY_NEXT:
			return "\",\" or \"]\" was expected";
		case JSON_EXPECTED_COLON:
			return "\":\" was expected";
		case JSON_EXPECTED_END:
			return "the end was expected";
		case JSON_EXPECTED_OBJECT_FIRST:
			return "a member or \"}\" was expected";
		case JSON_EXPECTED_OBJECT_NEXT:
			return "\",\" or \"}\" was expected";
		case JSON_EXPECTED_STRING:
			return "the name of a member was expected";
		case JSON_ESCAPING_INVALID:
			return "a backslash escapes nothing";
		case JSON_ESCAPING_REQUIRED:
			return "a control character in a string is not escaped";
		case JSON_UNICODE_ESCAPE_FORMAT:
			return "\"\\u\" needs four hexadecimal digits";
		default:
			return "a JSON value was expected";
	}
}

/* Could more text make a token of this one? */
static bool
is_unfinished(const char *token, const char *end)
{
	size_t len = (size_t) (end - token);

	return *token == '"' || *token == '-' || isdigit((unsigned char) *token) || strncmp(token, "true", len) == 0 ||
		   strncmp(token, "false", len) == 0 || strncmp(token, "null", len) == 0;
}

/* Where the parser stopped; the end of the text if it wanted more. */
static const char *
error_place(const JsonLexContext *lex, JsonParseErrorType code, const char *end)
{
	if (lex->token_start == NULL)
		return end;
	if (code == JSON_ESCAPING_REQUIRED)
		return lex->token_terminator;
	if (code == JSON_INVALID_TOKEN && lex->token_terminator >= end && is_unfinished(lex->token_start, end))
		return end;
	return lex->token_start;
}

static bool
fail_html(CfdwArena *scratch, CfdwSlice text, const char *where, CfdwError *err)
{
	cfdw_fail(err, CFDW_ERR_JSON, "%s is HTML or XML, not JSON", where);
	cfdw_detail(err, "It starts with: %s", cfdw_excerpt(scratch, text, 120));
	cfdw_hint(err, "It may be a login page, or the page of a proxy. Check base_url, endpoint and auth.");
	return false;
}

bool
cfdw_lexer_fail(CfdwArena *scratch, const JsonLexContext *lex, JsonParseErrorType code,
				CfdwSlice text, CfdwSlice body, int line, CfdwError *err)
{
	const char *end = text.data + text.len;
	const char *first = cfdw_skip_blanks(text.data, end);
	const char *at = error_place(lex, code, end);
	const char *from = at - first > 20 ? at - 20 : first;
	char where[64] = "response body";

	if (line > 0)
		snprintf(where, sizeof(where), "line %d of the response body", line);
	if (first == end)
		return cfdw_fail(err, CFDW_ERR_CUT, "%s is empty", where);
	if (*first == '<')
		return fail_html(scratch, (CfdwSlice){first, end - first}, where, err);

	if (at == end && strchr("{[\"", *first) != NULL)
		cfdw_fail(err, CFDW_ERR_CUT, "%s is cut: its JSON is not complete", where);
	else if (code == JSON_EXPECTED_END)
		cfdw_fail(err, CFDW_ERR_JSON, "%s goes on after its JSON document", where);
	else
		cfdw_fail(err, CFDW_ERR_JSON, "%s is not valid JSON", where);
	while (from < at && ((unsigned char) *from & 0xc0) == 0x80)
		from++; /* begin at a character */
	cfdw_detail(err, "At byte %zu of %zu: %s, near \"%s\".", (size_t) (at - body.data) + 1, body.len,
				at == end ? "the text ends" : reason_of(code), cfdw_excerpt(scratch, (CfdwSlice){from, end - from}, 60));
	if (code == JSON_EXPECTED_END && line == 0)
		cfdw_hint(err, "If each line is a JSON document of its own, set response_format to 'ndjson'.");
	return false;
}

/* ---- where a body has arrays ---- */

typedef struct Finder
{
	JsonLexContext *lex;
	CfdwArena *scratch;
	CfdwSlice names[ARRAYS_DEPTH + 1]; /* by lex_level */
	int arrays;                        /* that are open */
	int found;
	CfdwBuf text;
} Finder;

static CfdwVerdict
finder_member(void *state, char *fname, bool isnull)
{
	Finder *finder = state;
	int level = finder->lex->lex_level;

	if (finder->arrays > 0 || level > ARRAYS_DEPTH || finder->found == ARRAYS_MAX)
		return CFDW_GO_ON;
	finder->names[level] = cfdw_lexer_name(finder->lex);
	if (finder->lex->token_type != JSON_TOKEN_ARRAY_START)
		return CFDW_GO_ON;
	cfdw_buf_puts(&finder->text, finder->found++ > 0 ? ", \"" : "\"");
	for (int i = 1; i <= level; i++)
		cfdw_name_to_pointer(&finder->text, cfdw_excerpt(finder->scratch, cfdw_name_unescape(finder->scratch, finder->names[i]), 40));
	cfdw_buf_putc(&finder->text, '"');
	return CFDW_GO_ON;
}

static CfdwVerdict
finder_array_start(void *state)
{
	((Finder *) state)->arrays++;
	return CFDW_GO_ON;
}

static CfdwVerdict
finder_array_end(void *state)
{
	((Finder *) state)->arrays--;
	return CFDW_GO_ON;
}

char *
cfdw_lexer_arrays(CfdwArena *scratch, CfdwSlice body)
{
	Finder finder = {.scratch = scratch, .lex = cfdw_lexer_new(body)};
	JsonSemAction actions = {.semstate = &finder, .object_field_start = finder_member, .array_start = finder_array_start, .array_end = finder_array_end};

	cfdw_buf_init(&finder.text, scratch);
	pg_parse_json(finder.lex, &actions);
	cfdw_lexer_free(finder.lex);
	return finder.text.data;
}
