/*
 * bound.h
 *	  The values that a statement gives a scan's param columns: the executor's
 *	  side.
 *
 * Each column has a list of values; a partition is one combination of them.
 */
#ifndef CFDW_BOUND_H
#define CFDW_BOUND_H

#include "param.h"
#include "nodes/execnodes.h"

typedef struct CfdwBound CfdwBound;

typedef struct CfdwPartition
{
	const char *name;        /* as in CfdwStream */
	CfdwVariables variables; /* for the request */
} CfdwPartition;

/* Prepare a scan's conditions, in the current context; nothing is evaluated. */
extern CfdwBound *cfdw_bound_open(ForeignScanState *node, CfdwParams *params);

/*
 * Evaluate the values: sorted, each once, without null.  Raises HV002 for a
 * column without a condition.
 */
extern void cfdw_bound_start(CfdwBound *bound);

/*
 * The next combination that fulfils the statement's conditions, valid until
 * the next call; NULL: that was the last.  Uses the scan's slot.
 */
extern const CfdwPartition *cfdw_bound_next(CfdwBound *bound);

/* Put the values of that combination into a row. */
extern void cfdw_bound_fill(const CfdwBound *bound, Datum *values, bool *isnull);

#endif /* CFDW_BOUND_H */
