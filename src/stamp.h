/*
 * stamp.h
 *	  A timestamp as a walk sees it: a number to compare, and the text as the
 *	  API wrote it.
 *
 * The number counts ticks: microseconds since 1970 for times, the value
 * itself for whole numbers.  Comparing ticks is comparing in the column's
 * type; the text is kept because a number cannot give it back.
 */
#ifndef CFDW_STAMP_H
#define CFDW_STAMP_H

#include "base.h"

typedef struct CfdwStamp
{
	bool exists;
	int64 tick;
	const char *text; /* NULL: must be rendered */
} CfdwStamp;

extern CfdwStamp cfdw_stamp_copy(CfdwArena *arena, const CfdwStamp *stamp);

/* The later of two; one that does not exist is before all others. */
extern CfdwStamp cfdw_stamp_max(CfdwStamp a, CfdwStamp b);
extern CfdwStamp cfdw_stamp_min(CfdwStamp a, CfdwStamp b);

/* The largest multiple of unit (> 0) that is not above tick. */
extern int64 cfdw_tick_floor(int64 tick, int64 unit);

/* tick - distance, at the bounds of the type instead of beyond them. */
extern int64 cfdw_tick_before(int64 tick, int64 distance);

#endif /* CFDW_STAMP_H */
