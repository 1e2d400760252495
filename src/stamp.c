/*
 * stamp.c
 *	  Arithmetic on timestamps as ticks.
 */
#include "stamp.h"

#include "common/int.h"

CfdwStamp
cfdw_stamp_copy(CfdwArena *arena, const CfdwStamp *stamp)
{
	CfdwStamp copy = *stamp;

	if (stamp->text != NULL)
		copy.text = cfdw_strdup(arena, stamp->text);
	return copy;
}

CfdwStamp
cfdw_stamp_max(CfdwStamp a, CfdwStamp b)
{
	return b.exists && (!a.exists || b.tick > a.tick) ? b : a;
}

CfdwStamp
cfdw_stamp_min(CfdwStamp a, CfdwStamp b)
{
	return !a.exists || (b.exists && a.tick <= b.tick) ? a : b;
}

int64
cfdw_tick_floor(int64 tick, int64 unit)
{
	int64 rest = tick % unit;

	if (rest < 0)
		rest += unit;
	return cfdw_tick_before(tick, rest);
}

int64
cfdw_tick_before(int64 tick, int64 distance)
{
	int64 result;

	if (pg_sub_s64_overflow(tick, distance, &result))
		return distance > 0 ? PG_INT64_MIN : PG_INT64_MAX;
	return result;
}
