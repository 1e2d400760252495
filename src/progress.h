/*
 * progress.h
 *	  How far a scan is, for other sessions: a row of pg_stat_progress_copy and
 *	  of the view checkpoint_fdw.progress.
 *
 * A backend has one place to show progress.  It is taken only while no other
 * command, and no other scan, has it.
 */
#ifndef CFDW_PROGRESS_H
#define CFDW_PROGRESS_H

#include "walk.h"

/* Show what a scan has read so far.  scan: any pointer that tells it from others.  Cheap enough for each record. */
extern void cfdw_progress_show(const void *scan, Oid foreign_table, const CfdwWalkCounts *counts);

/* The scan is over.  After an error the server itself clears the place. */
extern void cfdw_progress_end(const void *scan);

#endif /* CFDW_PROGRESS_H */
