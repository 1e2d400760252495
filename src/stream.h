/*
 * stream.h
 *	  One stream of a scan, from its lock and first request to its checkpoint.
 *
 * A scan reads its streams one after the other, and has the memory of one
 * only.
 */
#ifndef CFDW_STREAM_H
#define CFDW_STREAM_H

#include "bound.h"
#include "option.h"
#include "portability/instr_time.h"
#include "record.h"
#include "registry.h"

typedef struct CfdwStreamTimes
{
	instr_time waits[CFDW_WAIT_BACKOFF + 1];
	instr_time read; /* pages and records, the waits for pages included */
} CfdwStreamTimes;

/* What the streams of a scan have in common. */
typedef struct CfdwScanCommon
{
	ForeignScanState *node;
	Oid foreign_table;
	const char *name; /* of the foreign table */
	CfdwOptions *options;
	const CfdwConsumer *consumer; /* NULL without a checkpoint */
	CfdwVisitor *visitor;         /* NULL: does not advance */
	const char *fingerprint;
	CfdwRecordDecoder *decoder;
	CfdwParams *params;
	CfdwBound *bound;
	bool stamps;       /* some column shows the batch */
	MemoryContext row; /* reset for each record */

	CfdwWalkCounts closed; /* what the streams did that are closed */
	bool explained;        /* EXPLAIN ANALYZE or something like it runs */
	bool timed;            /* … with TIMING */
	CfdwStreamTimes times;
	int64 streams;       /* opened */
	const char *began;   /* explained: JSON text of the position where the first stream began, NULL: the beginning … */
	const char *ended;   /* … and where it has ended */
	bool warned;         /* of columns that the first page does not have */
	bool exhausted;      /* the last stream has come to its end */
	bool past_beginning; /* some walk began after records handed up before */
	int64 records;       /* handed up by all streams */
	int64 batches;       /* written by all streams */
	int64 first_batch;
	int64 last_batch;
} CfdwScanCommon;

typedef struct CfdwReader CfdwReader;

/*
 * Open a stream, in a context of its own below the current one: lock or read
 * its checkpoint; no request yet.  NULL: another session has it, and on_busy
 * is skip.  partition must outlive the reader.
 */
extern CfdwReader *cfdw_stream_open(CfdwScanCommon *common, const CfdwPartition *partition);

/* Fill the slot with the next new record; false at the end.  Leaves the row's context as the current one. */
extern bool cfdw_stream_next(CfdwReader *reader, TupleTableSlot *slot);

/* Write the checkpoint, if the scan advances, and free all memory. */
extern void cfdw_stream_close(CfdwReader *reader);

/* What a scan did so far; reader is its open stream, or NULL. */
extern CfdwWalkCounts cfdw_stream_counts(const CfdwScanCommon *common, const CfdwReader *reader);

/* Where a later stream would go on, as of now. */
extern CfdwPosition cfdw_stream_position(const CfdwReader *reader);

/* Number of the page being read, 0 before the first. */
extern int64 cfdw_stream_page(const CfdwReader *reader);

#endif /* CFDW_STREAM_H */
