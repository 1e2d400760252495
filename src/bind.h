/*
 * bind.h
 *	  Conditions that give param columns their values: the planner's side.
 *
 * A condition binds a column if it is an equality (= or = ANY) of the column,
 * by its own collation, with something that the scan's rows do not change and
 * that is not volatile.
 */
#ifndef CFDW_BIND_H
#define CFDW_BIND_H

#include "param.h"
#include "nodes/pathnodes.h"

/* What a table's param columns are, and what the bound of a LIST partition says of them. */
typedef struct CfdwBindTable
{
	Index relid;
	CfdwParams *params;
	Bitmapset *attributes; /* numbers of these columns, as pull_varattnos gives them */
	List *bounds;          /* expressions, as conditions of the scan */
} CfdwBindTable;

typedef struct CfdwBinding
{
	Expr *value; /* in the column's type, or an array of it; NULL: nothing binds the column */
	bool is_array;
} CfdwBinding;

/* In the current context. */
extern CfdwBindTable *cfdw_bind_open(Relation relation, Index relid);

/* What binds a column, of clauses (a list of RestrictInfo) or else the partition's bound. */
extern CfdwBinding cfdw_bind_find(PlannerInfo *root, RelOptInfo *baserel, const CfdwBindTable *table, const CfdwParam *param, List *clauses);

/* Is every param column bound? */
extern bool cfdw_bind_is_complete(PlannerInfo *root, RelOptInfo *baserel, const CfdwBindTable *table, List *clauses);

/*
 * Sets of other relations (Relids) whose joins could bind the columns that
 * the scan's own conditions do not; NIL if there are none.
 */
extern List *cfdw_bind_outer_sets(PlannerInfo *root, RelOptInfo *baserel, const CfdwBindTable *table);

/* Conditions of the scan (RestrictInfo) that concern other columns, too: they choose among the rows of a partition. */
extern List *cfdw_bind_others(RelOptInfo *baserel, const CfdwBindTable *table);

/*
 * Conditions that concern param columns only, the partition's bound included:
 * they say of a combination of values whether it is wanted at all.
 */
extern List *cfdw_bind_filters(RelOptInfo *baserel, const CfdwBindTable *table, List *clauses);

#endif /* CFDW_BIND_H */
