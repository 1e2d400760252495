/*
 * walk.h
 *	  One pass over the pages of an endpoint, spread over any number of
 *	  statements: drives requests, pages and pagination, and hands out records.
 *
 * Two rules carry the rest: records are recognised by key, never counted;
 * and the position speaks only of records that were handed up.  The caller
 * takes a record with cfdw_walk_next and asks cfdw_walk_offer whether to hand
 * it up; at any moment cfdw_walk_position is where a later walk must go on.
 *
 * In the modes cursor and offset only the keys of one or two pages matter:
 * they are kept here, and the caller computes a record's key when it offers
 * it.  In the other modes a record may come again at any place; there the
 * caller's store says at the start of each page what is known (CfdwWalkStore).
 */
#ifndef CFDW_WALK_H
#define CFDW_WALK_H

#include "exchange.h"
#include "keys.h"
#include "position.h"

typedef enum CfdwMode
{
	CFDW_MODE_NONE,       /* always from the beginning; nothing is stored */
	CFDW_MODE_CURSOR,     /* new records come last; goes on by token or link */
	CFDW_MODE_OFFSET,     /* new records come last; goes on by offset or page number */
	CFDW_MODE_TIMESTAMP,  /* asks for what changed since the greatest timestamp */
	CFDW_MODE_SYNC_TOKEN, /* asks with a token that the walk before has found */
	CFDW_MODE_KEYS        /* reads all, hands up unknown keys */
} CfdwMode;

typedef enum CfdwOrder
{
	CFDW_ORDER_NONE,
	CFDW_ORDER_ASC,
	CFDW_ORDER_DESC
} CfdwOrder;

/* Does the mode need a store? */
#define cfdw_mode_has_store(mode) \
	((mode) == CFDW_MODE_TIMESTAMP || (mode) == CFDW_MODE_SYNC_TOKEN || (mode) == CFDW_MODE_KEYS)

/* Rules of CFDW_MODE_TIMESTAMP; ticks as in stamp.h. */
typedef struct CfdwTimeRules
{
	CfdwOrder order;
	bool filtered;      /* requests carry {since}: the API filters; else we drop what is older */
	bool exclusive;     /* the API may compare with ">": ask one unit earlier */
	bool unchecked;     /* the API filters by another field: older records are no error */
	bool has_clock;     /* ticks are times, to be compared with the server's clock */
	int64 granularity;  /* unit of the API's timestamps, in ticks; at least 1 */
	int64 coarseness;   /* the text of a question may say so much less than its tick, as a date does; 0: it is exact */
	int64 lookback;     /* asked again at the start of each walk, in ticks */
	int64 window;       /* length of a window, in ticks; 0: none */
	CfdwStamp initial;  /* where the first walk begins; need not exist */
	bool numeric;       /* since and until are JSON numbers */
	const char *column; /* for messages */
	/* A tick in the format of the API's parameter. */
	const char *(*render)(void *arg, CfdwArena *arena, int64 tick);
	void *arg;
} CfdwTimeRules;

typedef enum CfdwJudgement
{
	CFDW_HAND_UP,
	CFDW_KNOWN,     /* handed up before */
	CFDW_HELD_BACK, /* its unit of time is not over: left for the next walk */
	CFDW_TOO_OLD    /* older than asked, where the API does not filter */
} CfdwJudgement;

/* What a store says of one record. */
typedef struct CfdwFact
{
	const char *key;
	CfdwStamp stamp;       /* of the timestamp column; mode timestamp only */
	bool known;            /* handed up before (key and stamp), or earlier on this page */
	CfdwJudgement verdict; /* set by the walk */
} CfdwFact;

typedef struct CfdwWalkStore
{
	/* Fill key, stamp and known for the records of a page.  May not return. */
	void (*describe)(void *arg, CfdwArena *arena, const CfdwPage *page, CfdwFact *facts);
	/* A record is being handed up: it is known from now on. */
	void (*deliver)(void *arg, const CfdwFact *fact);
	void *arg;
} CfdwWalkStore;

typedef struct CfdwWalkSpec
{
	CfdwEndpoint endpoint;
	CfdwExchangeRules exchange;
	CfdwMode mode;
	CfdwTimeRules time;  /* mode timestamp */
	CfdwWalkStore store; /* modes with a store */
	CfdwOrder order;
	int64 max_pages;               /* cap over the whole walk, 0: none; reaching it with more to come is CFDW_ERR_LIMIT */
	int64 batch_pages;             /* stop after so many pages, at a position from which the walk goes on; 0: no bound */
	int64 batch_us;                /* stop after the page during which so much time is over; 0: no bound */
	int prefetch;                  /* pages asked ahead of the one being read: 0 or 1 */
	bool keyed;                    /* keys identify a record wherever it is served; else only within its page */
	bool may_pause;                /* a server that wants to be left alone for long ends the batch, if something was handed up; else it is an error */
	bool stateful;                 /* the cursor is a server-side iterator: nothing is asked ahead, twice or resumed */
	CfdwStatuses expired_statuses; /* that say that a stored page or token is gone */
	const char *expired_match;     /* NULL, or text that an error's body has then, in any case */
	bool may_restart;              /* drop such a page and go on without it; else it is an error */
	const CfdwWaiter *waiter;
} CfdwWalkSpec;

typedef struct CfdwWalkRecord
{
	CfdwSlice bytes;
	CfdwSlice member; /* JSON string text of its member name, data NULL: none */
	int number;       /* in its page, from 1 */
	const char *url;  /* of its page, secrets masked */
} CfdwWalkRecord;

/* What a walk did, for the commit log and EXPLAIN ANALYZE. */
typedef struct CfdwWalkCounts
{
	int64 records;   /* handed up */
	int64 skipped;   /* known, not handed up */
	int64 held_back; /* left for the next walk */
	int64 rejected;  /* could not be used, not handed up */
	int64 pages;
	int64 requests; /* sent, those asked ahead included */
	int64 retries;  /* of these, because an earlier one failed */
	int64 bytes;    /* of bodies, decompressed */
	int64 http_us;  /* from the start of these pages' requests to their last byte; those asked ahead overlap with other work */
} CfdwWalkCounts;

typedef struct CfdwWalk CfdwWalk;

/* Nothing is fetched yet.  spec is copied by value; its strings, and the position's, must outlive arena. */
extern bool cfdw_walk_open(CfdwArena *arena, const CfdwWalkSpec *spec, const CfdwPosition *from, CfdwWalk **out, CfdwError *err);

/* Modes cursor and offset: a key of the records already handed up from the position's page.  Before the first next. */
extern void cfdw_walk_know(CfdwWalk *walk, const char *key);

/*
 * The next record that may be new; *end at the end of the walk or of the
 * batch (and from then on).  May not return (the waiter, the store).  Errors:
 * those of exchange, page and pagination, with the URL in DETAIL;
 * CFDW_ERR_LIMIT for max_pages; CFDW_ERR_LOOP if the API serves the same bytes
 * for the same request again, or for the next computed page;
 * CFDW_ERR_SHIFTED if the position's page no longer begins with its known
 * records; CFDW_ERR_RECORD for a record older than asked; CFDW_ERR_MISSING if
 * no page had a sync token.
 */
extern bool cfdw_walk_next(CfdwWalk *walk, CfdwWalkRecord *record, bool *end, CfdwError *err);

/*
 * Shall the record last returned be handed up?  Marks it as processed; it is
 * known from then on.  key: modes cursor and offset, else NULL.
 */
extern bool cfdw_walk_offer(CfdwWalk *walk, const char *key, bool *hand_up, CfdwError *err);

/*
 * After an offer: the caller does not hand the record up although it should,
 * as it cannot be used (again: as before); or hands it up although it is known.
 */
extern void cfdw_walk_reject(CfdwWalk *walk, bool again);
extern void cfdw_walk_reopen(CfdwWalk *walk);

/* Where a later walk goes on, as of now; valid as long as the walk's arena, until the next call of next. */
extern CfdwPosition cfdw_walk_position(const CfdwWalk *walk);

/* Has the walk reached its true end? */
extern bool cfdw_walk_at_end(const CfdwWalk *walk);

/* Milliseconds for which the server wants to be left alone, where that ended the batch; else 0. */
extern int64 cfdw_walk_pause_ms(const CfdwWalk *walk);

/* Modes cursor and offset: the keys to store with that position. */
extern void cfdw_walk_each_key(CfdwWalk *walk, void (*fn)(const char *key, void *arg), void *arg);

/* Modes with a store: which of its entries can still be served again, given the position? */
typedef enum CfdwKeep
{
	CFDW_KEEP_ALL,
	CFDW_KEEP_NONE,
	CFDW_KEEP_FROM /* those with a stamp of at least *from, and those without */
} CfdwKeep;
extern CfdwKeep cfdw_walk_keep(const CfdwWalk *walk, int64 *from);

/* For messages: the number of the page being read or waited for, from 1; 0 before the first. */
extern int64 cfdw_walk_page_number(const CfdwWalk *walk);
extern const CfdwWalkCounts *cfdw_walk_counts(const CfdwWalk *walk);

#endif /* CFDW_WALK_H */
