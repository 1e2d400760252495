/*
 * pointer.c
 *	  Parsing JSON Pointers.
 */
#include "pointer.h"

/* "0", or digits without a leading zero that fit an int64; anything else is no array index. */
static int64
array_index(const char *name, size_t len)
{
	int64 index = 0;

	if (len == 0 || (name[0] == '0' && len > 1))
		return -1;
	for (size_t i = 0; i < len; i++)
	{
		int digit = name[i] - '0';

		if (digit < 0 || digit > 9 || index > (PG_INT64_MAX - digit) / 10)
			return -1;
		index = index * 10 + digit;
	}
	return index;
}

/* Copy len bytes of a segment and undo ~0 and ~1.  false: a "~" before anything else. */
static bool
unescape(CfdwArena *arena, const char *text, size_t len, CfdwSegment *segment)
{
	char *name = cfdw_alloc(arena, len + 1);
	size_t used = 0;

	for (size_t i = 0; i < len; i++)
	{
		char c = text[i];

		if (c == '~')
		{
			char code = i + 1 < len ? text[i + 1] : '\0';

			if (code != '0' && code != '1')
				return false;
			c = code == '0' ? '~' : '/';
			i++;
		}
		name[used++] = c;
	}
	segment->name = name;
	segment->len = used;
	return true;
}

bool
cfdw_pointer_parse(CfdwArena *arena, const char *text, bool allow_wildcard, CfdwPointer *out, CfdwError *err)
{
	const char *rest = text;
	int count = 0;

	memset(out, 0, sizeof(*out));
	if (text[0] != '\0' && text[0] != '/')
	{
		cfdw_fail(err, CFDW_ERR_OPTION, "\"%s\" is not a JSON pointer", text);
		cfdw_hint(err, "A JSON pointer starts with a slash: \"/%s\".", text);
		return false;
	}
	for (const char *p = text; *p != '\0'; p++)
		count += *p == '/';
	out->segments = cfdw_alloc(arena, sizeof(CfdwSegment) * (size_t) count);

	while (*rest == '/')
	{
		CfdwSegment *segment = &out->segments[out->count];
		size_t len = strcspn(rest + 1, "/");

		if (!unescape(arena, rest + 1, len, segment))
		{
			cfdw_fail(err, CFDW_ERR_OPTION, "\"%s\" is not a JSON pointer", text);
			cfdw_hint(err, "In a JSON pointer \"~\" is written \"~0\", and \"/\" inside a name \"~1\".");
			return false;
		}
		segment->index = array_index(segment->name, segment->len);
		segment->wildcard = len == 1 && rest[1] == '*';
		if (segment->wildcard && !allow_wildcard)
		{
			cfdw_fail(err, CFDW_ERR_OPTION, "JSON pointer \"%s\" has a wildcard", text);
			cfdw_hint(err, "A \"*\" segment works in records_path only; name one element or member here.");
			return false;
		}
		out->has_wildcard |= segment->wildcard;
		out->count++;
		rest += 1 + len;
	}
	return true;
}
