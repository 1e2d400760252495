/*
 * walk_store.h
 *	  A database that loads from the API of walk_api.h.
 *
 * A statement is a walk up to a LIMIT or to the end of a batch; it commits, or
 * the store stays as it was.  A history is statements while the API changes;
 * then the API rests, the walk runs until it is quiet, and every record must
 * have been committed exactly once in its last version.
 */
#ifndef WALK_STORE_H
#define WALK_STORE_H

#include "walk_api.h"

typedef struct Entry
{
	int key;
	bool has_time;
	int64 tick;
} Entry;

typedef struct Store
{
	char position[2000];
	int count;
	Entry entries[MAX_VERSIONS];
	int versions[MAX_VERSIONS]; /* how often each was committed */
	int records[MAX_VERSIONS];
} Store;

/* How the table is declared. */
static struct
{
	CfdwMode mode;
	CfdwOrder order;
	bool filtered;
	bool exclusive;
	bool unchecked;
	int64 granularity; /* seconds, as all here */
	int64 lookback;
	int64 window;
	int64 initial; /* 0: none */
	bool marked;   /* times that the walk renders end in "r" */
	int page_size;
	int64 max_pages;
	bool restarts;      /* on_expired */
	bool versions;      /* the version is a part of the key */
	bool by_sync_param; /* the sync token is a parameter, else a URL */
} table;

typedef struct Statement
{
	int limit; /* LIMIT; -1: none */
	int batch_pages;
	int prefetch;
	bool rollback;
} Statement;

/* Of the last statement. */
static struct
{
	CfdwWalkCounts counts;
	bool at_end;
	bool twice; /* one key more than once */
} last;

static Store *store; /* what is committed */
static Store *work;  /* as the open statement sees it */

static bool
is_known(const Entry *entry)
{
	for (int i = work->count - 1; i >= 0; i--)
	{
		const Entry *known = &work->entries[i];

		if (known->key == entry->key && (table.mode != CFDW_MODE_TIMESTAMP ||
										 (known->has_time == entry->has_time && known->tick == entry->tick)))
			return true;
	}
	return false;
}

static void
read_record(const char *text, int *id, int64 *time, int *version)
{
	*time = NO_TIME;
	if (sscanf(text, "{\"id\": %d, \"t\": " INT64_FORMAT ", \"v\": %d", id, time, version) != 3 &&
		sscanf(text, "{\"id\": %d, \"t\": null, \"v\": %d", id, version) != 2)
		abort();
}

static Entry
entry_of(const CfdwFact *fact)
{
	return (Entry){atoi(fact->key), fact->stamp.exists, fact->stamp.tick};
}

static void
describe(void *arg, CfdwArena *arena, const CfdwPage *page, CfdwFact *facts)
{
	for (int i = 0; i < page->count; i++)
	{
		CfdwFact *fact = &facts[i];
		Entry entry;
		int64 time;
		int version;
		int id;

		read_record(page->records[i].data, &id, &time, &version);
		fact->key = cfdw_printf(arena, "%d", table.versions ? version : id);
		if (time != NO_TIME)
		{
			fact->stamp.exists = true;
			fact->stamp.tick = time * SECOND;
			fact->stamp.text = cfdw_printf(arena, INT64_FORMAT, time);
		}
		entry = entry_of(fact);
		fact->known = is_known(&entry);
		for (int k = 0; k < i && !fact->known; k++)
		{
			Entry earlier = entry_of(&facts[k]);

			fact->known = earlier.key == entry.key && earlier.tick == entry.tick;
		}
	}
}

static void
deliver(void *arg, const CfdwFact *fact)
{
	work->entries[work->count++] = entry_of(fact);
}

static void
prune(CfdwKeep keep, int64 from)
{
	int count = 0;

	for (int i = 0; i < work->count; i++)
	{
		const Entry *entry = &work->entries[i];

		if (keep == CFDW_KEEP_ALL || (keep == CFDW_KEEP_FROM && (!entry->has_time || entry->tick >= from)))
			work->entries[count++] = *entry;
	}
	work->count = count;
}

static const char *
render(void *arg, CfdwArena *arena, int64 tick)
{
	return cfdw_printf(arena, INT64_FORMAT "%s", cfdw_tick_floor(tick, SECOND) / SECOND, table.marked ? "r" : "");
}

/* The table as one would declare it for the API. */
static void
table_begin(CfdwMode mode)
{
	memset(&table, 0, sizeof(table));
	table.mode = mode;
	table.order = mode == CFDW_MODE_TIMESTAMP ? api.order : CFDW_ORDER_NONE;
	table.filtered = !api.deaf;
	table.exclusive = api.exclusive;
	table.granularity = api.granularity;
}

static void
make_time_rules(CfdwTimeRules *rules)
{
	rules->order = table.order;
	rules->filtered = table.filtered;
	rules->exclusive = table.exclusive;
	rules->unchecked = table.unchecked;
	rules->has_clock = !api.sequence;
	rules->granularity = table.granularity * SECOND;
	rules->lookback = table.lookback * SECOND;
	rules->window = table.window * SECOND;
	rules->initial.exists = table.initial != 0;
	rules->initial.tick = table.initial * SECOND;
	rules->column = "t";
	rules->render = render;
}

static void
make_paging(CfdwEndpoint *endpoint)
{
	endpoint->page_size = table.page_size;
	switch (api.paging)
	{
		case BY_TOKEN:
			endpoint->pagination = CFDW_PAGINATION_CURSOR;
			endpoint->cursor_path = "/next";
			endpoint->cursor_param = "at";
			break;
		case BY_LINK:
			endpoint->pagination = CFDW_PAGINATION_NEXT_URL;
			endpoint->next_url_path = "/next";
			break;
		case BY_NUMBER:
			endpoint->pagination = CFDW_PAGINATION_PAGE_NUMBER;
			endpoint->page_param = "at";
			endpoint->page_start = "0";
			break;
		case BY_OFFSET:
			endpoint->pagination = CFDW_PAGINATION_OFFSET;
			endpoint->offset_param = "at";
			break;
		case SINGLE:
			break;
	}
}

static void
make_spec(CfdwArena *arena, CfdwWalkSpec *spec, const Statement *statement)
{
	CfdwEndpoint *endpoint = &spec->endpoint;
	CfdwError err;

	memset(spec, 0, sizeof(*spec));
	endpoint->base_url = "http://127.0.0.1";
	endpoint->endpoint = "/list";
	endpoint->method = "GET";
	endpoint->timestamp_param = table.mode == CFDW_MODE_TIMESTAMP && table.filtered ? "since" : NULL;
	endpoint->until_param = table.window > 0 ? "until" : NULL;
	endpoint->sync_token_path = table.mode == CFDW_MODE_SYNC_TOKEN ? "/sync" : NULL;
	endpoint->sync_token_param = table.by_sync_param ? "sync" : NULL;
	make_paging(endpoint);
	spec->exchange.page.has_path = true;
	CHECK(cfdw_pointer_parse(arena, "/data", true, &spec->exchange.page.records_path, &err));
	spec->mode = table.mode;
	spec->order = table.order;
	make_time_rules(&spec->time);
	spec->store = (CfdwWalkStore){describe, deliver, NULL};
	spec->max_pages = table.max_pages;
	spec->batch_pages = statement->batch_pages;
	spec->prefetch = statement->prefetch;
	spec->keyed = true;
	CHECK(cfdw_statuses_parse("410", &spec->expired_statuses));
	spec->may_restart = table.restarts;
}

/* A record goes into the table. */
static void
insert(const CfdwWalkRecord *record, bool *seen)
{
	int64 time;
	int version;
	int id;

	read_record(record->bytes.data, &id, &time, &version);
	work->versions[version]++;
	work->records[id]++;
	last.twice = last.twice || seen[id];
	seen[id] = true;
}

/* Put what the statement leaves behind into the store. */
static void
leave(CfdwArena *arena, CfdwWalk *walk)
{
	CfdwPosition position = cfdw_walk_position(walk);
	int64 from = 0;
	CfdwKeep keep = cfdw_walk_keep(walk, &from);

	snprintf(work->position, sizeof(work->position), "%s", cfdw_position_dump(arena, &position));
	prune(keep, from);
	last.counts = *cfdw_walk_counts(walk);
	last.at_end = cfdw_walk_at_end(walk);
}

/* Run one statement.  Returns the rows handed up, or -1 after an error. */
static int
run(Statement statement, CfdwError *err)
{
	CfdwArena *arena = cfdw_arena_new(NULL, "statement");
	bool seen[MAX_VERSIONS] = {false};
	CfdwPosition position;
	CfdwWalkSpec spec;
	CfdwWalk *walk;
	CfdwWalkRecord record;
	bool end = false;
	bool hand_up;
	bool ok;
	int rows = 0;

	*work = *store;
	memset(&last, 0, sizeof(last));
	make_spec(arena, &spec, &statement);
	ok = cfdw_position_parse(arena, store->position[0] ? store->position : NULL, &position, err) &&
		 cfdw_walk_open(arena, &spec, &position, &walk, err);
	while (ok && rows != statement.limit && (ok = cfdw_walk_next(walk, &record, &end, err)) && !end)
	{
		ok = cfdw_walk_offer(walk, NULL, &hand_up, err);
		if (ok && hand_up)
		{
			insert(&record, seen);
			rows++;
		}
	}
	if (ok)
		leave(arena, walk);
	if (ok && !statement.rollback)
		*store = *work;
	cfdw_arena_free(arena);
	return ok ? rows : -1;
}

static void
store_begin(void)
{
	if (store == NULL)
	{
		store = malloc(sizeof(Store));
		work = malloc(sizeof(Store));
	}
	memset(store, 0, sizeof(Store));
}

static void
store_end(void)
{
	free(store);
	free(work);
	store = work = NULL;
}

/* ---- single rules: a list that changes by hand only ---- */

static CfdwError err;

/* A new list, and a table over it in mode timestamp. */
static inline void
begin(CfdwOrder order, Paging paging, int limit)
{
	api_begin(order, paging, limit);
	api.logging = true;
	table_begin(CFDW_MODE_TIMESTAMP);
	store_begin();
}

/* Records dated from first to last, one a second. */
static inline void
add(int64 first, int64 last_time)
{
	for (int64 time = first; time <= last_time; time++)
		api_create(time);
}

/* Load up to a LIMIT (-1: all); the log is that of this statement. */
static inline int
load(int limit)
{
	api.log[0] = '\0';
	return run((Statement){limit, 0, 0, false}, &err);
}

static inline bool
position_has(const char *text)
{
	return strstr(store->position, text) != NULL;
}

static inline bool
position_has_time(const char *name, int64 time)
{
	char text[100];
	const char *place;

	snprintf(text, sizeof(text), "\"%s\": {", name);
	place = strstr(store->position, text);
	snprintf(text, sizeof(text), "\"value\": " INT64_FORMAT "}", time * SECOND);
	return place != NULL && strncmp(place + strcspn(place, "}") + 1 - strlen(text), text, strlen(text)) == 0;
}

/* ---- histories ---- */

typedef struct Outcome
{
	int lost;          /* the last version of a live record was never committed */
	int doubled;       /* a version was committed twice */
	int twice;         /* a key came twice in one statement */
	int stuck;         /* never comes to rest */
	int failed;        /* an error */
	unsigned int seed; /* of the first that was not well */
} Outcome;

/* whole: a record counts, whatever its version. */
static inline void
judge(Outcome *outcome, bool whole)
{
	const int *delivered = whole ? store->records : store->versions;
	bool lost = false;
	bool doubled = false;

	for (int i = 0; i < api.count; i++)
		lost = lost || delivered[whole ? api.rows[i].id : api.rows[i].version] == 0;
	for (int i = 0; i < MAX_VERSIONS; i++)
		doubled = doubled || delivered[i] > 1;
	outcome->lost += lost;
	outcome->doubled += doubled;
}

/* Statements at random while the API changes. */
static inline int
run_some(int statements, Outcome *outcome, CfdwError *err)
{
	static const int limits[] = {-1, -1, 1, 2, 4};
	bool twice = false;
	int rows = 0;

	for (int n = 0; n < statements && rows >= 0; n++)
	{
		Statement statement = {limits[draw(5)], draw(4) == 0 ? 1 + draw(2) : 0, draw(2), draw(4) == 0};

		api.refuse = table.restarts && draw(2);
		rows = run(statement, err);
		twice = twice || last.twice;
		for (int steps = draw(3); steps > 0; steps--)
			api_step();
	}
	outcome->twice += twice;
	return rows;
}

/* The API rests: run until nothing is new and the position stays.  -1: error, 1: still moving. */
static inline int
run_until_quiet(CfdwError *err)
{
	char before[sizeof(store->position)];
	int rows = 0;

	api.clock += api.granularity;
	api.budget = 0;
	for (int n = 0; n < 100 && rows >= 0; n++)
	{
		api.refuse = table.restarts && draw(2);
		memcpy(before, store->position, sizeof(before));
		rows = run((Statement){-1, 0, draw(2), false}, err);
		if (rows == 0 && strcmp(before, store->position) == 0)
			return 0;
	}
	return rows < 0 ? -1 : 1;
}

#endif /* WALK_STORE_H */
