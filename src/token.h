/*
 * token.h
 *	  Walk over the members of a JSON object or the elements of an array.
 *
 * The bytes come from a page that the server's JSON parser has checked as a
 * whole (page.h), so nothing is checked a second time: the walk only has to
 * find where a value ends, which is several times as fast as lexing it
 * again.  Bytes that are no JSON end in a clean "malformed" or in nonsense
 * values, never outside the slice.  Nothing is de-escaped on the way, so an
 * escape that cannot be stored does no harm in a value that nobody wants.
 */
#ifndef CFDW_TOKEN_H
#define CFDW_TOKEN_H

#include "base.h"

typedef struct CfdwTokens
{
	const char *next; /* not read yet */
	const char *end;
	bool object;    /* else an array */
	bool malformed; /* the walk ended because the text is no JSON */
} CfdwTokens;

/* Start over the JSON text of an object or an array; any other text is malformed. */
extern void cfdw_tokens_open(CfdwTokens *tokens, CfdwSlice json);
/*
 * The next member or element, false after the last.  name is the bytes
 * between the quotes, still escaped (an array leaves it alone).
 */
extern bool cfdw_tokens_next(CfdwTokens *tokens, CfdwSlice *name, CfdwSlice *value);

static inline bool
cfdw_json_is_null(CfdwSlice json)
{
	return json.data == NULL || json.data[0] == 'n';
}

#endif /* CFDW_TOKEN_H */
