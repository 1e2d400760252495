/*
 * reject.h
 *	  Option on_record_error reject: a record that does not fit the columns
 *	  goes among the dead letters, and the walk goes on.
 *
 * To the walk it is processed like any other: its key is known from then on.
 * If the API serves it again it is dropped; a version with other bytes, which
 * may have been put right, is let through in spite of the known key.
 */
#ifndef CFDW_REJECT_H
#define CFDW_REJECT_H

#include "checkpoint.h"
#include "record.h"

typedef struct CfdwRejects CfdwRejects;

/*
 * Read what has been rejected from a stream, in the current context.  writes:
 * the scan advances; else it only says at its end what it has passed over.
 */
extern CfdwRejects *cfdw_rejects_open(CfdwCheckpoint *checkpoint, const char *table, bool writes);

/* Is this another version of a record that is known because it was rejected? */
extern bool cfdw_rejects_reopens(const CfdwRejects *rejects, const char *key, const CfdwStamp *stamp, CfdwSlice record);

/* Has this scan handed up another version already? */
extern bool cfdw_rejects_corrected(const CfdwRejects *rejects, const char *key, const CfdwStamp *stamp);

typedef enum CfdwDecoded
{
	CFDW_DECODED,
	CFDW_REJECTED,
	CFDW_REJECTED_AGAIN /* the same bytes, which are kept already */
} CfdwDecoded;

/*
 * cfdw_record_decode in a subtransaction, in the current context; an error of
 * the record's data rejects it.  Raises all other errors; before
 * PostgreSQL 17 also 0A000 in parallel mode.
 */
extern CfdwDecoded cfdw_rejects_decode(CfdwRejects *rejects, CfdwRecordDecoder *decoder, const CfdwRecordInfo *info, const char *key,
									   const CfdwStamp *stamp, Datum *values, bool *isnull);

/* The scan is over: WARNING about what a peek has passed over. */
extern void cfdw_rejects_finish(const CfdwRejects *rejects);

#endif /* CFDW_REJECT_H */
