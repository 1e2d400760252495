/*
 * walk_rules.h
 *	  Inside of a walk: the page at hand, and the rules of each mode.
 *
 * walk.c turns pages; what to ask first, what to make of a page, and where a
 * later walk goes on is decided by one set of rules for each mode.
 */
#ifndef CFDW_WALK_RULES_H
#define CFDW_WALK_RULES_H

#include "walk.h"

/* All that names a request. */
typedef struct CfdwAsk
{
	CfdwStep step;
	CfdwQuestion question;
	bool reread;  /* position.page once more, on purpose */
	bool overlap; /* offset: begins one record early, that record must be the anchor */
} CfdwAsk;

/* One page, from its request on. */
typedef struct CfdwFetch
{
	CfdwArena *arena; /* of all that belongs to the page */
	CfdwAsk ask;
	uint64 request; /* hash of what was asked, without the secret parameter */
	CfdwExchange *exchange;
	const CfdwResponse *response;
	int64 sent_at; /* by our clock, microseconds since 1970 */
	int64 clock;   /* the server's when it began to answer; ours at sent_at if it has none or is more than a day off */
	CfdwPage page;
	bool nothing;    /* its status means that no page follows */
	CfdwFact *facts; /* modes with a store: one a record */
	bool more;       /* is there another request to make after this page? */
	CfdwAsk next;    /* that request; rules may change it when they enter the page */
} CfdwFetch;

typedef struct CfdwWalkRules
{
	/* The first request of a statement. */
	bool (*first)(CfdwWalk *walk, CfdwAsk *ask, CfdwError *err);
	/* A page has come (walk->fetch): look at it and decide what comes next.  May turn to another page. */
	bool (*enter)(CfdwWalk *walk, CfdwError *err);
	/* The record that next returned last; walk->offered counts it already. */
	bool (*offer)(CfdwWalk *walk, const char *key, bool *hand_up, CfdwError *err);
	/* The position as of now: the page may be used up (is_done), or not. */
	void (*settle)(const CfdwWalk *walk, bool is_done, CfdwPosition *position);
	/* No page follows: close the walk, or *again if it goes on with a request of its own (*ask). */
	bool (*finish)(CfdwWalk *walk, CfdwPosition *position, CfdwAsk *ask, bool *again, CfdwError *err);
} CfdwWalkRules;

extern const CfdwWalkRules cfdw_rules_none;
extern const CfdwWalkRules cfdw_rules_append; /* cursor, offset */
extern const CfdwWalkRules cfdw_rules_time;
extern const CfdwWalkRules cfdw_rules_set; /* sync_token, keys */

struct CfdwWalk
{
	CfdwArena *arena;
	CfdwWalkSpec spec;
	const CfdwWalkRules *rules;
	CfdwPagination *pagination;

	CfdwArena *place; /* of the strings in position */
	CfdwPosition position;

	CfdwFetch *fetch;  /* the page being read */
	CfdwFetch *ahead;  /* the page asked ahead */
	int taken;         /* records of it that next has returned */
	int offered;       /* records of it that went through offer */
	bool rereading;    /* it is position.page once more */
	bool at_end;       /* the true end of the walk */
	bool stopped;      /* the end of the batch */
	bool expired;      /* the last error says that the page is gone */
	bool restarted;    /* an expired page was dropped: once a statement */
	int64 asked_ms;    /* with the last error: so long the server wants to be left alone; 0: it does not say */
	int64 deadline;    /* of the batch, microseconds since 1970; 0: none */
	int64 page_number; /* being read or waited for */
	int largest;       /* records of the largest page so far */
	int rows_to_poll;
	CfdwLastPage last; /* for the loop guard */
	CfdwWalkCounts counts;

	/* walk_append.c */
	CfdwKeys *current;  /* keys of the records of position.page */
	CfdwKeys *previous; /* keyed lists: of the page before it */
	CfdwKeys *tally;    /* lists without key: equal records of the page */
	CfdwBuf anchor;     /* offset pagination: key of the last record handed up */
	bool had_keys;      /* rereading: records of it are known */
	bool unknown_seen;  /* … and an unknown one has come */
	bool confirming;    /* page_number: the page is asked again because the next one has records */

	/* walk_time.c */
	CfdwArena *question_arena;
	CfdwQuestion question; /* what the open pass asks */
	CfdwStamp asked;       /* its since, as a tick; may not exist */
	CfdwStamp goal;        /* anchored: where the page leaves the anchor */
	int64 clock;           /* anchored: the server's, at the first page of the pass */
	bool repeated;         /* anchored: the pass asks the same as the one before */
	int64 pass_news;       /* anchored: records of the pass that were new */
};

/* Ask for a page and enter it.  ask may be part of the page at hand. */
extern bool cfdw_walk_turn_to(CfdwWalk *walk, const CfdwAsk *ask, CfdwError *err);
/* Keep a position whose strings may lie anywhere. */
extern void cfdw_walk_keep_position(CfdwWalk *walk, const CfdwPosition *position);
/* Once for each page that is taken, not for one that is read again or set aside: loop guard and max_pages. */
extern bool cfdw_walk_count_page(CfdwWalk *walk, bool check_progress, CfdwError *err);
/* Put the URL of the page at hand before what DETAIL says already.  Returns false. */
extern bool cfdw_walk_fail_at(const CfdwFetch *fetch, CfdwError *err);
/* Ask the store about the page at hand. */
extern void cfdw_walk_describe(CfdwWalk *walk);
/* The walk goes on with its first request; what it knows else stays. */
extern void cfdw_walk_forget_pages(CfdwPosition *position);
/* Modes with a store that keep a page: count it, unless it is read again, and let it be position.page if it has records. */
extern bool cfdw_walk_take_page(CfdwWalk *walk, CfdwError *err);

/* walk_time.c: record_order asc, where the walk asks again from where each page ended. */
extern bool cfdw_walk_is_anchored(const CfdwWalk *walk);
/* As cfdw_walk_keep, for a position that is to be stored. */
extern CfdwKeep cfdw_walk_keep_at(const CfdwWalk *walk, const CfdwPosition *position, int64 *from);

#endif /* CFDW_WALK_RULES_H */
