/*
 * order.c
 *	  A first page on which the time falls all the way.
 */
#include "order.h"

#include "catalog/pg_type.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/timestamp.h"

#define ENOUGH_RECORDS 10 /* fewer may fall by chance */

struct CfdwOrderCheck
{
	char *table;
	char *column;
	int index; /* into values */
	int count; /* of records with a time */
	int falls; /* of times that are before the one above them */
	bool rises;
	TimestampTz last;
};

/* The first timestamptz column whose value is in the record; -1: there is none. */
static int
find_column(Relation relation)
{
	TupleDesc desc = RelationGetDescr(relation);

	for (int i = 0; i < desc->natts; i++)
	{
		Form_pg_attribute attribute = TupleDescAttr(desc, i);

		if (!attribute->attisdropped && getBaseType(attribute->atttypid) == TIMESTAMPTZOID &&
			cfdw_options_for_column(RelationGetRelid(relation), attribute->attnum)->source == CFDW_SOURCE_VALUE)
			return i;
	}
	return -1;
}

CfdwOrderCheck *
cfdw_order_open(Relation relation, const CfdwOptions *options)
{
	CfdwOrderCheck *check;
	int index;

	if ((options->checkpoint != CFDW_MODE_CURSOR && options->checkpoint != CFDW_MODE_OFFSET) || options->record_order != CFDW_ORDER_NONE)
		return NULL;
	index = find_column(relation);
	if (index < 0)
		return NULL;
	check = palloc0(sizeof(CfdwOrderCheck));
	check->table = pstrdup(RelationGetRelationName(relation));
	check->column = pstrdup(NameStr(TupleDescAttr(RelationGetDescr(relation), index)->attname));
	check->index = index;
	return check;
}

void
cfdw_order_note(CfdwOrderCheck *check, const Datum *values, const bool *isnull)
{
	TimestampTz value = DatumGetTimestampTz(values[check->index]);

	if (isnull[check->index]) /* or nobody wants the column */
		return;
	if (check->count++ > 0)
	{
		check->rises = check->rises || value > check->last;
		check->falls += value < check->last;
	}
	check->last = value;
}

void
cfdw_order_finish(const CfdwOrderCheck *check)
{
	if (check->count < ENOUGH_RECORDS || check->rises || check->falls <= check->count / 2)
		return;
	ereport(ERROR,
			(errcode(ERRCODE_FDW_ERROR),
			 errmsg("the API lists the records of foreign table \"%s\" newest first", check->table),
			 errdetail("\"%s\" falls from record to record on the first page. A load goes on behind the last record of the one before, where nothing new would come.", check->column),
			 errhint("Ask the API for ascending order in params, or set checkpoint 'timestamp' with timestamp_column '%s' and record_order 'desc'. If new records do come last, set record_order 'asc'.", check->column)));
}
