/*
 * consumer.h
 *	  Who consumes the rows of a scan: decided by data flow, once per scan,
 *	  when its statement first runs; and the plan guard, a white list of
 *	  plan shapes in which a record handed up is a record used.
 */
#ifndef CFDW_CONSUMER_H
#define CFDW_CONSUMER_H

#include "error.h"
#include "executor/execdesc.h"
#include "nodes/execnodes.h"

/* GUC values */
typedef enum CfdwAdvance
{
	CFDW_ADVANCE_AUTO,
	CFDW_ADVANCE_NEVER
} CfdwAdvance;
typedef enum CfdwStart
{
	CFDW_START_CHECKPOINT,
	CFDW_START_BEGINNING
} CfdwStart;
typedef enum CfdwGuard
{
	CFDW_GUARD_ERROR,
	CFDW_GUARD_WARNING,
	CFDW_GUARD_OFF
} CfdwGuard;
extern int cfdw_guc_advance;    /* checkpoint_fdw.advance */
extern int cfdw_guc_start;      /* checkpoint_fdw.start */
extern int cfdw_guc_plan_guard; /* checkpoint_fdw.plan_guard */

typedef struct CfdwConsumer
{
	bool advances;           /* the rows flow into a sink: lock and move the checkpoint, if the table has one */
	bool from_beginning;     /* a materialized view, or start = beginning */
	const char *reason;      /* for EXPLAIN: why it advances or not (untranslated phrase) */
	bool insert_only;        /* plain INSERT … SELECT [ON CONFLICT] over our tables only: may go on after a wait */
	Snapshot snapshot;       /* the statement's */
	Oid target;              /* result relation, or InvalidOid (CTAS: not yet known) */
	const char *target_name; /* qualified and quoted; NULL: none yet, or a temporary table */
	bool target_is_new;      /* CREATE TABLE AS, SELECT INTO */
	CfdwError refusal;       /* kind CFDW_OK, or what must be raised at the first fetch */
	int refusal_sqlstate;
	bool refusal_is_guard; /* true: subject to plan_guard; false: always raised */
} CfdwConsumer;

/*
 * Install the executor hooks (from _PG_init).  is_checkpointed(node) says
 * whether a ForeignScanState is one of ours with a checkpoint other than
 * none; is_ours whether it is one of ours at all.
 */
extern void cfdw_consumer_install(bool (*is_ours)(ForeignScanState *node), bool (*is_checkpointed)(ForeignScanState *node));

/*
 * The decision for a scan, made at its statement's first ExecutorRun; for a
 * scan that no hook has seen (should not happen) one that does not advance.
 */
extern const CfdwConsumer *cfdw_consumer_of(ForeignScanState *node);

/*
 * Raise or warn what the decision holds; called at the first fetch, after the
 * privilege checks, for a scan that does not advance too (a sub-select of a
 * statement that advances is refused).
 */
extern void cfdw_consumer_check(const CfdwConsumer *consumer);

/* Is this peek inside a function called by an enclosing statement that modifies? (WARNING: rows read by a function are not consumed) */
extern bool cfdw_consumer_inside_sink(ForeignScanState *node);

#endif /* CFDW_CONSUMER_H */
