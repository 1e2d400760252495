/*
 * scan.h
 *	  Executor callbacks: one scan from its first fetch to its checkpoint.
 */
#ifndef CFDW_SCAN_H
#define CFDW_SCAN_H

#include "base.h"
#include "foreign/fdwapi.h"

extern void cfdwBeginForeignScan(ForeignScanState *node, int eflags);
extern TupleTableSlot *cfdwIterateForeignScan(ForeignScanState *node);
extern void cfdwReScanForeignScan(ForeignScanState *node);
extern void cfdwEndForeignScan(ForeignScanState *node);

/* For consumer.c: is the node one of ours; and has its table a checkpoint? */
extern bool cfdw_scan_is_ours(ForeignScanState *node);
extern bool cfdw_scan_is_checkpointed(ForeignScanState *node);

#endif /* CFDW_SCAN_H */
