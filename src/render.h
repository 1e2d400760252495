/*
 * render.h
 *	  An instant as the text that a request carries.
 */
#ifndef CFDW_RENDER_H
#define CFDW_RENDER_H

#include "option.h"
#include "pgtime.h"

typedef struct CfdwRender
{
	CfdwFormat format;   /* none: a plain number */
	const char *pattern; /* with CFDW_FORMAT_PATTERN: of to_char */
	pg_tz *zone;         /* of formats that write none */
	bool is_day;         /* a tick is midnight UTC of a day, which begins in the time zone */
	int64 granularity;   /* unit of the ticks that matter, in microseconds: decides about fractional digits */
} CfdwRender;

/* Is the text a number? */
extern bool cfdw_render_is_number(CfdwFormat format);

/* Ticks in a unit of an epoch format; 1 for a plain number. */
extern int64 cfdw_render_epoch_unit(CfdwFormat format);

/* The unit in which a format counts, in microseconds; pattern as above. */
extern int64 cfdw_render_unit(CfdwFormat format, const char *pattern);

/* Text of a tick (microseconds since 1970, or the number), rounded down, in the current context.  Raises for a pattern that to_char refuses. */
extern char *cfdw_render(const CfdwRender *render, int64 tick);

/* The tick of a time of day in a time zone. */
extern int64 cfdw_render_zoned(int64 wall_tick, pg_tz *zone);

#endif /* CFDW_RENDER_H */
