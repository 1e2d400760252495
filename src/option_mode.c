/*
 * option_mode.c
 *	  What must hold between the options that say how a load goes on.
 */
#include "option_mode.h"

#include "option_rule.h"

#define BIT(kind) CFDW_PAGINATION_BIT(CFDW_PAGINATION_##kind)

/* The kinds of pagination in which a mode can go on. */
static const int mode_fits[] = {
	[CFDW_MODE_NONE] = -1,
	[CFDW_MODE_CURSOR] = BIT(NONE) | BIT(CURSOR) | BIT(HEADER_CURSOR) | BIT(NEXT_URL) | BIT(LINK_HEADER) | BIT(KEYSET),
	[CFDW_MODE_OFFSET] = BIT(OFFSET) | BIT(PAGE_NUMBER),
	[CFDW_MODE_TIMESTAMP] = -1,
	[CFDW_MODE_SYNC_TOKEN] = -1,
	[CFDW_MODE_KEYS] = -1,
};

/* Options that one mode alone knows. */
static const struct
{
	const char *name;
	CfdwMode mode;
} mode_options[] = {
	{"timestamp_column", CFDW_MODE_TIMESTAMP},
	{"timestamp_param", CFDW_MODE_TIMESTAMP},
	{"timestamp_format", CFDW_MODE_TIMESTAMP},
	{"timestamp_initial", CFDW_MODE_TIMESTAMP},
	{"timestamp_granularity", CFDW_MODE_TIMESTAMP},
	{"until_param", CFDW_MODE_TIMESTAMP},
	{"window", CFDW_MODE_TIMESTAMP},
	{"lookback", CFDW_MODE_TIMESTAMP},
	{"sync_token_path", CFDW_MODE_SYNC_TOKEN},
	{"sync_token_param", CFDW_MODE_SYNC_TOKEN},
};

/* Placeholders that have a value in one mode alone. */
static const struct
{
	const char *name;
	CfdwMode mode;
} mode_placeholders[] = {
	{"since", CFDW_MODE_TIMESTAMP},
	{"until", CFDW_MODE_TIMESTAMP},
	{"sync_token", CFDW_MODE_SYNC_TOKEN},
};

static const char *
mode_name(int mode)
{
	return cfdw_word_of(cfdw_option_lookup(CFDW_PLACE_TABLE, "checkpoint")->words, mode);
}

/* Does a load go on at a page of the list, which must not change below it? */
static bool
is_append(const CfdwOptions *options)
{
	return options->checkpoint == CFDW_MODE_CURSOR || options->checkpoint == CFDW_MODE_OFFSET;
}

static void
infer_checkpoint(CfdwOptions *options)
{
	if (options->checkpoint != CFDW_MODE_UNKNOWN)
		return;
	if (options->timestamp_param != NULL && options->sync_token_path != NULL)
		refuse(ERRCODE_FDW_INVALID_OPTION_NAME, "options \"timestamp_param\" and \"sync_token_path\" exclude each other",
			   "One means checkpoint 'timestamp', the other checkpoint 'sync_token'.");
	if (options->timestamp_param != NULL)
		options->checkpoint = CFDW_MODE_TIMESTAMP;
	else if (options->sync_token_path != NULL)
		options->checkpoint = CFDW_MODE_SYNC_TOKEN;
	else
		options->checkpoint = CFDW_MODE_NONE;
}

static void
check_pagination(const CfdwOptions *options)
{
	int bit = CFDW_PAGINATION_BIT(options->pagination);

	if (!(mode_fits[options->checkpoint] & bit))
		refuse(ERRCODE_INVALID_PARAMETER_VALUE,
			   psprintf("checkpoint '%s' does not go with pagination '%s'",
						mode_name(options->checkpoint), pagination_name(options->pagination)),
			   psprintf("Use checkpoint '%s'.", mode_name(mode_fits[CFDW_MODE_CURSOR] & bit ? CFDW_MODE_CURSOR : CFDW_MODE_OFFSET)));
	if (is_append(options) && options->record_order == CFDW_ORDER_DESC)
		refuse(ERRCODE_INVALID_PARAMETER_VALUE,
			   psprintf("checkpoint '%s' does not go with record_order 'desc'", mode_name(options->checkpoint)),
			   "It goes on behind the last record read, so the API must list new records last. Ask it for ascending order in params.");
}

/* Options and placeholders of another mode would do nothing. */
static void
check_mode_options(const CfdwOptions *options)
{
	for (int i = 0; i < lengthof(mode_options); i++)
	{
		if (mode_options[i].mode != options->checkpoint && table_text(options, mode_options[i].name) != NULL)
			refuse(ERRCODE_FDW_INVALID_OPTION_NAME,
				   psprintf("option \"%s\" does not go with checkpoint '%s'", mode_options[i].name, mode_name(options->checkpoint)),
				   psprintf("It goes with checkpoint '%s'.", mode_name(mode_options[i].mode)));
	}
	if (options->timestamp_boundary != CFDW_BOUNDARY_EXCLUSIVE && options->checkpoint != CFDW_MODE_TIMESTAMP)
		refuse(ERRCODE_FDW_INVALID_OPTION_NAME,
			   psprintf("option \"timestamp_boundary\" does not go with checkpoint '%s'", mode_name(options->checkpoint)),
			   "It goes with checkpoint 'timestamp'.");
	for (int i = 0; i < lengthof(mode_placeholders); i++)
	{
		if (mode_placeholders[i].mode != options->checkpoint && url_uses(options, mode_placeholders[i].name))
			refuse(ERRCODE_INVALID_PARAMETER_VALUE,
				   psprintf("placeholder {%s} has no value with checkpoint '%s'", mode_placeholders[i].name, mode_name(options->checkpoint)),
				   psprintf("It goes with checkpoint '%s'.", mode_name(mode_placeholders[i].mode)));
	}
}

static void
check_window(const CfdwOptions *options)
{
	bool has_place = options->until_param != NULL || uses(options, "until");

	if (options->window == NULL)
	{
		if (options->until_param != NULL || url_uses(options, "until"))
			refuse(ERRCODE_FDW_OPTION_NAME_NOT_FOUND,
				   options->until_param != NULL ? "option \"until_param\" needs the option \"window\"" : "placeholder {until} needs the option \"window\"",
				   "A load without windows asks for all that is new, up to now.");
		return;
	}
	if (!has_place)
		refuse(ERRCODE_FDW_OPTION_NAME_NOT_FOUND, "option \"window\" needs the option \"until_param\"",
			   "Name the query parameter for the end of a window, or put the placeholder {until} into endpoint, params, headers or body.");
	if (options->timestamp_initial == NULL)
		refuse(ERRCODE_FDW_OPTION_NAME_NOT_FOUND, "option \"window\" needs the option \"timestamp_initial\"",
			   "The first window begins there.");
}

static void
check_timestamp(const CfdwOptions *options)
{
	bool asks = options->timestamp_param != NULL || uses(options, "since");

	if (options->checkpoint != CFDW_MODE_TIMESTAMP)
		return;
	if (options->timestamp_column == NULL)
		refuse(ERRCODE_FDW_OPTION_NAME_NOT_FOUND, "checkpoint 'timestamp' needs the option \"timestamp_column\"",
			   "Name the column with the time of a record's last change.");
	if (asks && is_cut_by_size(options) && options->page_size == 0)
		refuse(ERRCODE_FDW_OPTION_NAME_NOT_FOUND, "record_order 'asc' without pagination needs the option \"page_size\"",
			   "Each page is asked for by the last one's greatest time, and only the page's size tells whether records of that time are missing. If the API sends all that is new in one page, leave record_order out.");
	if (!asks && options->window != NULL)
		refuse(ERRCODE_FDW_OPTION_NAME_NOT_FOUND, "option \"window\" needs the option \"timestamp_param\"",
			   "Name the query parameter for the beginning of a window, or put the placeholder {since} into endpoint, params, headers or body.");
	check_window(options);
}

static void
check_sync_token(const CfdwOptions *options)
{
	if (options->checkpoint == CFDW_MODE_SYNC_TOKEN && options->sync_token_path == NULL)
		refuse(ERRCODE_FDW_OPTION_NAME_NOT_FOUND, "checkpoint 'sync_token' needs the option \"sync_token_path\"",
			   "It says where a response has the token with which the next load asks for changes.");
}

/* An iterator that the API holds cannot be entered in the middle. */
static void
check_stateful(const CfdwOptions *options)
{
	bool has_cursor = !cfdw_pagination_is_computed(options->pagination) && options->pagination != CFDW_PAGINATION_NONE;

	if (!options->stateful_cursor)
		return;
	if (!has_cursor)
		refuse(ERRCODE_INVALID_PARAMETER_VALUE,
			   psprintf("stateful_cursor does not go with pagination '%s'", pagination_name(options->pagination)),
			   "It is for cursors and links that the API gives.");
	if (is_append(options))
		refuse(ERRCODE_INVALID_PARAMETER_VALUE,
			   psprintf("stateful_cursor does not go with checkpoint '%s'", mode_name(options->checkpoint)),
			   "That goes on at a page of an earlier load, which such a cursor cannot. Use checkpoint 'timestamp', 'sync_token' or 'keys'.");
	if (options->batch_pages > 0 || options->batch_ms > 0)
		refuse(ERRCODE_INVALID_PARAMETER_VALUE,
			   psprintf("option \"%s\" does not go with stateful_cursor", options->batch_pages > 0 ? "batch_pages" : "batch_seconds"),
			   "A load cannot go on in the middle of such a list.");
}

static void
check_bounds(const CfdwOptions *options)
{
	if (options->checkpoint == CFDW_MODE_NONE && (options->batch_pages > 0 || options->batch_ms > 0))
		refuse(ERRCODE_INVALID_PARAMETER_VALUE,
			   psprintf("option \"%s\" does not go with checkpoint 'none'", options->batch_pages > 0 ? "batch_pages" : "batch_seconds"),
			   "Without a checkpoint the next load would not go on where this one stops. To stop a walk that is too long with an error, use max_pages.");
	if (options->checkpoint == CFDW_MODE_NONE && options->reject_records)
		refuse(ERRCODE_INVALID_PARAMETER_VALUE, "on_record_error 'reject' does not go with checkpoint 'none'",
			   "A rejected record is kept with the checkpoint of its stream. A column's option on_error 'null' works without one.");
	if (options->restart_expired && is_append(options))
		refuse(ERRCODE_INVALID_PARAMETER_VALUE,
			   psprintf("on_expired 'restart' does not go with checkpoint '%s'", mode_name(options->checkpoint)),
			   "Its position is a page, and without it all records would be loaded again. Use checkpoint 'keys' or 'timestamp', or reset the checkpoint by hand.");
}

void
cfdw_option_check_mode(CfdwOptions *options)
{
	infer_checkpoint(options);
	check_pagination(options);
	check_mode_options(options);
	check_timestamp(options);
	check_sync_token(options);
	check_stateful(options);
	check_bounds(options);
}
