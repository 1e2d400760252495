/*
 * consumer.c
 *	  Who consumes the rows of a scan (see consumer.h).
 *
 * The hooks see destination and plan together, in time even for the first
 * statement of a session.  What they find is kept per scan, in memory of the
 * statement, and found again by the scan's state: modifying CTEs and AFTER
 * triggers run outside ExecutorRun, and statements nest, so that "the
 * statement running now" would be the wrong one.
 */
#include "consumer.h"

#include "access/tableam.h"
#include "access/xact.h"
#include "access/xlog.h"
#include "executor/executor.h"
#include "flow.h"
#include "lib/ilist.h"
#include "miscadmin.h"
#include "nodes/parsenodes.h"
#include "nodes/plannodes.h"
#include "target.h"
#include "utils/rel.h"
#include "utils/syscache.h"

int cfdw_guc_advance = CFDW_ADVANCE_AUTO;
int cfdw_guc_start = CFDW_START_CHECKPOINT;
int cfdw_guc_plan_guard = CFDW_GUARD_ERROR;

/* What was decided for one of our scans. */
typedef struct Decision
{
	const CfdwFlowScan *scan;
	bool checkpointed;
	bool peeks; /* though nothing forbids it to advance */
	CfdwConsumer consumer;
} Decision;

/* A statement with at least one of our scans; lives in es_query_cxt. */
typedef struct Statement
{
	dlist_node link;
	QueryDesc *queryDesc;
	EState *estate;
	DestReceiver *into; /* CREATE TABLE AS: its receiver, which knows the table later */
	CfdwFlow flow;
	List *decisions; /* of Decision */
	bool advances;
	bool nested;      /* runs inside another statement's executor */
	bool inside_sink; /* runs inside one that modifies */
} Statement;

/* Executor levels of this backend, innermost first. */
typedef struct Level
{
	struct Level *outer;
	bool modifies;
} Level;

static dlist_head statements = DLIST_STATIC_INIT(statements);
static Level *innermost = NULL;

static bool (*is_our_scan)(ForeignScanState *node);
static bool (*is_checkpointed_scan)(ForeignScanState *node);

static ExecutorStart_hook_type next_executor_start;
static ExecutorRun_hook_type next_executor_run;
static ExecutorFinish_hook_type next_executor_finish;

static const CfdwConsumer undecided = {.reason = "the statement has not run"};

static const char *
table_name(const CfdwFlowScan *scan)
{
	return RelationGetRelationName(scan->node->ss.ss_currentRelation);
}

/* User-defined functions may read anything; the plan lists them, without saying how volatile they are. */
static bool
calls_user_function(const PlannedStmt *plan)
{
	ListCell *cell;

	foreach(cell, plan->invalItems)
	{
		if (lfirst_node(PlanInvalItem, cell)->cacheId == PROCOID)
			return true;
	}
	return false;
}

static bool
is_into_table(DestReceiver *dest)
{
	IntoClause *into = cfdw_target_into_clause(dest);

	return into != NULL && into->viewQuery == NULL;
}

/* pg_dump can have any application_name, but it always sets these, and hardly anybody else does. */
static bool
is_pg_dump(void)
{
	return XactReadOnly && IsolationUsesXactSnapshot() && !synchronize_seqscans;
}

/* The reason why no scan of the statement may advance, or NULL; and where they start. */
static const char *
why_not(const QueryDesc *queryDesc, bool *from_beginning)
{
	DestReceiver *dest = queryDesc->dest;
	IntoClause *into = cfdw_target_into_clause(dest);

	*from_beginning = true;
	if (dest->mydest == DestTransientRel || (into != NULL && into->viewQuery != NULL))
		return "a materialized view holds everything";
	if (InSecurityRestrictedOperation())
		return "security-restricted operation";
	if (is_pg_dump())
		return "pg_dump saves everything";
	*from_beginning = cfdw_guc_start == CFDW_START_BEGINNING;
	if (RecoveryInProgress())
		return "standby";
	if (XactReadOnly)
		return "read-only transaction";
	if (cfdw_guc_advance == CFDW_ADVANCE_NEVER)
		return "checkpoint_fdw.advance is never";
	return NULL;
}

static const char *
describe(const CfdwFlowScan *scan, bool creates)
{
	if (scan->feeds && scan->sinks == NIL)
		return creates ? "its rows flow into a new table" : "its rows flow into the table of an outer statement";
	if (scan->feeds)
	{
		switch (linitial_node(ModifyTableState, scan->sinks)->operation)
		{
			case CMD_INSERT:
				return "its rows flow into INSERT";
			case CMD_UPDATE:
				return "its rows flow into UPDATE";
			case CMD_DELETE:
				return "its rows flow into DELETE";
			default:
				return "its rows flow into MERGE";
		}
	}
	return scan->in_subselect ? "it is read by a sub-select" : "its rows are only read";
}

/* The plan guard's word on a scan that feeds a sink or helps to. */
static void
guard(Decision *decision)
{
	CfdwConsumer *consumer = &decision->consumer;
	CfdwGuardPath path = decision->scan->path;

	if (!decision->scan->feeds)
		cfdw_guard_break(&path, CFDW_GUARD_SUBSELECT, NULL);
	if (path.rule == CFDW_GUARD_PASSED)
		return;
	cfdw_guard_refuse(&path, table_name(decision->scan), &consumer->refusal);
	consumer->refusal_sqlstate = ERRCODE_FEATURE_NOT_SUPPORTED;
	consumer->refusal_is_guard = true;
}

static void
conclude(Statement *statement, Decision *decision, const char *never, bool from_beginning, bool insert_only)
{
	const CfdwFlowScan *scan = decision->scan;
	CfdwConsumer *consumer = &decision->consumer;
	ListCell *cell;

	consumer->snapshot = statement->estate->es_snapshot;
	consumer->from_beginning = from_beginning;
	consumer->reason = never ? never : describe(scan, statement->into != NULL);
	consumer->advances = never == NULL && scan->feeds;
	decision->peeks = never == NULL && !scan->feeds;
	consumer->insert_only = consumer->advances && insert_only;
	if (never || !decision->checkpointed)
		return;
	if (scan->feeds || scan->in_subselect)
		guard(decision);
	if (consumer->advances)
		statement->advances = true;
	foreach(cell, scan->sinks)
		cfdw_target_modified(consumer, table_name(scan), statement->queryDesc, lfirst(cell), statement->nested);
}

static void
decide(Statement *statement)
{
	QueryDesc *queryDesc = statement->queryDesc;
	CfdwFlow *flow = &statement->flow;
	bool into_table = is_into_table(queryDesc->dest);
	bool from_beginning;
	const char *never = why_not(queryDesc, &from_beginning);
	bool insert_only = (into_table || queryDesc->operation == CMD_INSERT) && !queryDesc->plannedstmt->hasModifyingCTE &&
					   !flow->reads_others && !calls_user_function(queryDesc->plannedstmt);
	ListCell *cell;

	if (into_table)
		statement->into = queryDesc->dest;
	flow->everything = from_beginning;
	/* Citus runs INSERT … SELECT as a SELECT whose rows a COPY of its own takes, inside the INSERT */
	cfdw_flow_follow(flow, queryDesc, into_table || (statement->inside_sink && cfdw_target_is_foreign_copy(queryDesc->dest)));
	foreach(cell, flow->scans)
	{
		Decision *decision = palloc0(sizeof(Decision));

		decision->scan = lfirst(cell);
		decision->checkpointed = is_checkpointed_scan(decision->scan->node);
		conclude(statement, decision, never, from_beginning, insert_only);
		statement->decisions = lappend(statement->decisions, decision);
	}
}

static void
forget(void *arg)
{
	dlist_delete(&((Statement *) arg)->link);
}

static Statement *
statement_of(const EState *estate)
{
	dlist_iter iter;

	dlist_foreach(iter, &statements)
	{
		Statement *statement = dlist_container(Statement, link, iter.cur);

		if (statement->estate == estate)
			return statement;
	}
	return NULL;
}

static bool
has_foreign_table(const EState *estate)
{
	ListCell *cell;

	foreach(cell, estate->es_range_table)
	{
		if (lfirst_node(RangeTblEntry, cell)->relkind == RELKIND_FOREIGN_TABLE)
			return true;
	}
	return false;
}

/* Decide for all our scans of a statement, once. */
static Statement *
decide_once(QueryDesc *queryDesc)
{
	EState *estate = queryDesc->estate;
	Statement *statement = statement_of(estate);
	MemoryContext caller;

	if (statement != NULL || !has_foreign_table(estate))
		return statement;
	caller = MemoryContextSwitchTo(estate->es_query_cxt);
	statement = palloc0(sizeof(Statement));
	statement->queryDesc = queryDesc;
	statement->estate = estate;
	statement->nested = innermost != NULL;
	for (Level *level = innermost; level != NULL; level = level->outer)
		statement->inside_sink |= level->modifies;
	cfdw_flow_survey(&statement->flow, queryDesc, is_our_scan);
	if (statement->flow.scans != NIL)
	{
		decide(statement);
		dlist_push_head(&statements, &statement->link);
		cfdw_arena_on_reset(estate->es_query_cxt, forget, statement);
	}
	MemoryContextSwitchTo(caller);
	return statement;
}

static bool
modifies(const QueryDesc *queryDesc)
{
	return queryDesc->operation != CMD_SELECT || queryDesc->plannedstmt->hasModifyingCTE || is_into_table(queryDesc->dest);
}

static void
executor_start(QueryDesc *queryDesc, int eflags)
{
	if (next_executor_start)
		next_executor_start(queryDesc, eflags);
	else
		standard_ExecutorStart(queryDesc, eflags);
	if (eflags & EXEC_FLAG_EXPLAIN_ONLY)
		decide_once(queryDesc); /* EXPLAIN never runs, and shows the decision */
}

#if PG_VERSION_NUM >= 180000
#define RUN_ONCE_PARAM
#define RUN_ONCE_ARG
#else
#define RUN_ONCE_PARAM , bool execute_once
#define RUN_ONCE_ARG   , execute_once && !advances
#endif

/*
 * An advancing statement must not enter parallel mode, in which nothing may
 * be written.  A plan that runs for a second time never does; up to 17, early
 * minor releases want to hear that it may (execute_once is false) instead.
 */
static void
executor_run(QueryDesc *queryDesc, ScanDirection direction, uint64 count RUN_ONCE_PARAM)
{
	const Statement *statement = decide_once(queryDesc);
	const bool advances = statement != NULL && statement->advances;
	Level level = {.outer = innermost, .modifies = modifies(queryDesc)};

	if (advances)
		queryDesc->already_executed = true;
	innermost = &level;
	PG_TRY();
	{
		if (next_executor_run)
			next_executor_run(queryDesc, direction, count RUN_ONCE_ARG);
		else
			standard_ExecutorRun(queryDesc, direction, count RUN_ONCE_ARG);
	}
	PG_FINALLY();
	{
		innermost = level.outer;
	}
	PG_END_TRY();
}

static void
executor_finish(QueryDesc *queryDesc)
{
	Level level = {.outer = innermost, .modifies = modifies(queryDesc)};

	innermost = &level;
	PG_TRY();
	{
		if (next_executor_finish)
			next_executor_finish(queryDesc);
		else
			standard_ExecutorFinish(queryDesc);
	}
	PG_FINALLY();
	{
		innermost = level.outer;
	}
	PG_END_TRY();
}

void
cfdw_consumer_install(bool (*is_ours)(ForeignScanState *node), bool (*is_checkpointed)(ForeignScanState *node))
{
	is_our_scan = is_ours;
	is_checkpointed_scan = is_checkpointed;
	next_executor_start = ExecutorStart_hook;
	ExecutorStart_hook = executor_start;
	next_executor_run = ExecutorRun_hook;
	ExecutorRun_hook = executor_run;
	next_executor_finish = ExecutorFinish_hook;
	ExecutorFinish_hook = executor_finish;
}

static Decision *
decision_of(ForeignScanState *node, Statement **statement)
{
	ListCell *cell;

	*statement = statement_of(node->ss.ps.state);
	if (*statement == NULL)
		return NULL;
	foreach(cell, (*statement)->decisions)
	{
		if (((Decision *) lfirst(cell))->scan->node == node)
			return lfirst(cell);
	}
	return NULL;
}

/* CREATE TABLE AS has made its table by the time of the first fetch, and not before. */
static void
complete_target(Statement *statement, Decision *decision)
{
	CfdwConsumer *consumer = &decision->consumer;
	MemoryContext caller;

	if (!consumer->advances || !decision->checkpointed || decision->scan->sinks != NIL || OidIsValid(consumer->target) ||
		statement->into == NULL || cfdw_target_into_relation(statement->into) == NULL)
		return;
	caller = MemoryContextSwitchTo(statement->estate->es_query_cxt);
	cfdw_target_created(consumer, table_name(decision->scan), statement->into, statement->nested);
	MemoryContextSwitchTo(caller);
}

const CfdwConsumer *
cfdw_consumer_of(ForeignScanState *node)
{
	Statement *statement;
	Decision *decision = decision_of(node, &statement);

	if (decision == NULL)
		return &undecided;
	complete_target(statement, decision);
	return &decision->consumer;
}

void
cfdw_consumer_check(const CfdwConsumer *consumer)
{
	const CfdwError *refusal = &consumer->refusal;
	int elevel = ERROR;

	if (refusal->kind == CFDW_OK || (consumer->refusal_is_guard && cfdw_guc_plan_guard == CFDW_GUARD_OFF))
		return;
	if (consumer->refusal_is_guard && cfdw_guc_plan_guard == CFDW_GUARD_WARNING)
		elevel = WARNING;
	ereport(elevel,
			errcode(consumer->refusal_sqlstate),
			errmsg("%s", refusal->message),
			errdetail("%s", refusal->detail),
			errhint("%s", refusal->hint));
}

bool
cfdw_consumer_inside_sink(ForeignScanState *node)
{
	Statement *statement;
	Decision *decision = decision_of(node, &statement);

	return decision != NULL && decision->peeks && statement->inside_sink;
}
