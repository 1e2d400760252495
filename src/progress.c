/*
 * progress.c
 *	  A scan's progress in the server's own place for it.
 *
 * The server shows six commands; of these COPY FROM means nearest the same.
 * Parameters that it does not use carry the rest, and a number by which the
 * view checkpoint_fdw.progress knows our rows from those of COPY.
 */
#include "progress.h"

#include "commands/progress.h"
#include "utils/backend_progress.h"
#include "utils/backend_status.h"

/* The view has these numbers, too; there the first parameter is 1. */
enum
{
	PARAM_PAGES = 10,
	PARAM_MARK = 19
};

#define MARK INT64CONST(7163093338066150519)

static const void *shown; /* the scan that took the place last */

/* Aborted subtransactions clear the place, and commands that functions run take it without asking. */
static bool
is_shown(const void *scan)
{
	return shown == scan && MyBEEntry != NULL && MyBEEntry->st_progress_command == PROGRESS_COMMAND_COPY &&
		   MyBEEntry->st_progress_param[PARAM_MARK] == MARK;
}

static bool
take_place(const void *scan, Oid foreign_table)
{
	static const int params[] = {PROGRESS_COPY_COMMAND, PROGRESS_COPY_TYPE, PARAM_MARK};
	static const int64 values[] = {PROGRESS_COPY_COMMAND_FROM, PROGRESS_COPY_TYPE_CALLBACK, MARK};

	if (MyBEEntry == NULL || MyBEEntry->st_progress_command != PROGRESS_COMMAND_INVALID)
		return false;
	pgstat_progress_start_command(PROGRESS_COMMAND_COPY, foreign_table);
	pgstat_progress_update_multi_param(lengthof(params), params, values);
	shown = scan;
	return true;
}

void
cfdw_progress_show(const void *scan, Oid foreign_table, const CfdwWalkCounts *counts)
{
	static const int params[] = {PROGRESS_COPY_BYTES_PROCESSED, PROGRESS_COPY_TUPLES_PROCESSED, PARAM_PAGES};
	const int64 values[] = {counts->bytes, counts->records, counts->pages};

	if (is_shown(scan) || take_place(scan, foreign_table))
		pgstat_progress_update_multi_param(lengthof(params), params, values);
}

void
cfdw_progress_end(const void *scan)
{
	if (is_shown(scan))
		pgstat_progress_end_command();
}
