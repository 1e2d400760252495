/*
 * scan.h
 *	  Executor callbacks: one scan from its first fetch to its checkpoint.
 */
#ifndef CFDW_SCAN_H
#define CFDW_SCAN_H

#include "base.h"
#include "foreign/fdwapi.h"
#include "stream.h"

extern void cfdwBeginForeignScan(ForeignScanState *node, int eflags);
extern TupleTableSlot *cfdwIterateForeignScan(ForeignScanState *node);
extern void cfdwReScanForeignScan(ForeignScanState *node);
extern void cfdwEndForeignScan(ForeignScanState *node);

/* For consumer.c: is the node one of ours; and has its table a checkpoint? */
extern bool cfdw_scan_is_ours(ForeignScanState *node);
extern bool cfdw_scan_is_checkpointed(ForeignScanState *node);

/* For explain.c: a scan that has begun, and its open stream (or NULL); NULL: none has, this is EXPLAIN without ANALYZE. */
extern const CfdwScanCommon *cfdw_scan_begun(ForeignScanState *node, const CfdwReader **reader);

/* The options and conditions of a scan, in the current context.  Nothing is evaluated. */
extern void cfdw_scan_prepare(ForeignScanState *node, CfdwScanCommon *common);

/* Find out who consumes, and whether they may.  Nothing is locked. */
extern void cfdw_scan_check(CfdwScanCommon *common);

#endif /* CFDW_SCAN_H */
