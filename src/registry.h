/*
 * registry.h
 *	  The streams that statements of this backend take records from.
 *
 * The row lock does not protect a backend against itself: a self-join, a
 * trigger or a function could read a stream that is being advanced.  So each
 * is listed from its first fetch until its statement ends, longer than its
 * walk, since a stream read twice by one statement would be split in two.
 */
#ifndef CFDW_REGISTRY_H
#define CFDW_REGISTRY_H

#include "checkpoint.h"

/* One advancing scan with the streams that it has visited. */
typedef struct CfdwVisitor CfdwVisitor;

typedef struct CfdwVisit
{
	CfdwVisitor *visitor;
	CfdwStream stream;
	bool taken; /* set by the caller: a record was handed up */
	slist_node link;
} CfdwVisit;

/* A scan; what it lists goes with cfdw_registry_leave, or when query_context is reset. */
extern CfdwVisitor *cfdw_registry_open(MemoryContext query_context);

/*
 * List a stream.  ERROR 55006 if another scan has it; 55000 if this one has,
 * and has taken records (plan guard, rule 5).  Again, where nothing was
 * taken, is normal: the plan repeats itself.
 */
extern CfdwVisit *cfdw_registry_enter(CfdwVisitor *visitor, const CfdwStream *stream);

extern void cfdw_registry_leave(CfdwVisitor *visitor);

#endif /* CFDW_REGISTRY_H */
