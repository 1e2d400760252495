/*
 * walk.h
 *	  One pass over the pages of an endpoint, spread over any number of
 *	  statements: drives request, page and pagination, and hands out records.
 *
 * Two rules carry the rest: records are recognised by key, never counted;
 * and the position speaks only of records that were handed up.  The caller
 * takes a record with cfdw_walk_next, computes its key, and asks
 * cfdw_walk_offer whether to hand it up; at any moment cfdw_walk_position
 * is where a later walk must go on.
 */
#ifndef CFDW_WALK_H
#define CFDW_WALK_H

#include "keys.h"
#include "position.h"

typedef enum CfdwMode
{
	CFDW_MODE_NONE,   /* always from the beginning; nothing is stored */
	CFDW_MODE_CURSOR, /* new records come last; goes on by token or link */
	CFDW_MODE_OFFSET  /* new records come last; goes on by offset or page number */
} CfdwMode;

typedef enum CfdwOrder
{
	CFDW_ORDER_NONE,
	CFDW_ORDER_ASC,
	CFDW_ORDER_DESC
} CfdwOrder;

typedef struct CfdwWalkSpec
{
	CfdwEndpoint endpoint;
	CfdwHttpOptions http;
	CfdwPageSpec page;
	CfdwMode mode;
	int64 max_pages; /* cap over the whole walk, 0: none; reaching it with more to come is CFDW_ERR_LIMIT */
	int prefetch;    /* pages asked ahead of the one being read: 0 or 1 */
	bool keyed;      /* keys identify a record wherever it is served; else only within its page */
	const CfdwWaiter *waiter;
} CfdwWalkSpec;

typedef struct CfdwWalkRecord
{
	CfdwSlice bytes;
	CfdwSlice member; /* JSON string text of its member name, data NULL: none */
	int number;       /* in its page, from 1 */
} CfdwWalkRecord;

/* What a walk did, for the commit log and EXPLAIN ANALYZE. */
typedef struct CfdwWalkCounts
{
	int64 records; /* handed up */
	int64 skipped; /* known, not handed up */
	int64 pages;
	int64 requests; /* sent, those asked ahead included */
	int64 bytes;    /* of bodies, decompressed */
} CfdwWalkCounts;

typedef struct CfdwWalk CfdwWalk;

/* Nothing is fetched yet.  spec is copied by value; its strings, and the position's, must outlive arena. */
extern bool cfdw_walk_open(CfdwArena *arena, const CfdwWalkSpec *spec, const CfdwPosition *from, CfdwWalk **out, CfdwError *err);

/* A key of the records already handed up from the position's page.  Before the first next. */
extern void cfdw_walk_know(CfdwWalk *walk, const char *key);

/*
 * The next record of the list, whether known or not; *end at the true end of
 * the walk (and from then on).  May not return (the waiter).  Errors: those
 * of http, page and pagination, with the URL in DETAIL; CFDW_ERR_STATUS and
 * CFDW_ERR_AUTH for a status other than 2xx; CFDW_ERR_LIMIT for max_pages;
 * CFDW_ERR_LOOP if the API serves the same bytes for the same request again,
 * or for the next computed page; CFDW_ERR_SHIFTED if the position's page no
 * longer begins with its known records.
 */
extern bool cfdw_walk_next(CfdwWalk *walk, CfdwWalkRecord *record, bool *end, CfdwError *err);

/*
 * Shall the record last returned be handed up?  Marks it as processed; an
 * unknown key is then known.  key is NULL in CFDW_MODE_NONE.
 */
extern bool cfdw_walk_offer(CfdwWalk *walk, const char *key, bool *hand_up, CfdwError *err);

/* Where a later walk goes on, as of now; valid as long as the walk's arena, until the next call of next. */
extern CfdwPosition cfdw_walk_position(const CfdwWalk *walk);

/* Has the walk reached its true end? */
extern bool cfdw_walk_at_end(const CfdwWalk *walk);

/* The keys to store with that position. */
extern void cfdw_walk_each_key(CfdwWalk *walk, void (*fn)(const char *key, void *arg), void *arg);

/* For messages: the number of the page being read or waited for, from 1; 0 before the first. */
extern int64 cfdw_walk_page_number(const CfdwWalk *walk);
extern const CfdwWalkCounts *cfdw_walk_counts(const CfdwWalk *walk);

#endif /* CFDW_WALK_H */
