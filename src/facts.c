/*
 * facts.c
 *	  Reading keys and timestamps of a whole page.
 */
#include "facts.h"

#include "utils/memutils.h"

struct CfdwFactReader
{
	CfdwRecordDecoder *decoder; /* of key and timestamp columns alone */
	const CfdwTimeColumn *time;
	CfdwDelivered *delivered;
	const CfdwRejects *rejects; /* NULL: an undecodable record is an error */
	const CfdwFact *facts;      /* of the page read last */
	MemoryContext row;
	Datum *values;
	bool *isnull;
	CfdwKeys *tally; /* lists without key: equal records of the page */
};

CfdwFactReader *
cfdw_facts_open(Relation relation, const CfdwTimeColumn *time, CfdwDelivered *delivered, const CfdwRejects *rejects)
{
	CfdwFactReader *reader = palloc0(sizeof(CfdwFactReader));
	int natts = RelationGetDescr(relation)->natts;

	reader->decoder = cfdw_record_open_keys(relation, time ? bms_make_singleton(cfdw_timecol_attnum(time)) : NULL);
	reader->time = time;
	reader->delivered = delivered;
	reader->rejects = rejects;
	reader->row = AllocSetContextCreate(CurrentMemoryContext, "checkpoint_fdw facts", ALLOCSET_DEFAULT_SIZES);
	reader->values = palloc0(sizeof(Datum) * natts);
	reader->isnull = palloc0(sizeof(bool) * natts);
	reader->tally = cfdw_keys_new(CurrentMemoryContext);
	return reader;
}

/* The facts of one record, but for known; its key and text go into arena. */
static void
read_record(CfdwFactReader *reader, CfdwArena *arena, const CfdwPage *page, int i, CfdwFact *fact)
{
	CfdwRecordInfo info = {.record = page->records[i], .number = i + 1, .url = page->url};
	char *key;

	if (page->keys != NULL)
		info.member = page->keys[i];
	cfdw_record_decode(reader->decoder, &info, reader->values, reader->isnull);
	key = cfdw_record_key(reader->decoder, &info, reader->values, reader->isnull);
	if (cfdw_record_has_key(reader->decoder))
		fact->key = cfdw_strdup(arena, key);
	else /* equal records of a page are different ones */
		fact->key = cfdw_printf(arena, "%s:%d", key, cfdw_keys_tally(reader->tally, key));
	if (reader->time != NULL)
	{
		CfdwStamp stamp = cfdw_timecol_stamp(reader->time, reader->decoder, reader->values, reader->isnull);

		fact->stamp = cfdw_stamp_copy(arena, &stamp);
	}
}

/* A record that is known only because it was rejected, and that has changed since. */
static void
reopen_rejected(const CfdwFactReader *reader, const CfdwPage *page, CfdwFact *facts)
{
	for (int i = 0; i < page->count; i++)
		if (facts[i].known && cfdw_rejects_reopens(reader->rejects, facts[i].key, &facts[i].stamp, page->records[i]))
			facts[i].known = false;
}

static void
describe(void *arg, CfdwArena *arena, const CfdwPage *page, CfdwFact *facts)
{
	CfdwFactReader *reader = arg;
	MemoryContext old = MemoryContextSwitchTo(reader->row);

	cfdw_keys_clear(reader->tally);
	for (int i = 0; i < page->count; i++)
	{
		MemoryContextReset(reader->row);
		read_record(reader, arena, page, i, &facts[i]);
	}
	cfdw_delivered_look_up(reader->delivered, page->count, facts);
	if (reader->rejects != NULL)
		reopen_rejected(reader, page, facts);
	reader->facts = facts;
	MemoryContextReset(reader->row);
	MemoryContextSwitchTo(old);
}

static void
deliver(void *arg, const CfdwFact *fact)
{
	CfdwFactReader *reader = arg;

	cfdw_delivered_add(reader->delivered, fact);
}

const CfdwFact *
cfdw_facts_at(const CfdwFactReader *reader, int number)
{
	return &reader->facts[number - 1];
}

CfdwWalkStore
cfdw_facts_store(CfdwFactReader *reader)
{
	CfdwWalkStore store = {describe, deliver, reader};

	return store;
}
