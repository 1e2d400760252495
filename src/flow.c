/*
 * flow.c
 *	  The data flow of a plan (see flow.h).
 *
 * A sink is a ModifyTable node, wherever it is, or the destination of the
 * whole statement.  The walk goes from there against the flow of rows,
 * through CTEs too.  A sub-select is no input: what it reads decides about
 * rows, but does not become one.
 */
#include "flow.h"

#include "miscadmin.h"
#include "nodes/plannodes.h"

/* How the walk came to a node. */
typedef struct Walk
{
	bool feeds;        /* into sink or, if that is NULL, the destination */
	bool in_subselect; /* through a sub-select of a query that feeds a sink */
	ModifyTableState *sink;
	CfdwGuardPath path;
} Walk;

typedef struct CteWalk
{
	PlanState *cte;
	Walk walk;
} CteWalk;

/*
 * The nodes whose rows a node takes.  Not among them: sub-selects, and a
 * CTE, which hangs below the node that declares it.
 */
static List *
inputs_of(PlanState *node)
{
	List *inputs = NIL;
	PlanState **array = NULL;
	int length = 0;

	if (outerPlanState(node) != NULL)
		inputs = lappend(inputs, outerPlanState(node));
	if (innerPlanState(node) != NULL)
		inputs = lappend(inputs, innerPlanState(node));
	switch (nodeTag(node))
	{
		case T_AppendState:
			array = ((AppendState *) node)->appendplans;
			length = ((AppendState *) node)->as_nplans;
			break;
		case T_MergeAppendState:
			array = ((MergeAppendState *) node)->mergeplans;
			length = ((MergeAppendState *) node)->ms_nplans;
			break;
		case T_SubqueryScanState:
			inputs = lappend(inputs, ((SubqueryScanState *) node)->subplan);
			break;
		case T_CustomScanState:
			inputs = list_concat(inputs, ((CustomScanState *) node)->custom_ps);
			break;
		default:
			break;
	}
	for (int i = 0; i < length; i++)
		inputs = lappend(inputs, array[i]);
	return inputs;
}

/* Does the node read something that another transaction may have changed? */
static bool
reads_relation(PlanState *node)
{
	switch (nodeTag(node))
	{
		case T_SeqScanState:
		case T_SampleScanState:
		case T_IndexScanState:
		case T_IndexOnlyScanState:
		case T_BitmapHeapScanState:
		case T_TidScanState:
		case T_TidRangeScanState:
		case T_NamedTuplestoreScanState:
		case T_ForeignScanState:
		case T_CustomScanState:
			return true;
		default:
			return false;
	}
}

static void
survey(CfdwFlow *flow, PlanState *node, bool (*is_ours)(ForeignScanState *node))
{
	ListCell *cell;

	check_stack_depth();
	if (IsA(node, ForeignScanState) && is_ours((ForeignScanState *) node))
	{
		CfdwFlowScan *scan = palloc0(sizeof(CfdwFlowScan));

		scan->node = (ForeignScanState *) node;
		flow->scans = lappend(flow->scans, scan);
	}
	else if (reads_relation(node))
		flow->reads_others = true;
	if (IsA(node, CteScanState))
		flow->cte_readers = lappend(flow->cte_readers, node);
	foreach(cell, inputs_of(node))
		survey(flow, lfirst(cell), is_ours);
}

void
cfdw_flow_survey(CfdwFlow *flow, QueryDesc *queryDesc, bool (*is_ours)(ForeignScanState *node))
{
	ListCell *cell;

	survey(flow, queryDesc->planstate, is_ours);
	foreach(cell, queryDesc->estate->es_subplanstates)
	{
		if (lfirst(cell) != NULL)
			survey(flow, lfirst(cell), is_ours);
	}
}

static void
arrive(CfdwFlow *flow, PlanState *node, const Walk *walk)
{
	ListCell *cell;

	foreach(cell, flow->scans)
	{
		CfdwFlowScan *scan = lfirst(cell);

		if (scan->node != (ForeignScanState *) node)
			continue;
		if (walk->in_subselect)
			scan->in_subselect = true;
		if (!walk->feeds)
			continue;
		scan->feeds = true;
		if (walk->sink != NULL)
			scan->sinks = list_append_unique_ptr(scan->sinks, walk->sink);
		if (scan->path.rule == CFDW_GUARD_PASSED)
			scan->path = walk->path;
	}
}

/* Many readers of many CTEs would make exponentially many walks, were not each done once only. */
static bool
walked_before(CfdwFlow *flow, PlanState *cte, const Walk *walk)
{
	CteWalk *done;
	ListCell *cell;

	foreach(cell, flow->cte_walks)
	{
		done = lfirst(cell);
		if (done->cte == cte && done->walk.feeds == walk->feeds &&
			done->walk.in_subselect == walk->in_subselect && done->walk.sink == walk->sink &&
			done->walk.path.limited == walk->path.limited && done->walk.path.first_match == walk->path.first_match &&
			done->walk.path.except == walk->path.except && done->walk.path.rule == walk->path.rule)
			return true;
	}
	done = palloc(sizeof(CteWalk));
	done->cte = cte;
	done->walk = *walk;
	flow->cte_walks = lappend(flow->cte_walks, done);
	return false;
}

static int
readers_of(CfdwFlow *flow, PlanState *cte)
{
	int readers = 0;
	ListCell *cell;

	foreach(cell, flow->cte_readers)
	{
		if (((CteScanState *) lfirst(cell))->cteplanstate == cte)
			readers++;
	}
	return readers;
}

static void follow(CfdwFlow *flow, PlanState *node, Walk walk);

/* Each ModifyTable begins a walk of its own, wherever another one came across it. */
static void
follow_sink(CfdwFlow *flow, ModifyTableState *sink)
{
	Walk walk = {.feeds = true, .sink = sink, .path = {.everything = flow->everything}};

	if (list_member_ptr(flow->sinks, sink))
		return;
	flow->sinks = lappend(flow->sinks, sink);
	if (cfdw_guard_by_source(sink))
		cfdw_guard_break(&walk.path, CFDW_GUARD_BY_SOURCE, &sink->ps);
	follow(flow, &sink->ps, walk);
}

static void
follow_cte(CfdwFlow *flow, CteScanState *reader, Walk walk)
{
	PlanState *cte = reader->cteplanstate;

	if (walk.path.limited && readers_of(flow, cte) > 1)
		cfdw_guard_break(&walk.path, CFDW_GUARD_SHARED_LIMIT, &reader->ss.ps);
	cfdw_guard_step(&walk.path, &reader->ss.ps, cte, 0);
	if (!walked_before(flow, cte, &walk))
		follow(flow, cte, walk);
}

static void
follow_subselects(CfdwFlow *flow, List *subselects, const Walk *walk)
{
	Walk below = {.in_subselect = true};
	ListCell *cell;

	if (!walk->feeds && !walk->in_subselect)
		return;
	foreach(cell, subselects)
	{
		SubPlanState *subselect = lfirst(cell);

		if (subselect->subplan->subLinkType != CTE_SUBLINK)
			follow(flow, subselect->planstate, below);
	}
}

static void
follow_inputs(CfdwFlow *flow, PlanState *node, const Walk *walk)
{
	List *inputs = inputs_of(node);
	ListCell *cell;

	foreach(cell, inputs)
	{
		Walk below = *walk;

		cfdw_guard_step(&below.path, node, lfirst(cell), foreach_current_index(cell));
		follow(flow, lfirst(cell), below);
	}
}

static void
follow(CfdwFlow *flow, PlanState *node, Walk walk)
{
	check_stack_depth();
	if (IsA(node, ModifyTableState) && walk.sink != (ModifyTableState *) node)
	{
		follow_sink(flow, (ModifyTableState *) node);
		return;
	}
	follow_subselects(flow, node->initPlan, &walk);
	follow_subselects(flow, node->subPlan, &walk);
	if (IsA(node, ForeignScanState))
		arrive(flow, node, &walk);
	if (IsA(node, CteScanState))
		follow_cte(flow, (CteScanState *) node, walk);
	follow_inputs(flow, node, &walk);
}

void
cfdw_flow_follow(CfdwFlow *flow, QueryDesc *queryDesc, bool destination_is_sink)
{
	Walk walk = {.feeds = destination_is_sink, .path = {.everything = flow->everything}};
	List *others = queryDesc->estate->es_auxmodifytables;

	follow(flow, queryDesc->planstate, walk);
	/* the list has the statement's last one first */
	for (int i = list_length(others) - 1; i >= 0; i--)
		follow_sink(flow, list_nth(others, i));
}
