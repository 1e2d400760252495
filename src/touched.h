/*
 * touched.h
 *	  The streams that this transaction has locked to take records from them,
 *	  and what became of it: for the procedures ingest and run, which must
 *	  know whether more is pending, and whom a failure belongs to.
 *
 * Entries of statements that were rolled back to a savepoint stay; all go
 * with the transaction.
 */
#ifndef CFDW_TOUCHED_H
#define CFDW_TOUCHED_H

#include "base.h"
#include "nodes/pg_list.h"

typedef struct CfdwTouched
{
	Oid foreign_table;
	char *consumer;
	char *partition;
	int64 rows;   /* handed up so far, kept while the statement runs */
	bool written; /* the statement got to the end of the scan; else the rest is unset */
	int64 batch;  /* 0: nothing has moved */
	int64 pages;
	int64 records;
	int64 rejected;
	bool pending;   /* more is there */
	int64 pause_ms; /* … but the API wants to be left alone for so long */
	bool complete;  /* the end of the walk was reached */
} CfdwTouched;

/* Note a stream; the entry lives as long as the transaction. */
extern CfdwTouched *cfdw_touched_add(Oid foreign_table, const char *consumer, const char *partition);

/* All of them, oldest first, of CfdwTouched. */
extern List *cfdw_touched_list(void);

#endif /* CFDW_TOUCHED_H */
