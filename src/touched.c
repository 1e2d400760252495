/*
 * touched.c
 *	  The streams that this transaction takes records from.
 */
#include "touched.h"

#include "utils/memutils.h"

/* In TopTransactionContext. */
static List *touched = NIL;

static void
forget(void *arg)
{
	touched = NIL;
}

CfdwTouched *
cfdw_touched_add(Oid foreign_table, const char *consumer, const char *partition)
{
	MemoryContext old = MemoryContextSwitchTo(TopTransactionContext);
	CfdwTouched *entry = palloc0(sizeof(CfdwTouched));

	entry->foreign_table = foreign_table;
	entry->consumer = pstrdup(consumer);
	entry->partition = pstrdup(partition);
	if (touched == NIL)
		cfdw_arena_on_reset(TopTransactionContext, forget, NULL);
	touched = lappend(touched, entry);
	MemoryContextSwitchTo(old);
	return entry;
}

List *
cfdw_touched_list(void)
{
	return touched;
}
