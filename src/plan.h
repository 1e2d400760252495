/*
 * plan.h
 *	  Planner callbacks.  No request, no lock and no write happen here: the
 *	  planner runs for EXPLAIN, and more than once for one statement.
 */
#ifndef CFDW_PLAN_H
#define CFDW_PLAN_H

#include "base.h"
#include "foreign/fdwapi.h"

extern void cfdwGetForeignRelSize(PlannerInfo *root, RelOptInfo *baserel, Oid foreigntableid);
extern void cfdwGetForeignPaths(PlannerInfo *root, RelOptInfo *baserel, Oid foreigntableid);
extern ForeignScan *cfdwGetForeignPlan(PlannerInfo *root, RelOptInfo *baserel, Oid foreigntableid, ForeignPath *best_path,
									   List *tlist, List *scan_clauses, Plan *outer_plan);

/* The attribute numbers that a plan made here needs (1-based). */
extern Bitmapset *cfdw_plan_wanted(ForeignScan *plan);

/* What gives a param column its values. */
typedef struct CfdwPlanBinding
{
	int attnum;
	bool is_array; /* value is an array of them */
	Expr *value;
} CfdwPlanBinding;

/* The bindings of a plan in an array, as many as returned; a column that is not among them has no value. */
extern int cfdw_plan_bindings(ForeignScan *plan, CfdwPlanBinding **bindings);

/* Conditions that a combination of values must fulfil to be wanted. */
extern List *cfdw_plan_filters(ForeignScan *plan);

#endif /* CFDW_PLAN_H */
