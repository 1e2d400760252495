/*
 * scan.c
 *	  One scan from its first fetch to its end.
 *
 * Begin reads options and nothing else: it also runs for LIMIT 0 and for
 * nodes that are never executed.  All else (who consumes, the lock, the first
 * request) happens when the first row is asked for.  The position of a stream
 * is written when its walk ends, or else in End, which the executor calls
 * only for a statement that got through.
 */
#include "scan.h"

#include "access/xact.h"
#include "catalog/pg_class.h"
#include "executor/executor.h"
#include "fingerprint.h"
#include "miscadmin.h"
#include "plan.h"
#include "progress.h"
#include "utils/acl.h"
#include "utils/memutils.h"
#include "utils/rel.h"

typedef struct CfdwScan
{
	CfdwScanCommon common;
	MemoryContext context;
	bool opened;                    /* it is known who consumes */
	bool started;                   /* the values of param columns are known; until the next ReScan */
	const CfdwPartition *partition; /* NULL: before the first, or after the last */
	CfdwReader *reader;             /* NULL: between two streams */
} CfdwScan;

/* Whose user mapping counts: the view's owner where a view stands in between. */
static Oid
user_of(ForeignScanState *node)
{
	ForeignScan *plan = (ForeignScan *) node->ss.ps.plan;
#if PG_VERSION_NUM >= 160000
	Oid user = plan->checkAsUser;
#else
	Oid user = exec_rt_fetch(plan->scan.scanrelid, node->ss.ps.state)->checkAsUser;
#endif

	return OidIsValid(user) ? user : GetUserId();
}

void
cfdw_scan_prepare(ForeignScanState *node, CfdwScanCommon *common)
{
	Relation relation = node->ss.ss_currentRelation;

	common->node = node;
	common->foreign_table = RelationGetRelid(relation);
	common->name = pstrdup(RelationGetRelationName(relation));
	common->options = cfdw_options_for_table(RelationGetRelid(relation), user_of(node));
	common->params = cfdw_params_open(relation);
	cfdw_params_check(common->params, common->options, relation);
	common->bound = cfdw_bound_open(node, common->params);
	common->row = AllocSetContextCreate(CurrentMemoryContext, "checkpoint_fdw row", ALLOCSET_DEFAULT_SIZES);
}

void
cfdwBeginForeignScan(ForeignScanState *node, int eflags)
{
	MemoryContext query = node->ss.ps.state->es_query_cxt;
	MemoryContext old;
	CfdwScan *scan;

	if (eflags & EXEC_FLAG_EXPLAIN_ONLY)
		return;
	scan = MemoryContextAllocZero(query, sizeof(CfdwScan));
	scan->context = AllocSetContextCreate(query, "checkpoint_fdw scan", ALLOCSET_DEFAULT_SIZES);
	old = MemoryContextSwitchTo(scan->context);
	cfdw_scan_prepare(node, &scan->common);
	MemoryContextSwitchTo(old);
	node->fdw_state = scan;
}

bool
cfdw_scan_is_ours(ForeignScanState *node)
{
	return node->fdwroutine != NULL && node->fdwroutine->IterateForeignScan == cfdwIterateForeignScan;
}

bool
cfdw_scan_is_checkpointed(ForeignScanState *node)
{
	CfdwScan *scan = node->fdw_state;

	if (!cfdw_scan_is_ours(node))
		return false;
	/* EXPLAIN has read no options yet; it shows what is decided here only of a table with a checkpoint */
	return scan == NULL || scan->common.options->checkpoint != CFDW_MODE_NONE;
}

const CfdwScanCommon *
cfdw_scan_begun(ForeignScanState *node, const CfdwReader **reader)
{
	CfdwScan *scan = node->fdw_state;

	*reader = scan ? scan->reader : NULL;
	return scan ? &scan->common : NULL;
}

/* ---- the first fetch ---- */

/* Advancing is more than reading: it takes the records from everybody who loads with this consumer. */
static void
check_right_to_consume(const CfdwScanCommon *common)
{
	if (pg_class_aclcheck(common->foreign_table, GetUserId(), ACL_UPDATE) != ACLCHECK_OK)
		ereport(ERROR,
				(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
				 errmsg("permission denied to advance the checkpoint of foreign table \"%s\"", common->name),
				 errdetail("A statement that stores the rows of the table takes them from the loader; that needs the UPDATE privilege."),
				 errhint("SET checkpoint_fdw.advance = never to read without taking, or ask the owner for UPDATE on the table.")));
}

static void
warn_peek(const CfdwScanCommon *common)
{
	if (cfdw_consumer_inside_sink(common->node))
		ereport(WARNING,
				(errcode(ERRCODE_WARNING),
				 errmsg("rows of foreign table \"%s\" read by a function are not consumed", common->name),
				 errhint("Read the foreign table in the statement that stores the rows.")));
}

/* Loading from a table without a checkpoint is legal, but not what most people want: say so once. */
static void
notice_no_checkpoint(const CfdwScanCommon *common)
{
	static List *told = NIL;
	MemoryContext old;

	if (!cfdw_consumer_of(common->node)->advances || list_member_oid(told, common->foreign_table))
		return;
	old = MemoryContextSwitchTo(TopMemoryContext);
	told = lappend_oid(told, common->foreign_table);
	MemoryContextSwitchTo(old);
	ereport(NOTICE,
			(errmsg("foreign table \"%s\" has no checkpoint: each statement reads all its records again", common->name),
			 errhint("Set the option checkpoint on the table to load only what is new.")));
}

/* Does one of the columns show the batch? */
static bool
shows_batch(Oid foreign_table, Bitmapset *columns)
{
	int attnum = -1;

	while ((attnum = bms_next_member(columns, attnum)) >= 0)
	{
		if (cfdw_options_for_column(foreign_table, attnum)->source == CFDW_SOURCE_BATCH)
			return true;
	}
	return false;
}

/* Who consumes, and may they? */
static void
check_consumer(CfdwScanCommon *common)
{
	common->consumer = cfdw_consumer_of(common->node);
	common->fingerprint = cfdw_fingerprint_make(common->foreign_table, common->options);
	if (common->consumer->advances)
		check_right_to_consume(common);
	cfdw_consumer_check(common->consumer);
}

void
cfdw_scan_check(CfdwScanCommon *common)
{
	Bitmapset *wanted = cfdw_plan_wanted((ForeignScan *) common->node->ss.ps.plan);

	if (common->options->checkpoint != CFDW_MODE_NONE)
		check_consumer(common);
	common->explained = common->node->ss.ps.state->es_instrument != 0;
	common->timed = (common->node->ss.ps.state->es_instrument & INSTRUMENT_TIMER) != 0;
	common->stamps = shows_batch(common->foreign_table, wanted);
	common->decoder = cfdw_record_open(common->node->ss.ss_currentRelation, wanted);
}

/* The first fetch: what all streams have in common. */
static void
open_scan(CfdwScan *scan)
{
	CfdwScanCommon *common = &scan->common;

	cfdw_scan_check(common);
	if (common->consumer == NULL)
		notice_no_checkpoint(common);
	else if (common->consumer->advances)
		common->visitor = cfdw_registry_open(common->node->ss.ps.state->es_query_cxt);
	else
		warn_peek(common);
	scan->opened = true;
}

/* ---- from stream to stream ---- */

static void
close_stream(CfdwScan *scan)
{
	CfdwReader *reader = scan->reader;

	if (reader == NULL)
		return;
	cfdw_stream_close(reader);
	scan->reader = NULL;
	scan->partition = NULL;
}

/* The first fetch after Begin or ReScan. */
static void
start(CfdwScan *scan)
{
	close_stream(scan);
	cfdw_bound_start(scan->common.bound);
	scan->started = true;
}

/* Open the next stream that is not busy; false: there is none. */
static bool
open_stream(CfdwScan *scan)
{
	while (scan->reader == NULL)
	{
		scan->partition = cfdw_bound_next(scan->common.bound);
		if (scan->partition == NULL)
			return false;
		scan->reader = cfdw_stream_open(&scan->common, scan->partition);
	}
	return true;
}

/* Fill the slot with the next new record of any stream; false at the end of the last. */
static bool
next_row(CfdwScan *scan, TupleTableSlot *slot)
{
	while (open_stream(scan))
	{
		if (cfdw_stream_next(scan->reader, slot))
			return true;
		MemoryContextSwitchTo(scan->context);
		close_stream(scan);
	}
	cfdw_progress_end(&scan->common);
	scan->common.exhausted = true;
	return false;
}

/* A context line for whatever is raised while a row is made. */
static void
add_context(void *arg)
{
	const CfdwScan *scan = arg;
	const char *name = scan->common.name;
	const char *partition = scan->partition != NULL && scan->common.params->count > 0 ? scan->partition->name : "";
	const char *comma = partition[0] != '\0' ? ", partition " : "";

	if (scan->reader != NULL && cfdw_stream_page(scan->reader) > 0)
		errcontext("page " INT64_FORMAT " of foreign table \"%s\"%s%s", cfdw_stream_page(scan->reader), name, comma, partition);
	else
		errcontext("foreign table \"%s\"%s%s", name, comma, partition);
}

TupleTableSlot *
cfdwIterateForeignScan(ForeignScanState *node)
{
	CfdwScan *scan = node->fdw_state;
	TupleTableSlot *slot = node->ss.ss_ScanTupleSlot;
	MemoryContext old = CurrentMemoryContext;
	ErrorContextCallback context = {error_context_stack, add_context, scan};

	if (node->ss.ps.state->es_epq_active != NULL)
		ereport(ERROR,
				(errcode(ERRCODE_T_R_SERIALIZATION_FAILURE),
				 errmsg("could not read foreign table \"%s\" again after a concurrent update", scan->common.name),
				 errhint("Run the statement again, or load into a table of its own first.")));
	error_context_stack = &context;
	ExecClearTuple(slot);
	MemoryContextSwitchTo(scan->context);
	if (!scan->opened)
		open_scan(scan);
	if (!scan->started)
		start(scan);
	if (next_row(scan, slot))
		ExecStoreVirtualTuple(slot);
	MemoryContextSwitchTo(old);
	error_context_stack = context.previous;
	return slot;
}

/* ---- once more, and the end ---- */

/* The next fetch begins anew; a statement may also end without one. */
void
cfdwReScanForeignScan(ForeignScanState *node)
{
	CfdwScan *scan = node->fdw_state;

	scan->started = false;
}

/* Nothing new looks like an empty API to somebody who only looks: say once why. */
static void
notice_empty_peek(const CfdwScanCommon *common)
{
	static bool said = false;

	if (!common->exhausted || !common->past_beginning || common->visitor != NULL || said || common->records > 0)
		return;
	said = true;
	ereport(NOTICE,
			(errmsg("foreign table \"%s\" has no records after its checkpoint", common->name),
			 errhint("SET checkpoint_fdw.start = beginning to read all records.")));
}

/* CREATE TABLE AS is easily run without a thought of the checkpoint. */
static void
notice_advanced(const CfdwScanCommon *common)
{
	if (common->batches == 0 || !common->consumer->target_is_new)
		return;
	if (common->batches == 1)
		ereport(NOTICE,
				(errmsg("the checkpoint of foreign table \"%s\" was advanced by batch " INT64_FORMAT, common->name, common->last_batch)));
	else
		ereport(NOTICE,
				(errmsg(INT64_FORMAT " checkpoints of foreign table \"%s\" were advanced by the batches " INT64_FORMAT " to " INT64_FORMAT,
						common->batches, common->name, common->first_batch, common->last_batch)));
}

void
cfdwEndForeignScan(ForeignScanState *node)
{
	CfdwScan *scan = node->fdw_state;
	ErrorContextCallback context = {error_context_stack, add_context, scan};

	if (scan == NULL)
		return;
	error_context_stack = &context;
	close_stream(scan);
	cfdw_progress_end(&scan->common);
	error_context_stack = context.previous;
	notice_empty_peek(&scan->common);
	notice_advanced(&scan->common);
	if (scan->common.visitor != NULL)
		cfdw_registry_leave(scan->common.visitor);
	MemoryContextDelete(scan->context);
	node->fdw_state = NULL;
}
