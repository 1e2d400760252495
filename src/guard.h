/*
 * guard.h
 *	  The plan guard: in which plan shapes is a record that the scan handed
 *	  up a record that its sink got?
 *
 * A path leads from a sink (ModifyTable, or the root of the plan when the
 * destination is the sink) down to a scan.  Each step checks one node of it
 * against a white list.  The state is small and copied at every branch.
 */
#ifndef CFDW_GUARD_H
#define CFDW_GUARD_H

#include "error.h"
#include "nodes/execnodes.h"

typedef enum CfdwGuardRule
{
	CFDW_GUARD_PASSED,
	CFDW_GUARD_LIMIT,         /* a node below a Limit that takes more records than it needs */
	CFDW_GUARD_OFFSET,        /* OFFSET or WITH TIES */
	CFDW_GUARD_SHARED_LIMIT,  /* a limited CTE that something else reads as well */
	CFDW_GUARD_RUN_CONDITION, /* a window that ends early */
	CFDW_GUARD_FIRST_MATCH,   /* the inner side of a join that stops at the first match */
	CFDW_GUARD_SUBSELECT,     /* an InitPlan or SubPlan */
	CFDW_GUARD_NOT_RETURNED,  /* the side of an anti join or EXCEPT that is not returned */
	CFDW_GUARD_BY_SOURCE      /* MERGE … WHEN NOT MATCHED BY SOURCE */
} CfdwGuardRule;

typedef struct CfdwGuardPath
{
	bool everything;    /* the scan holds a full set: what is not in it is gone */
	bool limited;       /* below a Limit */
	bool first_match;   /* below something that may stop at its first row */
	bool except;        /* below an EXCEPT, above the list of its inputs */
	CfdwGuardRule rule; /* the first rule broken */
	PlanState *culprit; /* the node that breaks it */
} CfdwGuardPath;

/* Does MERGE delete or update what its source does not contain? */
extern bool cfdw_guard_by_source(const ModifyTableState *sink);

/* Take the step from node to its child; number counts Append-like children from 0. */
extern void cfdw_guard_step(CfdwGuardPath *path, PlanState *node, PlanState *child, int number);

/* Break a rule, unless one is broken already. */
extern void cfdw_guard_break(CfdwGuardPath *path, CfdwGuardRule rule, PlanState *culprit);

/* Put the refusal of a broken rule into words. */
extern void cfdw_guard_refuse(const CfdwGuardPath *path, const char *table, CfdwError *refusal);

#endif /* CFDW_GUARD_H */
