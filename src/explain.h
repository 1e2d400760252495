/*
 * explain.h
 *	  What EXPLAIN shows of a scan: the request, who consumes, where it goes
 *	  on; with ANALYZE what it did.
 *
 * Nothing is asked, locked or evaluated for it, and no secret is shown.  What
 * would make the first fetch fail is shown, too, and does not make EXPLAIN
 * fail.
 */
#ifndef CFDW_EXPLAIN_H
#define CFDW_EXPLAIN_H

#include "base.h"
#include "foreign/fdwapi.h"

extern void cfdwExplainForeignScan(ForeignScanState *node, struct ExplainState *es);

#endif /* CFDW_EXPLAIN_H */
