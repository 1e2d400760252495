/*
 * nearest.c
 *	  The member whose name is nearest to a wrong one.
 */
#include "nearest.h"

#include "lexer.h"
#include "token.h"

#include "mb/pg_wchar.h"
#include "utils/varlena.h"

#define NAME_MAX_BYTES NAMEDATALEN /* longer member names are not compared */

/* Edits between a member's name and the wanted one, more than max if it is not to be named at all. */
static int
distance(CfdwSlice name, const CfdwSegment *wanted, int max)
{
	if (name.len > NAME_MAX_BYTES || wanted->len > NAME_MAX_BYTES || memchr(name.data, '\\', name.len) != NULL ||
		pg_encoding_verifymbstr(PG_UTF8, name.data, (int) name.len) != (int) name.len)
		return max + 1;
	return varstr_levenshtein_less_equal(name.data, (int) name.len, wanted->name, (int) wanted->len, 1, 1, 1, max, true);
}

/* Go down to the member that a segment names; if there is none, nearest gets the nearest name (data NULL: none). */
static bool
descend(CfdwSlice *json, const CfdwSegment *segment, CfdwSlice *nearest)
{
	CfdwTokens tokens;
	CfdwSlice name;
	CfdwSlice value;
	int best = (int) segment->len / 2;
	bool found = false;

	nearest->data = NULL;
	if (json->data[0] != '{')
		return false;
	cfdw_tokens_open(&tokens, *json);
	while (cfdw_tokens_next(&tokens, &name, &value))
	{
		int edits = distance(name, segment, best);

		if (edits == 0)
		{
			*json = value;
			found = true;
			continue;
		}
		if (edits <= best && (edits < best || nearest->data == NULL))
		{
			*nearest = name;
			best = edits;
		}
	}
	return found;
}

char *
cfdw_nearest_member(CfdwSlice record, const CfdwPointer *pointer)
{
	CfdwSlice nearest;
	CfdwBuf path;

	cfdw_buf_init(&path, CurrentMemoryContext);
	for (int i = 0; i < pointer->count; i++)
	{
		if (!descend(&record, &pointer->segments[i], &nearest))
		{
			if (nearest.data == NULL)
				return NULL;
			cfdw_name_to_pointer(&path, pnstrdup(nearest.data, nearest.len));
			return path.data;
		}
		cfdw_name_to_pointer(&path, pointer->segments[i].name);
	}
	return NULL;
}
