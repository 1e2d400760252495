/*
 * delivered.h
 *	  Keys of the records handed up, in the catalog: for the modes in which a
 *	  record can come again at any place.
 *
 * Entries are written in portions (a page of records at a time), so that
 * memory does not grow with the length of a walk; a scan that does not
 * advance keeps its own in memory.
 */
#ifndef CFDW_DELIVERED_H
#define CFDW_DELIVERED_H

#include "checkpoint.h"

typedef struct CfdwDelivered CfdwDelivered;

/*
 * The entries of a checkpoint, in the current context.  writes: the scan
 * advances.  afresh: nothing is known (start = beginning, or no checkpoint).
 */
extern CfdwDelivered *cfdw_delivered_open(CfdwCheckpoint *checkpoint, bool writes, bool afresh);

/* What stands for a stamp in the catalog; a number of its own for none. */
extern int64 cfdw_delivered_tick(const CfdwStamp *stamp);

/* Set known where (key, stamp) has been delivered, in this statement too. */
extern void cfdw_delivered_look_up(CfdwDelivered *delivered, int count, CfdwFact *facts);

/* A record is handed up. */
extern void cfdw_delivered_add(CfdwDelivered *delivered, const CfdwFact *fact);

/* Write what is not written yet; drop entries that the API cannot serve again. */
extern void cfdw_delivered_finish(CfdwDelivered *delivered, CfdwKeep keep, int64 from);

#endif /* CFDW_DELIVERED_H */
