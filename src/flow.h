/*
 * flow.h
 *	  The data flow of a plan: which of our scans feed a sink, and along
 *	  which path.
 */
#ifndef CFDW_FLOW_H
#define CFDW_FLOW_H

#include "guard.h"
#include "executor/execdesc.h"

/* One of our scans in a statement. */
typedef struct CfdwFlowScan
{
	ForeignScanState *node;
	bool feeds;         /* its rows flow into a sink */
	List *sinks;        /* of ModifyTableState; NIL: the statement's destination */
	bool in_subselect;  /* read by a sub-select of a query that feeds a sink */
	CfdwGuardPath path; /* to a sink; the first that breaks a rule, if one does */
} CfdwFlowScan;

typedef struct CfdwFlow
{
	List *scans;       /* of CfdwFlowScan */
	bool reads_others; /* the plan reads something besides our foreign tables */
	bool everything;   /* the scans start at the beginning: they hold a full set */
	List *cte_readers; /* of CteScanState, all of the plan */
	List *cte_walks;   /* those done already */
	List *sinks;       /* of ModifyTableState, those walked already */
} CfdwFlow;

/* Find our scans; if there are none, the rest is needless. */
extern void cfdw_flow_survey(CfdwFlow *flow, QueryDesc *queryDesc, bool (*is_ours)(ForeignScanState *node));

/* Follow the rows from each sink down to the scans. */
extern void cfdw_flow_follow(CfdwFlow *flow, QueryDesc *queryDesc, bool destination_is_sink);

#endif /* CFDW_FLOW_H */
