/*
 * stream.c
 *	  One stream of a scan, from its lock and first request to its checkpoint.
 */
#include "stream.h"

#include "facts.h"
#include "fingerprint.h"
#include "miscadmin.h"
#include "order.h"
#include "progress.h"
#include "report.h"
#include "spec.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/rel.h"
#include "utils/timestamp.h"
#include "wait.h"

struct CfdwReader
{
	CfdwScanCommon *common;
	MemoryContext context;
	CfdwWaiter waiter;
	CfdwCheckpoint *checkpoint; /* NULL: the table has none */
	CfdwVisit *visit;           /* NULL: does not advance */
	CfdwDelivered *delivered;   /* modes with a store */
	CfdwRejects *rejects;       /* option on_record_error reject */
	CfdwFactReader *facts;      /* modes with a store */
	CfdwRecordDecoder *keys;    /* with rejects, in the other modes: of key columns alone */
	CfdwOrderCheck *order;      /* the first page of a first walk; NULL: nothing to check */
	CfdwWalk *walk;
	int64 page;             /* of the record at hand */
	TimestampTz fetched_at; /* when that page came */
	TimestampTz started_at;
};

static bool
is_moving(const CfdwReader *reader)
{
	return reader->visit != NULL;
}

CfdwWalkCounts
cfdw_stream_counts(const CfdwScanCommon *common, const CfdwReader *reader)
{
	CfdwWalkCounts sum = common->closed;
	const CfdwWalkCounts *open = reader ? cfdw_walk_counts(reader->walk) : NULL;

	if (open != NULL)
	{
		sum.records += open->records;
		sum.skipped += open->skipped;
		sum.rejected += open->rejected;
		sum.held_back += open->held_back;
		sum.pages += open->pages;
		sum.requests += open->requests;
		sum.retries += open->retries;
		sum.bytes += open->bytes;
		sum.http_us += open->http_us;
	}
	return sum;
}

static void
show_progress(const CfdwReader *reader)
{
	CfdwScanCommon *common = reader->common;
	CfdwWalkCounts counts = cfdw_stream_counts(common, reader);

	cfdw_progress_show(common, common->foreign_table, &counts);
}

/* ---- times for EXPLAIN ANALYZE ---- */

static void
start_clock(const CfdwReader *reader, instr_time *begin)
{
	if (reader->common->timed)
		INSTR_TIME_SET_CURRENT(*begin);
}

static void
stop_clock(const CfdwReader *reader, const instr_time *begin, instr_time *sum)
{
	instr_time end;

	if (!reader->common->timed)
		return;
	INSTR_TIME_SET_CURRENT(end);
	INSTR_TIME_ACCUM_DIFF(*sum, end, *begin);
}

/* A walk may read many pages between two records, but it waits for each of them. */
static void
wait_for_page(void *arg, CfdwWaitFor what, CfdwPollFd *fds, int count, long timeout_ms)
{
	CfdwReader *reader = arg;
	instr_time begin;

	show_progress(reader);
	start_clock(reader, &begin);
	cfdw_latch_waiter.wait(cfdw_latch_waiter.arg, what, fds, count, timeout_ms);
	stop_clock(reader, &begin, &reader->common->times.waits[what]);
}

/* ---- open ---- */

/* Lock the checkpoint; false: another session has it and we are to skip. */
static bool
take_checkpoint(CfdwReader *reader, const CfdwStream *stream)
{
	CfdwScanCommon *common = reader->common;

	reader->visit = cfdw_registry_enter(common->visitor, stream);
	reader->checkpoint = cfdw_checkpoint_lock(stream, common->consumer);
	if (reader->checkpoint == NULL)
	{
		if (strcmp(stream->partition, "{}") == 0)
			ereport(NOTICE, (errmsg("another session loads foreign table \"%s\"; nothing was read", common->name)));
		else
			ereport(NOTICE, (errmsg("another session loads partition %s of foreign table \"%s\"; nothing was read of it", stream->partition, common->name)));
		return false;
	}
	cfdw_checkpoint_check_target(reader->checkpoint, common->consumer);
	return true;
}

/* Where does the stream stand?  Locks the checkpoint of a scan that advances; false: busy. */
static bool
find_start(CfdwReader *reader, const char *partition, const CfdwCheckpoint **from)
{
	CfdwScanCommon *common = reader->common;
	CfdwStream stream = {common->foreign_table, pstrdup(cfdw_guc_consumer), partition};

	*from = NULL;
	if (common->consumer == NULL)
		return true;
	if (common->visitor == NULL)
	{
		reader->checkpoint = cfdw_checkpoint_read(&stream);
		if (common->consumer->advances) /* EXPLAIN wants to know */
			cfdw_checkpoint_check_target(reader->checkpoint, common->consumer);
	}
	else if (!take_checkpoint(reader, &stream))
		return false;
	if (common->consumer->from_beginning)
		return true;
	cfdw_checkpoint_check_meaning(reader->checkpoint, common->fingerprint, common->visitor == NULL);
	*from = reader->checkpoint;
	return true;
}

/* The store of delivered keys, for a walk that wants one. */
static void
open_store(CfdwReader *reader, const CfdwCheckpoint *from, CfdwWalkSpec *spec)
{
	Relation relation = reader->common->node->ss.ss_currentRelation;
	CfdwTimeColumn *time = NULL;

	if (!cfdw_mode_has_store(spec->mode))
		return;
	if (spec->mode == CFDW_MODE_TIMESTAMP)
	{
		time = cfdw_timecol_open(relation, reader->common->options);
		cfdw_timecol_rules(time, reader->common->options, &spec->time);
	}
	reader->delivered = cfdw_delivered_open(reader->checkpoint, is_moving(reader), from == NULL);
	reader->facts = cfdw_facts_open(relation, time, reader->delivered, reader->rejects);
	spec->store = cfdw_facts_store(reader->facts);
}

/* A record is rejected by its key, so the key must be read before the rest of it. */
static void
open_rejects(CfdwReader *reader)
{
	CfdwScanCommon *common = reader->common;
	Relation relation = common->node->ss.ss_currentRelation;
	Bitmapset *wanted = NULL;

	reader->rejects = cfdw_rejects_open(reader->checkpoint, common->name, is_moving(reader));
	if (cfdw_mode_has_store(common->options->checkpoint))
		return;
	if (common->options->keyset_column != NULL)
		wanted = bms_make_singleton(get_attnum(common->foreign_table, common->options->keyset_column));
	reader->keys = cfdw_record_open_keys(relation, wanted);
}

static void
know_keys(CfdwReader *reader, const CfdwCheckpoint *from)
{
	int count;
	char **keys = cfdw_checkpoint_keys(from, !is_moving(reader), &count);

	for (int i = 0; i < count; i++)
		cfdw_walk_know(reader->walk, keys[i]);
}

/* For EXPLAIN ANALYZE, which shows the positions of a scan with one stream. */
static const char *
keep_text(const CfdwReader *reader, const char *text)
{
	return text ? MemoryContextStrdup(MemoryContextGetParent(reader->context), text) : NULL;
}

static void
note_began(CfdwReader *reader, const char *position)
{
	CfdwScanCommon *common = reader->common;

	if (common->streams++ == 0 && common->explained)
		common->began = keep_text(reader, position);
}

static void
note_ended(CfdwReader *reader)
{
	CfdwScanCommon *common = reader->common;
	CfdwPosition position;

	if (common->streams > 1 || !common->explained)
		return;
	position = cfdw_walk_position(reader->walk);
	common->ended = keep_text(reader, cfdw_position_dump(reader->context, &position));
}

static void
open_walk(CfdwReader *reader, const CfdwPartition *partition, const CfdwCheckpoint *from)
{
	CfdwScanCommon *common = reader->common;
	CfdwWalkSpec *spec = cfdw_spec_make(common->foreign_table, common->options, cfdw_record_has_key(common->decoder));
	CfdwPosition position;
	bool past_beginning;
	CfdwError err;

	spec->endpoint.columns = partition->variables;
	spec->may_pause = is_moving(reader);
	if (!is_moving(reader)) /* a peek shows all that is pending */
		spec->batch_pages = spec->batch_us = 0;
	reader->waiter = (CfdwWaiter){wait_for_page, reader};
	spec->waiter = &reader->waiter;
	if (common->options->reject_records)
		open_rejects(reader);
	open_store(reader, from, spec);
	if (!cfdw_position_parse(reader->context, from ? from->position : NULL, &position, &err) ||
		!cfdw_walk_open(reader->context, spec, &position, &reader->walk, &err))
		cfdw_report(&err);
	if (reader->delivered == NULL && from != NULL)
		know_keys(reader, from);
	note_began(reader, from ? from->position : NULL);
	past_beginning = position.has_page || position.since.exists || position.sync_token != NULL;
	if (!past_beginning)
		reader->order = cfdw_order_open(common->node->ss.ss_currentRelation, common->options);
	common->past_beginning |= past_beginning;
}

CfdwReader *
cfdw_stream_open(CfdwScanCommon *common, const CfdwPartition *partition)
{
	MemoryContext context = AllocSetContextCreate(CurrentMemoryContext, "checkpoint_fdw stream", ALLOCSET_DEFAULT_SIZES);
	MemoryContext old = MemoryContextSwitchTo(context);
	CfdwReader *reader = palloc0(sizeof(CfdwReader));
	const CfdwCheckpoint *from;

	reader->common = common;
	reader->context = context;
	reader->started_at = GetCurrentTimestamp();
	if (find_start(reader, partition->name, &from))
		open_walk(reader, partition, from);
	MemoryContextSwitchTo(old);
	if (reader->walk != NULL)
		return reader;
	MemoryContextDelete(context);
	return NULL;
}

/* ---- rows ---- */

/* The key and, in modes that have them, the timestamp of a record, before the rest is decoded. */
static CfdwFact
read_key(CfdwReader *reader, const CfdwRecordInfo *info, TupleTableSlot *slot)
{
	CfdwFact fact = {NULL};

	if (reader->facts != NULL)
		return *cfdw_facts_at(reader->facts, info->number);
	cfdw_record_decode(reader->keys, info, slot->tts_values, slot->tts_isnull);
	fact.key = cfdw_record_key(reader->keys, info, slot->tts_values, slot->tts_isnull);
	return fact;
}

/* The same as take_record, where a record that cannot be decoded is rejected. */
static bool
take_or_reject(CfdwReader *reader, const CfdwRecordInfo *info, TupleTableSlot *slot)
{
	CfdwFact fact = read_key(reader, info, slot);
	CfdwDecoded decoded;
	bool hand_up;
	CfdwError err;

	if (!cfdw_walk_offer(reader->walk, fact.key, &hand_up, &err))
		cfdw_report(&err);
	if (!hand_up)
	{
		if (!cfdw_rejects_reopens(reader->rejects, fact.key, &fact.stamp, info->record))
			return false;
		cfdw_walk_reopen(reader->walk);
	}
	else if (cfdw_rejects_corrected(reader->rejects, fact.key, &fact.stamp))
	{
		/* of two versions that a page has, the store let both through */
		cfdw_walk_reject(reader->walk, true);
		return false;
	}
	decoded = cfdw_rejects_decode(reader->rejects, reader->common->decoder, info, fact.key, &fact.stamp, slot->tts_values, slot->tts_isnull);
	if (decoded != CFDW_DECODED)
	{
		cfdw_walk_reject(reader->walk, decoded == CFDW_REJECTED_AGAIN);
		return false;
	}
	cfdw_bound_fill(reader->common->bound, slot->tts_values, slot->tts_isnull);
	if (reader->order != NULL)
		cfdw_order_note(reader->order, slot->tts_values, slot->tts_isnull);
	return true;
}

/* Decode a record into the slot, in the current context, and ask the walk whether it is new. */
static bool
take_record(CfdwReader *reader, const CfdwWalkRecord *record, TupleTableSlot *slot)
{
	CfdwScanCommon *common = reader->common;
	CfdwRecordInfo info = {
		.record = record->bytes, .member = record->member, .page = reader->page, .number = record->number, .fetched_at = reader->fetched_at, .url = record->url};
	char *key = NULL;
	bool hand_up;
	CfdwError err;

	if (common->stamps && is_moving(reader))
		info.batch = cfdw_checkpoint_batch(reader->checkpoint);
	if (reader->rejects != NULL)
		return take_or_reject(reader, &info, slot);
	cfdw_record_decode(common->decoder, &info, slot->tts_values, slot->tts_isnull);
	cfdw_bound_fill(common->bound, slot->tts_values, slot->tts_isnull);
	if (reader->order != NULL)
		cfdw_order_note(reader->order, slot->tts_values, slot->tts_isnull);
	if (common->options->checkpoint != CFDW_MODE_NONE)
		key = cfdw_record_key(common->decoder, &info, slot->tts_values, slot->tts_isnull);
	if (!cfdw_walk_offer(reader->walk, key, &hand_up, &err))
		cfdw_report(&err);
	return hand_up;
}

/* After the first page: a column that no record has is probably misnamed, and the list may be in the wrong order. */
static void
leave_page(CfdwReader *reader)
{
	CfdwScanCommon *common = reader->common;

	if (reader->page > 0 && reader->order != NULL)
	{
		cfdw_order_finish(reader->order);
		reader->order = NULL;
	}
	if (reader->page > 0 && !common->warned)
		cfdw_record_warn_missing(common->decoder);
	common->warned = common->warned || reader->page > 0;
}

static bool
find_record(CfdwReader *reader, TupleTableSlot *slot)
{
	CfdwWalkRecord record;
	CfdwError err;
	bool end;

	show_progress(reader);
	MemoryContextSwitchTo(reader->common->row);
	do
	{
		CHECK_FOR_INTERRUPTS();
		MemoryContextReset(reader->common->row);
		if (!cfdw_walk_next(reader->walk, &record, &end, &err))
			cfdw_report(&err);
		if (end)
		{
			leave_page(reader);
			return false;
		}
		if (reader->page != cfdw_walk_page_number(reader->walk))
		{
			leave_page(reader);
			reader->page = cfdw_walk_page_number(reader->walk);
			reader->fetched_at = GetCurrentTimestamp();
		}
	} while (!take_record(reader, &record, slot));
	return true;
}

bool
cfdw_stream_next(CfdwReader *reader, TupleTableSlot *slot)
{
	instr_time begin;
	bool found;

	start_clock(reader, &begin);
	found = find_record(reader, slot);
	stop_clock(reader, &begin, &reader->common->times.read);
	if (!found)
		return false;
	reader->common->records++;
	if (is_moving(reader))
	{
		reader->visit->taken = true;
		reader->checkpoint->touched->rows++;
	}
	return true;
}

CfdwPosition
cfdw_stream_position(const CfdwReader *reader)
{
	return cfdw_walk_position(reader->walk);
}

int64
cfdw_stream_page(const CfdwReader *reader)
{
	return cfdw_walk_page_number(reader->walk);
}

/* ---- close ---- */

static void
note_batch(CfdwScanCommon *common, int64 batch)
{
	if (batch == 0)
		return;
	if (common->batches++ == 0)
		common->first_batch = batch;
	common->last_batch = batch;
}

/* The position and the keys go into the catalog, in the transaction of the rows. */
static void
write_checkpoint(CfdwReader *reader)
{
	CfdwScanCommon *common = reader->common;
	int64 from = 0;
	CfdwKeep keep;

	if (reader->delivered != NULL && cfdw_checkpoint_has_moved(reader->checkpoint, reader->walk))
	{
		keep = cfdw_walk_keep(reader->walk, &from);
		cfdw_delivered_finish(reader->delivered, keep, from);
	}
	cfdw_checkpoint_write(reader->checkpoint, reader->walk, reader->delivered == NULL, common->consumer, common->fingerprint, reader->started_at);
	note_batch(common, reader->checkpoint->batch);
}

void
cfdw_stream_close(CfdwReader *reader)
{
	MemoryContext old = MemoryContextSwitchTo(reader->context);

	note_ended(reader);
	if (is_moving(reader))
		write_checkpoint(reader);
	if (reader->rejects != NULL)
		cfdw_rejects_finish(reader->rejects);
	reader->common->closed = cfdw_stream_counts(reader->common, reader);
	MemoryContextSwitchTo(old);
	MemoryContextDelete(reader->context);
}
