/*
 * unpaged.h
 *	  A list that is read as one page: does the response say that there are
 *	  more?
 *
 * Whoever forgets the pagination options would get the first page and never
 * know.  The signs are those that APIs commonly give; none proves that there
 * is no other page.
 */
#ifndef CFDW_UNPAGED_H
#define CFDW_UNPAGED_H

#include "http.h"
#include "page.h"

/*
 * The sign, as a phrase for messages in arena, or NULL: a Link header with
 * rel="next" (RFC 8288), or, at the top of the body or in an object there, a
 * flag such as has_more that is true, or a member such as next or next_cursor
 * with a value.
 */
extern const char *cfdw_unpaged_sign(CfdwArena *arena, const CfdwResponse *response, const CfdwPage *page);

#endif /* CFDW_UNPAGED_H */
