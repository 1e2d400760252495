/*
 * registry.c
 *	  The streams that statements of this backend take records from.
 */
#include "registry.h"

#include "common/hashfn.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"

struct CfdwVisitor
{
	MemoryContext context;
	slist_head visits;
	MemoryContextCallback callback;
};

typedef struct Entry
{
	CfdwStream stream;
	CfdwVisit *visit;
	uint32 hash;
	char status;
} Entry;

static uint32
hash_stream(CfdwStream stream)
{
	uint32 consumer = hash_bytes((const unsigned char *) stream.consumer, (int) strlen(stream.consumer));
	uint32 partition = hash_bytes((const unsigned char *) stream.partition, (int) strlen(stream.partition));

	return hash_combine(hash_combine(stream.foreign_table, consumer), partition);
}

static bool
is_same(CfdwStream a, CfdwStream b)
{
	return a.foreign_table == b.foreign_table && strcmp(a.consumer, b.consumer) == 0 && strcmp(a.partition, b.partition) == 0;
}

#define SH_PREFIX               visits
#define SH_ELEMENT_TYPE         Entry
#define SH_KEY_TYPE             CfdwStream
#define SH_KEY                  stream
#define SH_HASH_KEY(table, key) hash_stream(key)
#define SH_EQUAL(table, a, b)   is_same(a, b)
#define SH_STORE_HASH
#define SH_GET_HASH(table, entry) (entry)->hash
#define SH_SCOPE                  static inline
#define SH_DECLARE
#define SH_DEFINE
#include "lib/simplehash.h"

static visits_hash *table = NULL;

void
cfdw_registry_leave(CfdwVisitor *visitor)
{
	while (!slist_is_empty(&visitor->visits))
	{
		CfdwVisit *visit = slist_container(CfdwVisit, link, slist_pop_head_node(&visitor->visits));

		visits_delete(table, visit->stream);
	}
}

static void
leave_at_reset(void *arg)
{
	cfdw_registry_leave(arg);
}

CfdwVisitor *
cfdw_registry_open(MemoryContext query_context)
{
	CfdwVisitor *visitor = MemoryContextAllocZero(query_context, sizeof(CfdwVisitor));

	if (table == NULL)
		table = visits_create(TopMemoryContext, 16, NULL);
	visitor->context = query_context;
	slist_init(&visitor->visits);
	visitor->callback.func = leave_at_reset;
	visitor->callback.arg = visitor;
	MemoryContextRegisterResetCallback(query_context, &visitor->callback);
	return visitor;
}

static CfdwVisit *
add_visit(CfdwVisitor *visitor, const CfdwStream *stream)
{
	CfdwVisit *visit = MemoryContextAllocZero(visitor->context, sizeof(CfdwVisit));
	bool found;

	visit->visitor = visitor;
	visit->stream.foreign_table = stream->foreign_table;
	visit->stream.consumer = MemoryContextStrdup(visitor->context, stream->consumer);
	visit->stream.partition = MemoryContextStrdup(visitor->context, stream->partition);
	visits_insert(table, visit->stream, &found)->visit = visit;
	slist_push_head(&visitor->visits, &visit->link);
	return visit;
}

static void
refuse_again(const CfdwStream *stream)
{
	if (strcmp(stream->partition, "{}") == 0)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("the plan reads foreign table \"%s\" again after it has taken records from it", get_rel_name(stream->foreign_table)),
				 errhint("Load into a temporary table first (CREATE TEMP TABLE … ON COMMIT DROP AS SELECT …, in a transaction block), then join that.")));
	ereport(ERROR,
			(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
			 errmsg("the plan reads partition %s of foreign table \"%s\" again after it has taken records from it", stream->partition, get_rel_name(stream->foreign_table)),
			 errhint("Join with each value once (SELECT DISTINCT …), or load into a temporary table first and join that.")));
}

CfdwVisit *
cfdw_registry_enter(CfdwVisitor *visitor, const CfdwStream *stream)
{
	Entry *entry = visits_lookup(table, *stream);

	if (entry == NULL)
		return add_visit(visitor, stream);
	if (entry->visit->visitor != visitor)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_IN_USE),
				 errmsg("the checkpoint of foreign table \"%s\" is being advanced by another scan of this session", get_rel_name(stream->foreign_table)),
				 errdetail("A self-join, a UNION ALL, a trigger or a function reads the table while a statement loads from it."),
				 errhint("Load once into a temporary table and read that, or use another checkpoint_fdw.consumer.")));
	if (entry->visit->taken)
		refuse_again(stream);
	return entry->visit;
}
