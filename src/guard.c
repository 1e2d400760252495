/*
 * guard.c
 *	  The plan guard's white list (see guard.h and DESIGN, "plan guard").
 *
 * What counts is not how many records a plan uses, but whether the scan can
 * know: it counts what it hands up.  A Limit that pulls one row at a time
 * stops the scan exactly; a Sort below it has taken every record by then.
 */
#include "guard.h"

#include "nodes/plannodes.h"

static bool
is_zero(Node *expression)
{
	Const *constant = (Const *) expression;

	return expression == NULL ||
		   (IsA(expression, Const) && !constant->constisnull && DatumGetInt64(constant->constvalue) == 0);
}

/* Nodes that hand up a row at once for each row they take, so that a Limit above them stops the scan exactly. */
static bool
is_lazy(PlanState *node)
{
	switch (nodeTag(node))
	{
		case T_ResultState:
		case T_SubqueryScanState:
		case T_AppendState:
		case T_MaterialState:
		case T_LockRowsState:
		case T_CteScanState:
		case T_LimitState:
			return true;
		default:
			return false;
	}
}

/* Nodes that take all rows before they hand up the first. */
static bool
takes_all(PlanState *node)
{
	switch (nodeTag(node))
	{
		case T_SortState:
		case T_HashState:
			return true;
		case T_AggState:
			return ((Agg *) node->plan)->aggstrategy == AGG_PLAIN || ((Agg *) node->plan)->aggstrategy == AGG_HASHED;
		default:
			return false;
	}
}

void
cfdw_guard_break(CfdwGuardPath *path, CfdwGuardRule rule, PlanState *culprit)
{
	if (path->rule != CFDW_GUARD_PASSED)
		return;
	if (path->everything && (rule == CFDW_GUARD_NOT_RETURNED || rule == CFDW_GUARD_BY_SOURCE))
		return;
	path->rule = rule;
	path->culprit = culprit;
}

static void
step_limit(CfdwGuardPath *path, PlanState *node)
{
	Limit *limit = (Limit *) node->plan;

	if (!is_zero(limit->limitOffset) || limit->limitOption == LIMIT_OPTION_WITH_TIES)
		cfdw_guard_break(path, CFDW_GUARD_OFFSET, node);
	path->limited = true;
}

static void
step_join(CfdwGuardPath *path, PlanState *node, PlanState *child)
{
	JoinState *join = (JoinState *) node;
	bool inner = child == innerPlanState(node);

	if (inner && join->jointype == JOIN_ANTI)
		cfdw_guard_break(path, CFDW_GUARD_NOT_RETURNED, node);
#if PG_VERSION_NUM >= 160000
	if (!inner && join->jointype == JOIN_RIGHT_ANTI)
		cfdw_guard_break(path, CFDW_GUARD_NOT_RETURNED, node);
#endif
	if (inner && IsA(node, NestLoopState) && (join->single_match || join->jointype == JOIN_SEMI))
		path->first_match = true;
}

/* Up to 17 both inputs of a SetOp come through one Append, from 18 they are its two children. */
static void
step_setop(CfdwGuardPath *path, PlanState *node, PlanState *child)
{
	SetOp *setop = (SetOp *) node->plan;

	if (setop->cmd != SETOPCMD_EXCEPT && setop->cmd != SETOPCMD_EXCEPT_ALL)
		return;
	if (PG_VERSION_NUM < 180000)
		path->except = true;
	else if (child == innerPlanState(node))
		cfdw_guard_break(path, CFDW_GUARD_NOT_RETURNED, node);
}

static void
step_append(CfdwGuardPath *path, PlanState *node, int number)
{
	if (path->except && number > 0)
		cfdw_guard_break(path, CFDW_GUARD_NOT_RETURNED, node);
	path->except = false;
}

void
cfdw_guard_step(CfdwGuardPath *path, PlanState *node, PlanState *child, int number)
{
	if (path->limited && !is_lazy(node))
		cfdw_guard_break(path, CFDW_GUARD_LIMIT, node);
	if (takes_all(node))
		path->first_match = false;
	switch (nodeTag(node))
	{
		case T_LimitState:
			step_limit(path, node);
			break;
		case T_WindowAggState:
			if (((WindowAgg *) node->plan)->runCondition != NIL)
				cfdw_guard_break(path, CFDW_GUARD_RUN_CONDITION, node);
			break;
		case T_MemoizeState:
			if (((Memoize *) node->plan)->singlerow)
				path->first_match = true;
			break;
		case T_NestLoopState:
		case T_MergeJoinState:
		case T_HashJoinState:
			step_join(path, node, child);
			break;
		case T_SetOpState:
			step_setop(path, node, child);
			break;
		case T_AppendState:
			step_append(path, node, number);
			break;
		default:
			break;
	}
	if (path->first_match && IsA(child, ForeignScanState))
		cfdw_guard_break(path, CFDW_GUARD_FIRST_MATCH, node);
}

bool
cfdw_guard_by_source(const ModifyTableState *sink)
{
#if PG_VERSION_NUM >= 170000
	ListCell *target;

	foreach(target, ((ModifyTable *) sink->ps.plan)->mergeActionLists)
	{
		ListCell *action;

		foreach(action, (List *) lfirst(target))
		{
			if (((MergeAction *) lfirst(action))->matchKind == MERGE_WHEN_NOT_MATCHED_BY_SOURCE)
				return true;
		}
	}
#endif
	return false;
}

static const char *
node_name(PlanState *node)
{
	switch (nodeTag(node))
	{
		case T_SortState:
		case T_IncrementalSortState:
			return "a sort";
		case T_AggState:
		case T_GroupState:
			return "an aggregate or DISTINCT";
		case T_UniqueState:
			return "a DISTINCT";
		case T_SetOpState:
			return "an INTERSECT or EXCEPT";
		case T_WindowAggState:
			return "a window function";
		case T_ProjectSetState:
			return "a set-returning function";
		case T_NestLoopState:
		case T_MergeJoinState:
		case T_HashJoinState:
			return "a join";
		case T_MergeAppendState:
			return "a merge of sorted inputs";
		case T_RecursiveUnionState:
			return "a recursive query";
		case T_CustomScanState:
			return "a custom scan of another extension";
		default:
			return "another step";
	}
}

void
cfdw_guard_refuse(const CfdwGuardPath *path, const char *table, CfdwError *refusal)
{
	cfdw_fail(refusal, CFDW_ERR_OPTION, "this statement would lose records of foreign table \"%s\"", table);
	cfdw_hint(refusal, "Load the records into a temporary table first, in the same transaction, and use that; or set checkpoint_fdw.plan_guard to off if they may be lost.");
	switch (path->rule)
	{
		case CFDW_GUARD_LIMIT:
			cfdw_detail(refusal, "Between the LIMIT and the foreign scan is %s, which takes more records than the LIMIT lets through.", node_name(path->culprit));
			break;
		case CFDW_GUARD_OFFSET:
			cfdw_detail(refusal, "OFFSET and WITH TIES take records that they do not let through.");
			break;
		case CFDW_GUARD_SHARED_LIMIT:
			cfdw_detail(refusal, "A LIMIT stops reading a CTE that another part of the statement reads on.");
			break;
		case CFDW_GUARD_RUN_CONDITION:
			cfdw_detail(refusal, "A window function with a condition on its result stops before all records have been used.");
			cfdw_hint(refusal, "Use DISTINCT ON to keep one record of each key, or load the records into a temporary table first, in the same transaction; or set checkpoint_fdw.plan_guard to off if they may be lost.");
			break;
		case CFDW_GUARD_FIRST_MATCH:
			cfdw_detail(refusal, "The foreign scan is on the inner side of a join that stops at the first match.");
			break;
		case CFDW_GUARD_SUBSELECT:
			cfdw_fail(refusal, CFDW_ERR_OPTION, "cannot consume foreign table \"%s\" in a sub-select", table);
			cfdw_detail(refusal, "The rows that the statement stores depend on the foreign table, but do not come from it, so its checkpoint cannot move with them.");
			cfdw_hint(refusal, "Join the foreign table in FROM, or load its records into a temporary table first, in the same transaction; only to look at them, SET checkpoint_fdw.advance = never.");
			break;
		case CFDW_GUARD_NOT_RETURNED:
			cfdw_fail(refusal, CFDW_ERR_OPTION, "foreign table \"%s\" holds only what is new, not everything", table);
			cfdw_detail(refusal, "The statement acts on rows that are not in the foreign table (NOT EXISTS, EXCEPT or an anti join).");
			cfdw_hint(refusal, "Read everything with SET checkpoint_fdw.start = beginning, or set checkpoint_fdw.plan_guard to off.");
			break;
		case CFDW_GUARD_BY_SOURCE:
			cfdw_fail(refusal, CFDW_ERR_OPTION, "foreign table \"%s\" holds only what is new, not everything", table);
			cfdw_detail(refusal, "MERGE with WHEN NOT MATCHED BY SOURCE acts on rows that are not in the foreign table.");
			cfdw_hint(refusal, "Read everything with SET checkpoint_fdw.start = beginning, or set checkpoint_fdw.plan_guard to off.");
			break;
		case CFDW_GUARD_PASSED:
			refusal->kind = CFDW_OK;
			break;
	}
}
