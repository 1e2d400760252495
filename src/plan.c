/*
 * plan.c
 *	  Size guess, the paths, and the plan with the columns it needs and the
 *	  values of its param columns.
 *
 * fdw_private of a plan is a list of two lists of integers: the columns that
 * are wanted; and of each binding, one after the other, the attribute number
 * and whether its value is an array.  fdw_exprs has the values first, in the
 * same order, and then the filters.
 */
#include "plan.h"

#include "access/sysattr.h"
#include "access/table.h"
#include "bind.h"
#include "optimizer/cost.h"
#include "optimizer/optimizer.h"
#include "optimizer/pathnode.h"
#include "optimizer/planmain.h"
#include "optimizer/restrictinfo.h"

/* Nobody knows how long a list is before it is read; reltuples helps once the table was analyzed by hand. */
#define GUESSED_ROWS 1000
/* A request costs about as much as some thousand pages from disk. */
#define STARTUP_COST 10000.0
/* Of a scan that will fail, because no condition gives a param column its value: any other plan is better. */
#define HOPELESS_COST 1.0e10

void
cfdwGetForeignRelSize(PlannerInfo *root, RelOptInfo *baserel, Oid foreigntableid)
{
	Relation relation = table_open(foreigntableid, NoLock);
	CfdwBindTable *table = cfdw_bind_open(relation, baserel->relid);

	table_close(relation, NoLock);
	baserel->fdw_private = table;
	if (baserel->tuples <= 0)
		baserel->tuples = GUESSED_ROWS;
	set_baserel_size_estimates(root, baserel);
	/* a value of a param column does not choose among these rows, it is another list of them */
	if (table->params->count > 0)
		baserel->rows = clamp_row_est(baserel->tuples * clauselist_selectivity(root, cfdw_bind_others(baserel, table), 0, JOIN_INNER, NULL));
}

/* No pathkeys: the order in which an API lists records is a promise of no use to SQL. */
static void
add_scan_path(PlannerInfo *root, RelOptInfo *baserel, Relids required_outer, bool hopeless)
{
	Cost startup = STARTUP_COST + baserel->baserestrictcost.startup;
	Cost total = startup + (cpu_tuple_cost + baserel->baserestrictcost.per_tuple) * baserel->tuples;

	if (hopeless)
		total += HOPELESS_COST;
	add_path(baserel, (Path *) create_foreignscan_path(root, baserel, NULL, baserel->rows,
#if PG_VERSION_NUM >= 180000
													   hopeless,
#endif
													   startup, total, NIL, required_outer, NULL,
#if PG_VERSION_NUM >= 170000
													   NIL,
#endif
													   NIL));
}

void
cfdwGetForeignPaths(PlannerInfo *root, RelOptInfo *baserel, Oid foreigntableid)
{
	const CfdwBindTable *table = baserel->fdw_private;
	bool complete = cfdw_bind_is_complete(root, baserel, table, baserel->baserestrictinfo);
	ListCell *cell;

	/* without a path that needs no other relation the planner would give up, with a message that nobody understands */
	add_scan_path(root, baserel, baserel->lateral_relids, !complete);
	if (complete)
		return;
	foreach(cell, cfdw_bind_outer_sets(root, baserel, table))
	{
		Relids outer = lfirst(cell);
		ParamPathInfo *info = get_baserel_parampathinfo(root, baserel, outer);

		/* of several equalities with one column the planner takes one, not always ours */
		if (cfdw_bind_is_complete(root, baserel, table, list_concat_copy(baserel->baserestrictinfo, info->ppi_clauses)))
			add_scan_path(root, baserel, outer, false);
	}
}

/* Attribute numbers in the target list or the filters, as a list of integers, which a plan can be copied with. */
static List *
wanted_columns(RelOptInfo *baserel, Oid foreigntableid, List *scan_clauses)
{
	Relation relation = table_open(foreigntableid, NoLock);
	Bitmapset *attrs = NULL;
	List *wanted = NIL;
	bool whole_row;

	pull_varattnos((Node *) baserel->reltarget->exprs, baserel->relid, &attrs);
	pull_varattnos((Node *) scan_clauses, baserel->relid, &attrs);
	whole_row = bms_is_member(0 - FirstLowInvalidHeapAttributeNumber, attrs);
	for (int attnum = 1; attnum <= RelationGetDescr(relation)->natts; attnum++)
		if (whole_row || bms_is_member(attnum - FirstLowInvalidHeapAttributeNumber, attrs))
			wanted = lappend_int(wanted, attnum);
	table_close(relation, NoLock);
	return wanted;
}

ForeignScan *
cfdwGetForeignPlan(PlannerInfo *root, RelOptInfo *baserel, Oid foreigntableid, ForeignPath *best_path,
				   List *tlist, List *scan_clauses, Plan *outer_plan)
{
	const CfdwBindTable *table = baserel->fdw_private;
	List *clauses = extract_actual_clauses(scan_clauses, false);
	List *bound = NIL;
	List *values = NIL;

	for (int i = 0; i < table->params->count; i++)
	{
		const CfdwParam *param = &table->params->items[i];
		CfdwBinding binding = cfdw_bind_find(root, baserel, table, param, scan_clauses);

		if (binding.value == NULL)
			continue;
		bound = lappend_int(lappend_int(bound, param->attnum), binding.is_array);
		values = lappend(values, binding.value);
	}
	return make_foreignscan(tlist, clauses, baserel->relid, list_concat(values, cfdw_bind_filters(baserel, table, scan_clauses)),
							list_make2(wanted_columns(baserel, foreigntableid, clauses), bound), NIL, NIL, outer_plan);
}

Bitmapset *
cfdw_plan_wanted(ForeignScan *plan)
{
	Bitmapset *wanted = NULL;
	ListCell *cell;

	foreach(cell, linitial(plan->fdw_private))
		wanted = bms_add_member(wanted, lfirst_int(cell));
	return wanted;
}

int
cfdw_plan_bindings(ForeignScan *plan, CfdwPlanBinding **bindings)
{
	List *bound = lsecond(plan->fdw_private);
	int count = list_length(bound) / 2;

	*bindings = palloc(sizeof(CfdwPlanBinding) * Max(count, 1));
	for (int i = 0; i < count; i++)
	{
		(*bindings)[i].attnum = list_nth_int(bound, 2 * i);
		(*bindings)[i].is_array = list_nth_int(bound, 2 * i + 1);
		(*bindings)[i].value = list_nth(plan->fdw_exprs, i);
	}
	return count;
}

List *
cfdw_plan_filters(ForeignScan *plan)
{
	List *bound = lsecond(plan->fdw_private);

	return list_copy_tail(plan->fdw_exprs, list_length(bound) / 2);
}
