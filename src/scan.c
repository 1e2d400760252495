/*
 * scan.c
 *	  One scan from its first fetch to its checkpoint.
 *
 * Begin reads options and nothing else: it also runs for LIMIT 0 and for
 * nodes that are never executed.  All else (who consumes, the lock, the first
 * request) happens when the first row is asked for.  The position is written
 * in End, which the executor calls only for a statement that got through.
 */
#include "scan.h"

#include "access/xact.h"
#include "catalog/pg_class.h"
#include "checkpoint.h"
#include "executor/executor.h"
#include "facts.h"
#include "fingerprint.h"
#include "miscadmin.h"
#include "option.h"
#include "order.h"
#include "plan.h"
#include "record.h"
#include "report.h"
#include "spec.h"
#include "utils/acl.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/rel.h"
#include "utils/timestamp.h"

typedef struct CfdwScan
{
	ForeignScanState *node;
	Oid foreign_table;
	CfdwOptions *options;
	MemoryContext context; /* of the scan */
	MemoryContext row;     /* reset for each record */

	bool opened;
	bool busy;                    /* on_busy = skip: another session loads, no rows here */
	const CfdwConsumer *consumer; /* NULL without a checkpoint */
	CfdwCheckpoint *checkpoint;   /* NULL: nothing to write */
	CfdwOpenScan *registered;
	char *fingerprint;
	CfdwRecordDecoder *decoder;
	CfdwDelivered *delivered;   /* modes with a store */
	CfdwOrderCheck *order;      /* the first page of a first walk; NULL: nothing to check */
	bool warned;                /* of columns that the first page does not have */
	bool past_beginning;        /* the walk begins after records handed up before */
	MemoryContext walk_context; /* of walk and pages */
	CfdwWalk *walk;
	int64 page;             /* of the record at hand */
	TimestampTz fetched_at; /* when that page came */
	TimestampTz started_at;
} CfdwScan;

static bool
is_moving(const CfdwScan *scan)
{
	return scan->consumer != NULL && scan->consumer->advances;
}

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
cfdwBeginForeignScan(ForeignScanState *node, int eflags)
{
	MemoryContext query = node->ss.ps.state->es_query_cxt;
	MemoryContext old;
	CfdwScan *scan;

	if (eflags & EXEC_FLAG_EXPLAIN_ONLY)
		return;
	scan = MemoryContextAllocZero(query, sizeof(CfdwScan));
	scan->node = node;
	scan->foreign_table = RelationGetRelid(node->ss.ss_currentRelation);
	scan->context = AllocSetContextCreate(query, "checkpoint_fdw scan", ALLOCSET_DEFAULT_SIZES);
	scan->row = AllocSetContextCreate(scan->context, "checkpoint_fdw row", ALLOCSET_DEFAULT_SIZES);
	old = MemoryContextSwitchTo(scan->context);
	scan->options = cfdw_options_for_table(scan->foreign_table, user_of(node));
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
	CfdwScan *scan = cfdw_scan_is_ours(node) ? node->fdw_state : NULL;

	return scan != NULL && scan->options->checkpoint != CFDW_MODE_NONE;
}

/* ---- the first fetch ---- */

/* Advancing is more than reading: it takes the records from everybody who loads with this consumer. */
static void
check_right_to_consume(const CfdwScan *scan)
{
	if (pg_class_aclcheck(scan->foreign_table, GetUserId(), ACL_UPDATE) != ACLCHECK_OK)
		ereport(ERROR,
				(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
				 errmsg("permission denied to advance the checkpoint of foreign table \"%s\"", get_rel_name(scan->foreign_table)),
				 errdetail("A statement that stores the rows of the table takes them from the loader; that needs the UPDATE privilege."),
				 errhint("SET checkpoint_fdw.advance = never to read without taking, or ask the owner for UPDATE on the table.")));
}

/* Lock the checkpoint; false: another session has it and we are to skip. */
static bool
take_checkpoint(CfdwScan *scan, const CfdwStream *stream)
{
	check_right_to_consume(scan);
	cfdw_consumer_check(scan->consumer);
	scan->registered = cfdw_checkpoint_enter(stream, scan->node->ss.ps.state->es_query_cxt);
	scan->checkpoint = cfdw_checkpoint_lock(stream, scan->consumer);
	if (scan->checkpoint == NULL)
	{
		ereport(NOTICE,
				(errmsg("another session loads foreign table \"%s\"; nothing was read", get_rel_name(scan->foreign_table))));
		return false;
	}
	cfdw_checkpoint_check_target(scan->checkpoint, scan->consumer);
	return true;
}

static void
warn_peek(const CfdwScan *scan)
{
	if (cfdw_consumer_inside_sink(scan->node))
		ereport(WARNING,
				(errcode(ERRCODE_WARNING),
				 errmsg("rows of foreign table \"%s\" read by a function are not consumed", get_rel_name(scan->foreign_table)),
				 errhint("Read the foreign table in the statement that stores the rows.")));
}

/* The store of delivered keys, for a walk that wants one. */
static void
open_store(CfdwScan *scan, const CfdwCheckpoint *from, CfdwWalkSpec *spec)
{
	Relation relation = scan->node->ss.ss_currentRelation;
	CfdwTimeColumn *time = NULL;

	if (!cfdw_mode_has_store(spec->mode))
		return;
	if (spec->mode == CFDW_MODE_TIMESTAMP)
	{
		time = cfdw_timecol_open(relation, scan->options);
		cfdw_timecol_rules(time, scan->options, &spec->time);
	}
	scan->delivered = cfdw_delivered_open(scan->checkpoint, is_moving(scan), from == NULL);
	spec->store = cfdw_facts_store(cfdw_facts_open(relation, time, scan->delivered));
}

static void
know_keys(CfdwScan *scan, const CfdwCheckpoint *from)
{
	int count;
	char **keys = cfdw_checkpoint_keys(from, !is_moving(scan), &count);

	for (int i = 0; i < count; i++)
		cfdw_walk_know(scan->walk, keys[i]);
}

static void
open_walk(CfdwScan *scan, const CfdwCheckpoint *from)
{
	CfdwWalkSpec *spec;
	CfdwPosition position;
	CfdwError err;

	scan->walk_context = AllocSetContextCreate(scan->context, "checkpoint_fdw walk", ALLOCSET_DEFAULT_SIZES);
	MemoryContextSwitchTo(scan->walk_context);
	spec = cfdw_spec_make(scan->foreign_table, scan->options, cfdw_record_has_key(scan->decoder));
	if (!is_moving(scan)) /* a peek shows all that is pending */
		spec->batch_pages = spec->batch_us = 0;
	open_store(scan, from, spec);
	if (!cfdw_position_parse(scan->walk_context, from ? from->position : NULL, &position, &err) ||
		!cfdw_walk_open(scan->walk_context, spec, &position, &scan->walk, &err))
		cfdw_report(&err);
	if (scan->delivered == NULL && from != NULL)
		know_keys(scan, from);
	scan->past_beginning = position.has_page || position.since.exists || position.sync_token != NULL;
	scan->order = scan->past_beginning ? NULL : cfdw_order_open(scan->node->ss.ss_currentRelation, scan->options);
	scan->page = 0;
}

/* Loading from a table without a checkpoint is legal, but not what most people want: say so once. */
static void
notice_no_checkpoint(CfdwScan *scan)
{
	static List *told = NIL;
	MemoryContext old;

	if (!cfdw_consumer_of(scan->node)->advances || list_member_oid(told, scan->foreign_table))
		return;
	old = MemoryContextSwitchTo(TopMemoryContext);
	told = lappend_oid(told, scan->foreign_table);
	MemoryContextSwitchTo(old);
	ereport(NOTICE,
			(errmsg("foreign table \"%s\" has no checkpoint: each statement reads all its records again", get_rel_name(scan->foreign_table)),
			 errhint("Set the option checkpoint on the table to load only what is new.")));
}

/* Who consumes, and from where on?  Locks the checkpoint of a scan that advances. */
static const CfdwCheckpoint *
find_start(CfdwScan *scan)
{
	CfdwStream stream = {scan->foreign_table, pstrdup(cfdw_guc_consumer), "{}"};

	if (scan->options->checkpoint == CFDW_MODE_NONE)
	{
		notice_no_checkpoint(scan);
		return NULL;
	}
	scan->consumer = cfdw_consumer_of(scan->node);
	if (is_moving(scan))
		scan->busy = !take_checkpoint(scan, &stream);
	else
	{
		cfdw_consumer_check(scan->consumer);
		warn_peek(scan);
	}
	if (scan->busy)
		return NULL;
	if (!is_moving(scan))
		scan->checkpoint = cfdw_checkpoint_read(&stream);
	scan->fingerprint = cfdw_fingerprint_make(scan->foreign_table, scan->options);
	if (scan->consumer->from_beginning)
		return NULL;
	cfdw_checkpoint_check_meaning(scan->checkpoint, scan->fingerprint);
	return scan->checkpoint;
}

/* The first fetch: everything but the request itself, which the first record brings. */
static void
open_scan(CfdwScan *scan)
{
	const CfdwCheckpoint *from = find_start(scan);

	if (scan->decoder == NULL)
		scan->decoder = cfdw_record_open(scan->node->ss.ss_currentRelation,
										 cfdw_plan_wanted((ForeignScan *) scan->node->ss.ps.plan));
	if (!scan->busy)
		open_walk(scan, from);
	scan->started_at = GetCurrentTimestamp();
	scan->opened = true;
}

/* ---- rows ---- */

/* Decode a record into the slot and ask the walk whether it is new. */
static bool
take_record(CfdwScan *scan, const CfdwWalkRecord *record, TupleTableSlot *slot)
{
	CfdwRecordInfo info = {record->bytes, record->member, scan->page, record->number, scan->fetched_at};
	char *key = NULL;
	bool hand_up;
	CfdwError err;

	MemoryContextReset(scan->row);
	MemoryContextSwitchTo(scan->row);
	cfdw_record_decode(scan->decoder, &info, slot->tts_values, slot->tts_isnull);
	if (scan->order != NULL)
		cfdw_order_note(scan->order, slot->tts_values, slot->tts_isnull);
	if (scan->options->checkpoint != CFDW_MODE_NONE)
		key = cfdw_record_key(scan->decoder, &info, slot->tts_values, slot->tts_isnull);
	if (!cfdw_walk_offer(scan->walk, key, &hand_up, &err))
		cfdw_report(&err);
	return hand_up;
}

/* After the first page: a column that no record has is probably misnamed, and the list may be in the wrong order. */
static void
leave_page(CfdwScan *scan)
{
	if (scan->page > 0 && scan->order != NULL)
	{
		cfdw_order_finish(scan->order);
		scan->order = NULL;
	}
	if (scan->page > 0 && !scan->warned)
		cfdw_record_warn_missing(scan->decoder);
	scan->warned = scan->warned || scan->page > 0;
}

/* Nothing new looks like an empty API to somebody who only looks: say once why. */
static void
notice_empty_peek(const CfdwScan *scan)
{
	static bool said = false;

	if (!scan->past_beginning || is_moving(scan) || said || cfdw_walk_counts(scan->walk)->records > 0)
		return;
	said = true;
	ereport(NOTICE,
			(errmsg("foreign table \"%s\" has no records after its checkpoint", get_rel_name(scan->foreign_table)),
			 errhint("SET checkpoint_fdw.start = beginning to read all records.")));
}

/* Fill the slot with the next new record; false at the end. */
static bool
next_row(CfdwScan *scan, TupleTableSlot *slot)
{
	CfdwWalkRecord record;
	CfdwError err;
	bool end;

	do
	{
		CHECK_FOR_INTERRUPTS();
		if (!cfdw_walk_next(scan->walk, &record, &end, &err))
			cfdw_report(&err);
		if (end)
		{
			leave_page(scan);
			notice_empty_peek(scan);
			return false;
		}
		if (scan->page != cfdw_walk_page_number(scan->walk))
		{
			leave_page(scan);
			scan->page = cfdw_walk_page_number(scan->walk);
			scan->fetched_at = GetCurrentTimestamp();
		}
	} while (!take_record(scan, &record, slot));
	return true;
}

/* A context line for whatever is raised while a row is made. */
static void
add_context(void *arg)
{
	CfdwScan *scan = arg;
	const char *name = get_rel_name(scan->foreign_table);

	if (scan->walk != NULL && cfdw_walk_page_number(scan->walk) > 0)
		errcontext("page " INT64_FORMAT " of foreign table \"%s\"", cfdw_walk_page_number(scan->walk), name);
	else
		errcontext("foreign table \"%s\"", name);
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
				 errmsg("could not read foreign table \"%s\" again after a concurrent update", get_rel_name(scan->foreign_table)),
				 errhint("Run the statement again, or load into a table of its own first.")));
	error_context_stack = &context;
	ExecClearTuple(slot);
	if (!scan->opened)
	{
		MemoryContextSwitchTo(scan->context);
		open_scan(scan);
	}
	if (!scan->busy && next_row(scan, slot))
		ExecStoreVirtualTuple(slot);
	MemoryContextSwitchTo(old);
	error_context_stack = context.previous;
	return slot;
}

/* ---- once more, and the end ---- */

void
cfdwReScanForeignScan(ForeignScanState *node)
{
	CfdwScan *scan = node->fdw_state;

	if (!scan->opened || scan->busy)
		return;
	if (is_moving(scan) && cfdw_walk_counts(scan->walk)->records > 0)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("the plan reads foreign table \"%s\" again after it has taken records from it", get_rel_name(scan->foreign_table)),
				 errhint("Load into a temporary table first (CREATE TEMP TABLE … ON COMMIT DROP AS SELECT …, in a transaction block), then join that.")));
	/* the next fetch begins where this one began */
	MemoryContextDelete(scan->walk_context);
	scan->walk = NULL;
	if (scan->registered != NULL)
		cfdw_checkpoint_leave(scan->registered);
	scan->opened = false;
}

/* The position and the keys go into the catalog, in the transaction of the rows. */
static void
write_checkpoint(CfdwScan *scan)
{
	int64 from = 0;
	CfdwKeep keep;

	if (scan->delivered != NULL && cfdw_checkpoint_has_moved(scan->checkpoint, scan->walk))
	{
		keep = cfdw_walk_keep(scan->walk, &from);
		cfdw_delivered_finish(scan->delivered, keep, from);
	}
	cfdw_checkpoint_write(scan->checkpoint, scan->walk, scan->delivered == NULL, scan->consumer, scan->fingerprint, scan->started_at);
	if (scan->checkpoint->batch > 0 && scan->consumer->target_is_new)
		ereport(NOTICE,
				(errmsg("the checkpoint of foreign table \"%s\" was advanced by batch " INT64_FORMAT,
						get_rel_name(scan->foreign_table), scan->checkpoint->batch)));
}

void
cfdwEndForeignScan(ForeignScanState *node)
{
	CfdwScan *scan = node->fdw_state;
	MemoryContext old;

	if (scan == NULL)
		return;
	if (scan->walk != NULL && is_moving(scan))
	{
		old = MemoryContextSwitchTo(scan->context);
		write_checkpoint(scan);
		MemoryContextSwitchTo(old);
	}
	if (scan->registered != NULL)
		cfdw_checkpoint_leave(scan->registered);
	MemoryContextDelete(scan->context);
	node->fdw_state = NULL;
}
