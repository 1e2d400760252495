/*
 * position.h
 *	  Where a stream stands, and its text form in the catalog.
 *
 * "Position" is the value in memory; the committed row is the checkpoint.
 */
#ifndef CFDW_POSITION_H
#define CFDW_POSITION_H

#include "loop.h"
#include "stamp.h"

typedef struct CfdwPosition
{
	bool has_page; /* the last page that gave records … */
	CfdwStep page; /* … offset pagination: the offset of the last record handed up */
	bool has_next; /* the page after it, once every record of it is handed up */
	CfdwStep next;
	int64 pages;  /* pages of the open walk; 0: no walk is open */
	int64 length; /* page_number: records on `page` when it was last read */
	int64 full;   /* page_number: a page length known to be full; 0: none */
	CfdwLoop loop;
	CfdwStamp since;             /* where the open walk started, or the next will; only goes up */
	CfdwStamp high;              /* the greatest timestamp handed up in the open walk; record_order asc: everything before it has been */
	CfdwStamp until;             /* end of the open window */
	CfdwStamp known_before;      /* keys of records before it have been pruned: such a record is known */
	int64 started;               /* the server's clock when the open walk began, microseconds since 1970; 0: no walk is open */
	const char *sync_token;      /* JSON text: what the open walk uses, or the next will; NULL: none */
	const char *next_sync_token; /* JSON text: the one that the open walk has found */
} CfdwPosition;

/* Read the catalog's JSON text; NULL is the beginning.  CFDW_ERR_POSITION. */
extern bool cfdw_position_parse(CfdwArena *arena, const char *text, CfdwPosition *out, CfdwError *err);
/* The JSON text, with a fixed member order: equal positions give equal text. */
extern char *cfdw_position_dump(CfdwArena *arena, const CfdwPosition *position);
extern CfdwPosition cfdw_position_copy(CfdwArena *arena, const CfdwPosition *position);

#endif /* CFDW_POSITION_H */
