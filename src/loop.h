/*
 * loop.h
 *	  Does the API make progress?
 *
 * The same request and the same bytes again mean that a walk would never end,
 * at once or in a cycle of pages.  A constant cursor alone is fine (Crossref
 * serves one with other records behind it each time).  For cycles one page is
 * remembered and two numbers counted (R. P. Brent, "An improved Monte Carlo
 * factorization algorithm", BIT 20, 1980), which is small enough to be kept in
 * the position over any number of statements.
 */
#ifndef CFDW_LOOP_H
#define CFDW_LOOP_H

#include "pagination.h"

typedef struct CfdwLoop
{
	uint64 digest[2]; /* of the remembered page: its bytes, and its request */
	int64 power;      /* 0: nothing remembered yet */
	int64 length;
} CfdwLoop;

/* The page before, in memory only. */
typedef struct CfdwLastPage
{
	bool exists;
	uint64 digest[2]; /* as in CfdwLoop */
	int same;         /* pages in a row before it with the same bytes */
} CfdwLastPage;

/*
 * Take note of a page; true if it has been there before.  request is a hash of
 * what was asked.  may_repeat: so often in a row other requests may bring the
 * same bytes.  Where steps are counted by us, an API that ignores its paging
 * parameter does that for ever; a list that grows at its head does it once.
 */
extern bool cfdw_loop_repeats(CfdwLoop *loop, CfdwLastPage *last, uint64 request, CfdwSlice body, int may_repeat);

#endif /* CFDW_LOOP_H */
