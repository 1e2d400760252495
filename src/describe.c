/*
 * describe.c
 *	  A position in words.
 */
#include "describe.h"

#include "catalog/pg_type.h"
#include "commands/defrem.h"
#include "foreign/foreign.h"
#include "lib/stringinfo.h"
#include "miscadmin.h"
#include "utils/datetime.h"
#include "utils/lsyscache.h"
#include "utils/timestamp.h"

#define SINCE_1970 ((int64) (POSTGRES_EPOCH_JDATE - UNIX_EPOCH_JDATE) * USECS_PER_DAY)

static const char *
option_of(List *options, const char *name)
{
	ListCell *cell;

	foreach(cell, options)
	{
		DefElem *option = lfirst_node(DefElem, cell);

		if (strcmp(option->defname, name) == 0)
			return defGetString(option);
	}
	return NULL;
}

static bool
is_epoch(const char *format)
{
	return format != NULL && strncmp(format, "epoch", strlen("epoch")) == 0;
}

/* Are the ticks of the table's timestamp column times? */
static bool
counts_time(Oid foreign_table)
{
	List *options = GetForeignTable(foreign_table)->options;
	const char *column = option_of(options, "timestamp_column");
	AttrNumber attnum = column ? get_attnum(foreign_table, column) : InvalidAttrNumber;

	if (attnum == InvalidAttrNumber)
		return false;
	switch (getBaseType(get_atttype(foreign_table, attnum)))
	{
		case TIMESTAMPTZOID:
		case TIMESTAMPOID:
		case DATEOID:
			return true;
		default:
			return is_epoch(option_of(options, "timestamp_format")) ||
				   is_epoch(option_of(GetForeignColumnOptions(foreign_table, attnum), "format"));
	}
}

static void
append_stamp(StringInfo out, Oid foreign_table, const CfdwStamp *stamp)
{
	struct pg_tm tm;
	fsec_t fsec;
	char text[MAXDATELEN + 1];

	if (stamp->text != NULL)
		appendStringInfoString(out, stamp->text);
	else if (counts_time(foreign_table) && timestamp2tm(stamp->tick - SINCE_1970, NULL, &tm, &fsec, NULL, NULL) == 0)
	{
		EncodeDateTime(&tm, fsec, false, 0, NULL, USE_XSD_DATES, text);
		appendStringInfo(out, "%sZ", text);
	}
	else
		appendStringInfo(out, INT64_FORMAT, stamp->tick);
}

static void
append_bound(StringInfo out, const char *word, Oid foreign_table, const CfdwStamp *stamp)
{
	if (!stamp->exists)
		return;
	appendStringInfo(out, "%s%s ", out->len > 0 ? ", " : "", word);
	append_stamp(out, foreign_table, stamp);
}

char *
cfdw_describe_position(Oid foreign_table, const CfdwPosition *position)
{
	StringInfoData out;

	initStringInfo(&out);
	if (position->pages > 0)
		appendStringInfo(&out, "page " INT64_FORMAT " of an open walk", position->pages);
	else if (position->started > 0)
		appendStringInfoString(&out, "an open walk, at its first page");
	else if (position->has_page && position->page.kind == CFDW_STEP_NUMBER)
		appendStringInfo(&out, "goes on at " INT64_FORMAT, position->page.number);
	else if (position->has_page)
		appendStringInfoString(&out, "goes on at the last page");
	append_bound(&out, "since", foreign_table, &position->since);
	append_bound(&out, "delivered up to", foreign_table, &position->high);
	append_bound(&out, "until", foreign_table, &position->until);
	if (position->sync_token != NULL)
		appendStringInfo(&out, "%swith a sync token", out.len > 0 ? ", " : "");
	if (out.len == 0)
		appendStringInfoString(&out, "the beginning");
	return out.data;
}
