/*
 * plan.c
 *	  Size guess, the one path, and the plan with the columns it needs.
 */
#include "plan.h"

#include "access/sysattr.h"
#include "access/table.h"
#include "optimizer/cost.h"
#include "optimizer/optimizer.h"
#include "optimizer/pathnode.h"
#include "optimizer/planmain.h"
#include "optimizer/restrictinfo.h"
#include "utils/rel.h"

/* Nobody knows how long a list is before it is read; reltuples helps once the table was analyzed by hand. */
#define GUESSED_ROWS 1000
/* A request costs about as much as some thousand pages from disk. */
#define STARTUP_COST 10000.0

void
cfdwGetForeignRelSize(PlannerInfo *root, RelOptInfo *baserel, Oid foreigntableid)
{
	if (baserel->tuples <= 0)
		baserel->tuples = GUESSED_ROWS;
	set_baserel_size_estimates(root, baserel);
}

void
cfdwGetForeignPaths(PlannerInfo *root, RelOptInfo *baserel, Oid foreigntableid)
{
	Cost startup = STARTUP_COST + baserel->baserestrictcost.startup;
	Cost total = startup + (cpu_tuple_cost + baserel->baserestrictcost.per_tuple) * baserel->tuples;

	/* no pathkeys: the order in which an API lists records is a promise of no use to SQL */
	add_path(baserel, (Path *) create_foreignscan_path(root, baserel, NULL, baserel->rows,
#if PG_VERSION_NUM >= 180000
													   0,
#endif
													   startup, total, NIL, baserel->lateral_relids, NULL,
#if PG_VERSION_NUM >= 170000
													   NIL,
#endif
													   NIL));
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
	List *clauses = extract_actual_clauses(scan_clauses, false);

	return make_foreignscan(tlist, clauses, baserel->relid, NIL,
							wanted_columns(baserel, foreigntableid, clauses), NIL, NIL, outer_plan);
}

Bitmapset *
cfdw_plan_wanted(ForeignScan *plan)
{
	Bitmapset *wanted = NULL;
	ListCell *cell;

	foreach(cell, plan->fdw_private)
		wanted = bms_add_member(wanted, lfirst_int(cell));
	return wanted;
}
