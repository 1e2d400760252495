/*
 * token.c
 *	  Members and elements of checked JSON text.
 */
#include "token.h"

#include "lexer.h"

/* Behind the closing quote of a string whose opening quote is at p, NULL if it has none. */
static const char *
skip_string(const char *p, const char *end)
{
	const char *quote = p;

	while ((quote = memchr(quote + 1, '"', end - quote - 1)) != NULL)
	{
		const char *before = quote;

		while (before[-1] == '\\')
			before--;
		if ((quote - before) % 2 == 0)
			return quote + 1; /* else it is escaped */
	}
	return NULL;
}

/* Behind the closing bracket of an object or array that starts at p, NULL if it has none. */
static const char *
skip_nested(const char *p, const char *end)
{
	int depth = 0;

	while (p != NULL && p < end)
	{
		char c = *p;

		if (c == '"')
		{
			p = skip_string(p, end);
			continue;
		}
		p++;
		if (c == '{' || c == '[')
			depth++;
		else if ((c == '}' || c == ']') && --depth == 0)
			return p;
	}
	return NULL;
}

/* Behind a number, true, false or null, NULL if there is nothing. */
static const char *
skip_word(const char *p, const char *end)
{
	const char *start = p;

	while (p < end && (isalnum((unsigned char) *p) || *p == '-' || *p == '+' || *p == '.'))
		p++;
	return p > start ? p : NULL;
}

static const char *
skip_value(const char *p, const char *end)
{
	if (p == end)
		return NULL;
	if (*p == '"')
		return skip_string(p, end);
	if (*p == '{' || *p == '[')
		return skip_nested(p, end);
	return skip_word(p, end);
}

void
cfdw_tokens_open(CfdwTokens *tokens, CfdwSlice json)
{
	tokens->end = json.data + json.len;
	tokens->next = cfdw_skip_blanks(json.data, tokens->end);
	tokens->object = tokens->next < tokens->end && *tokens->next == '{';
	tokens->malformed = !tokens->object && (tokens->next == tokens->end || *tokens->next != '[');
}

static bool
malformed(CfdwTokens *tokens)
{
	tokens->malformed = true;
	return false;
}

/* A member's name and its colon; p is at the value. */
static const char *
read_name(const char *p, const char *end, CfdwSlice *name)
{
	const char *behind;

	if (p == end || *p != '"' || (behind = skip_string(p, end)) == NULL)
		return NULL;
	name->data = p + 1;
	name->len = behind - p - 2;
	p = cfdw_skip_blanks(behind, end);
	return p < end && *p == ':' ? cfdw_skip_blanks(p + 1, end) : NULL;
}

bool
cfdw_tokens_next(CfdwTokens *tokens, CfdwSlice *name, CfdwSlice *value)
{
	const char *end = tokens->end;
	const char *p = tokens->next;
	const char *behind;

	if (tokens->malformed || p == end)
		return false;
	/* at the opening bracket, a comma or the closing bracket */
	if (*p == '}' || *p == ']')
		return false;
	p = cfdw_skip_blanks(p + 1, end);
	if (p < end && *p == (tokens->object ? '}' : ']'))
		return false; /* empty */
	if (tokens->object && (p = read_name(p, end, name)) == NULL)
		return malformed(tokens);
	if ((behind = skip_value(p, end)) == NULL)
		return malformed(tokens);
	value->data = p;
	value->len = behind - p;
	tokens->next = cfdw_skip_blanks(behind, end);
	if (tokens->next == end || (*tokens->next != ',' && *tokens->next != (tokens->object ? '}' : ']')))
		return malformed(tokens);
	return true;
}
