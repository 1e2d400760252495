/*
 * timecol.h
 *	  The timestamp column of a table: values to stamps, and stamps to the
 *	  text that the API is asked with.
 */
#ifndef CFDW_TIMECOL_H
#define CFDW_TIMECOL_H

#include "record.h"
#include "stamp.h"

typedef struct CfdwTimeColumn CfdwTimeColumn;

/*
 * For a table in mode timestamp, in the current context.  Raises if
 * timestamp_column is no column (42703), or of a type that is neither a time
 * nor a number (42804).
 */
extern CfdwTimeColumn *cfdw_timecol_open(Relation relation, const CfdwOptions *options);

/* Its attribute number, and its name. */
extern int cfdw_timecol_attnum(const CfdwTimeColumn *column);

/*
 * The stamp of the record that decoder has decoded last, with its text as the
 * API wrote it, in the current context; it does not exist for null.  Raises
 * for infinity and for values out of range (22008, 22003).
 */
extern CfdwStamp cfdw_timecol_stamp(const CfdwTimeColumn *column, const CfdwRecordDecoder *decoder, const Datum *values, const bool *isnull);

/* A stamp from text that a person wrote: timestamp_initial, a position set by hand. */
extern CfdwStamp cfdw_timecol_parse(const CfdwTimeColumn *column, const char *text);

/* The rules for the walk, in the current context, which must outlive the walk. */
extern void cfdw_timecol_rules(const CfdwTimeColumn *column, const CfdwOptions *options, CfdwTimeRules *rules);

#endif /* CFDW_TIMECOL_H */
