/*
 * timecol.c
 *	  The timestamp column: values to ticks, ticks to the text of a request.
 *
 * Ticks are microseconds since 1970 UTC.  A timestamp without time zone is
 * taken in the column's time zone.  A date is a day and no instant: its tick
 * is midnight UTC, and only the text of a request turns that into the day's
 * beginning in the column's time zone.  A number is a time if
 * timestamp_format says so; else its tick is the number itself.
 */
#include "timecol.h"

#include "instant.h"
#include "option_value.h"
#include "render.h"
#include "settings.h"

#include "catalog/pg_type.h"
#include "common/int.h"
#include "utils/builtins.h"
#include "utils/date.h"
#include "utils/lsyscache.h"
#include "utils/numeric.h"
#include "utils/rel.h"
#include "utils/timestamp.h"

#define SINCE_1970 ((int64) (POSTGRES_EPOCH_JDATE - UNIX_EPOCH_JDATE) * USECS_PER_DAY)

struct CfdwTimeColumn
{
	char *name;
	int attnum;
	Oid type;         /* below domains */
	bool is_number;   /* of the column's type */
	CfdwFormat epoch; /* what these numbers count; CFDW_FORMAT_NONE: no time */
	bool has_clock;   /* the ticks are times */
	bool keeps_text;  /* a request may carry the text of a record */
	CfdwRender shape; /* of the text of a request */
	CfdwColumnOptions *options;
	int64 granularity;
};

/* ---- opening ---- */

static void
pg_attribute_noreturn()
	refuse_type(const CfdwTimeColumn *column, Oid type)
{
	ereport(ERROR,
			(errcode(ERRCODE_DATATYPE_MISMATCH),
			 errmsg("timestamp_column \"%s\" has type %s", column->name, format_type_be(type)),
			 errhint("Give it a type that compares as time passes: timestamptz, timestamp, date, bigint, integer, smallint or numeric. The column's option \"format\" says how the API writes it.")));
}

static void
set_type(CfdwTimeColumn *column, Oid type)
{
	column->type = getBaseType(type);
	switch (column->type)
	{
		case TIMESTAMPTZOID:
		case TIMESTAMPOID:
		case DATEOID:
			return;
		case INT2OID:
		case INT4OID:
		case INT8OID:
		case NUMERICOID:
			column->is_number = true;
			return;
		default:
			refuse_type(column, type);
	}
}

/* What the column's numbers count: by its own format, else by that of requests. */
static void
set_epoch(CfdwTimeColumn *column, const CfdwOptions *options)
{
	column->epoch = column->options->format;
	if (column->epoch == CFDW_FORMAT_NONE && cfdw_render_is_number(column->shape.format))
		column->epoch = column->shape.format;
	if (column->epoch == CFDW_FORMAT_NONE && column->shape.format != CFDW_FORMAT_NONE)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("timestamp_format '%s' does not go with type %s of column \"%s\"",
						options->timestamp_format, format_type_be(column->type), column->name),
				 errhint("If its numbers are times, set the column's option \"format\" to epoch, epoch_ms or epoch_us.")));
}

/* How requests write the time: timestamp_format, else as the column is written. */
static void
set_format(CfdwTimeColumn *column, const CfdwOptions *options)
{
	const CfdwOptionWord *word = options->timestamp_format ? cfdw_word_find(cfdw_format_words, options->timestamp_format) : NULL;
	CfdwRender *shape = &column->shape;

	shape->format = column->options->format;
	shape->pattern = column->options->pattern;
	if (options->timestamp_format != NULL)
	{
		shape->format = word ? word->value : CFDW_FORMAT_PATTERN;
		shape->pattern = word ? NULL : options->timestamp_format;
	}
	if (column->is_number)
		set_epoch(column, options);
	else if (shape->format == CFDW_FORMAT_NONE)
		shape->format = column->type == DATEOID ? CFDW_FORMAT_DATE : CFDW_FORMAT_ISO8601;
	shape->is_day = column->type == DATEOID;
	shape->zone = pg_tzset(column->options->timezone);
	column->has_clock = !column->is_number || column->epoch != CFDW_FORMAT_NONE;
}

/* Ticks of a span: an interval, or a plain number where ticks are numbers.  value NULL: missing. */
static int64
span(const CfdwTimeColumn *column, const char *option, const char *value, int64 missing)
{
	int64 ticks;
	char *end;

	if (value == NULL)
		return missing;
	if (column->has_clock)
	{
		if (cfdw_option_span(value, &ticks) && ticks >= 0)
			return ticks;
	}
	else
	{
		errno = 0;
		ticks = strtoi64(value, &end, 10);
		if (errno == 0 && *end == '\0')
			return ticks;
	}
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("invalid value for option \"%s\": \"%s\"", option, value),
			 column->has_clock ? errhint("It is an interval without months, such as 1 day.") : errhint("Column \"%s\" counts numbers, so it is an integer. If these are times, set timestamp_format to epoch, epoch_ms or epoch_us.", column->name)));
}

/* By default the coarser of both: what the records can tell apart, and what a request can. */
static int64
default_granularity(const CfdwTimeColumn *column)
{
	int64 unit = cfdw_render_unit(column->shape.format, column->shape.pattern);

	if (!column->has_clock)
		return 1;
	if (column->options->format != CFDW_FORMAT_NONE)
		unit = Max(unit, cfdw_render_unit(column->options->format, column->options->pattern));
	return column->shape.format == CFDW_FORMAT_PATTERN ? Max(unit, USECS_PER_SEC) : unit;
}

/* Windows follow each other up to now, which numbers do not have. */
static void
pg_attribute_noreturn()
	refuse_window(const CfdwTimeColumn *column)
{
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("option \"window\" does not go with timestamp_column \"%s\", which counts numbers", column->name),
			 errhint("If these are times, set timestamp_format to epoch, epoch_ms or epoch_us. To load in portions, use batch_pages.")));
}

static int64
granularity(const CfdwTimeColumn *column, const CfdwOptions *options)
{
	int64 unit = span(column, "timestamp_granularity", options->timestamp_granularity, default_granularity(column));

	return column->type == DATEOID ? Max(unit, USECS_PER_DAY) : unit;
}

/* Can the text of a request be less than what it is made of?  Others have the digits that granularity needs. */
static int64
coarseness(const CfdwTimeColumn *column)
{
	CfdwFormat format = column->shape.format;

	if (format == CFDW_FORMAT_DATE || format == CFDW_FORMAT_HTTP || format == CFDW_FORMAT_PATTERN)
		return cfdw_render_unit(format, column->shape.pattern);
	return 0;
}

/* Do requests write times as records do? */
static bool
is_written_alike(const CfdwTimeColumn *column)
{
	const CfdwRender *shape = &column->shape;
	CfdwFormat format = column->options->format;

	if (format == CFDW_FORMAT_NONE && !column->is_number)
		format = CFDW_FORMAT_ISO8601;
	return format == shape->format && (shape->pattern == NULL || strcmp(shape->pattern, column->options->pattern) == 0);
}

CfdwTimeColumn *
cfdw_timecol_open(Relation relation, const CfdwOptions *options)
{
	CfdwTimeColumn *column = palloc0(sizeof(CfdwTimeColumn));
	Form_pg_attribute attribute;

	column->name = pstrdup(options->timestamp_column);
	column->attnum = cfdw_option_column(RelationGetRelid(relation), "timestamp_column", column->name);
	column->options = cfdw_options_for_column(RelationGetRelid(relation), column->attnum);
	attribute = TupleDescAttr(RelationGetDescr(relation), column->attnum - 1);
	set_type(column, attribute->atttypid);
	set_format(column, options);
	if (options->window != NULL && !column->has_clock)
		refuse_window(column);
	column->granularity = granularity(column, options);
	column->shape.granularity = column->granularity;
	/* a rounded value is not the one in the text, and a day is less than it may say */
	column->keeps_text = is_written_alike(column) && column->type != DATEOID && attribute->atttypmod < 0;
	return column;
}

int
cfdw_timecol_attnum(const CfdwTimeColumn *column)
{
	return column->attnum;
}

/* ---- values to stamps ---- */

static void
pg_attribute_noreturn()
	refuse_range(const CfdwTimeColumn *column)
{
	ereport(ERROR,
			(errcode(column->is_number ? ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE : ERRCODE_DATETIME_VALUE_OUT_OF_RANGE),
			 errmsg("value of timestamp_column \"%s\" is out of range", column->name)));
}

static int64
tick_of_instant(const CfdwTimeColumn *column, Timestamp value)
{
	int64 tick;

	if (TIMESTAMP_NOT_FINITE(value) || pg_add_s64_overflow(value, SINCE_1970, &tick))
		refuse_range(column);
	return tick;
}

/* A number times 10^shift is its tick. */
static int
shift_of(CfdwFormat epoch)
{
	if (epoch == CFDW_FORMAT_EPOCH)
		return 6;
	return epoch == CFDW_FORMAT_EPOCH_MS ? 3 : 0;
}

/* A number with a fraction, rounded down. */
static int64
tick_of_decimal(const CfdwTimeColumn *column, const char *text)
{
	int64 tick;

	switch (cfdw_decimal_int64(text, shift_of(column->epoch), &tick))
	{
		case CFDW_DECIMAL_EXACT:
			return tick;
		case CFDW_DECIMAL_CUT:
			return text[0] == '-' ? cfdw_tick_before(tick, 1) : tick;
		case CFDW_DECIMAL_OVERFLOW:
		case CFDW_DECIMAL_INVALID: /* NaN, Infinity */
			break;
	}
	refuse_range(column);
}

static int64
tick_of_integer(const CfdwTimeColumn *column, int64 value)
{
	int64 tick;

	if (pg_mul_s64_overflow(value, cfdw_render_epoch_unit(column->epoch), &tick))
		refuse_range(column);
	return tick;
}

static int64
tick_of_day(const CfdwTimeColumn *column, DateADT value)
{
	int64 microseconds;

	if (DATE_NOT_FINITE(value) || pg_mul_s64_overflow(value, USECS_PER_DAY, &microseconds) || !IS_VALID_TIMESTAMP(microseconds))
		refuse_range(column);
	return tick_of_instant(column, microseconds);
}

static int64
tick_of(const CfdwTimeColumn *column, Datum value)
{
	switch (column->type)
	{
		case TIMESTAMPTZOID:
			return tick_of_instant(column, DatumGetTimestampTz(value));
		case TIMESTAMPOID:
			return cfdw_render_zoned(tick_of_instant(column, DatumGetTimestamp(value)), column->shape.zone);
		case DATEOID:
			return tick_of_day(column, DatumGetDateADT(value));
		case INT2OID:
			return tick_of_integer(column, DatumGetInt16(value));
		case INT4OID:
			return tick_of_integer(column, DatumGetInt32(value));
		case INT8OID:
			return tick_of_integer(column, DatumGetInt64(value));
		default:
			Assert(column->type == NUMERICOID);
			return tick_of_decimal(column, DatumGetCString(DirectFunctionCall1(numeric_out, value)));
	}
}

/* Is the text a JSON number without an exponent, which a request's body can carry? */
static bool
is_plain_number(const char *text)
{
	const char *digits = text + (text[0] == '-');
	size_t whole = strspn(digits, "0123456789");
	const char *end = digits + whole;

	if (*end == '.')
		end += 1 + strspn(end + 1, "0123456789");
	return whole > 0 && (whole == 1 || digits[0] != '0') && *end == '\0' && end[-1] != '.';
}

/* Does the text say no more than its tick, and is it fit for a request? */
static bool
is_exact(const CfdwTimeColumn *column, const char *text)
{
	const char *fraction;
	int64 ignored;

	if (cfdw_render_is_number(column->shape.format))
		return is_plain_number(text) && cfdw_decimal_int64(text, shift_of(column->shape.format), &ignored) == CFDW_DECIMAL_EXACT;
	fraction = strpbrk(text, ".,");
	return fraction == NULL || strspn(fraction + 1, "0123456789") <= 6;
}

static void
name_record(void *arg)
{
	errcontext("record %d", cfdw_record_number(arg));
}

CfdwStamp
cfdw_timecol_stamp(const CfdwTimeColumn *column, const CfdwRecordDecoder *decoder, const Datum *values, const bool *isnull)
{
	CfdwStamp stamp = {false, 0, NULL};
	ErrorContextCallback context = {error_context_stack, name_record, unconstify(CfdwRecordDecoder *, decoder)};

	if (isnull[column->attnum - 1])
		return stamp;
	stamp.exists = true;
	error_context_stack = &context;
	stamp.tick = tick_of(column, values[column->attnum - 1]);
	error_context_stack = context.previous;
	if (column->keeps_text)
		stamp.text = cfdw_record_text(decoder, column->attnum);
	if (stamp.text != NULL && !is_exact(column, stamp.text))
		stamp.text = NULL;
	return stamp;
}

/* ---- text of a person ---- */

/* The format of a text: that of requests, but people may write ISO 8601 where that is a number or an HTTP date. */
static CfdwFormat
format_of(const CfdwTimeColumn *column, const char *text)
{
	CfdwFormat format = column->shape.format;
	int64 ignored;

	if (cfdw_render_is_number(format) && cfdw_decimal_int64(text, 0, &ignored) == CFDW_DECIMAL_INVALID)
		return CFDW_FORMAT_ISO8601;
	if (format == CFDW_FORMAT_HTTP && isdigit((unsigned char) text[0]))
		return CFDW_FORMAT_ISO8601;
	return format;
}

static int64
parse_time(const CfdwTimeColumn *column, CfdwFormat format, const char *text)
{
	CfdwColumnOptions options = {.format = format, .pattern = column->shape.pattern, .timezone = column->options->timezone};
	Oid type = column->is_number ? TIMESTAMPTZOID : column->type;
	CfdwTimeColumn reader = *column;
	CfdwSettings session;
	Oid input;
	Oid param;
	volatile int64 tick = 0;

	reader.type = type;
	getTypeInputInfo(type, &input, &param);
	cfdw_settings_fix(&session);
	session_timezone = column->shape.zone;
	PG_TRY();
	{
		char *iso = cfdw_instant_text(type, &options, pstrdup(text), false, NULL);

		tick = tick_of(&reader, OidInputFunctionCall(input, iso, param, -1));
	}
	PG_FINALLY();
	{
		cfdw_settings_restore(&session);
	}
	PG_END_TRY();
	return tick;
}

CfdwStamp
cfdw_timecol_parse(const CfdwTimeColumn *column, const char *text)
{
	CfdwStamp stamp = {true, 0, NULL};
	CfdwFormat format;
	int64 ignored;

	if (!column->has_clock)
	{
		if (cfdw_decimal_int64(text, 0, &ignored) == CFDW_DECIMAL_INVALID)
			ereport(ERROR,
					(errcode(ERRCODE_INVALID_TEXT_REPRESENTATION),
					 errmsg("\"%s\" is not a number, as timestamp_column \"%s\" is", text, column->name)));
		stamp.tick = tick_of_decimal(column, text);
		if (column->keeps_text && is_exact(column, text))
			stamp.text = pstrdup(text);
		return stamp;
	}
	format = format_of(column, text);
	stamp.tick = parse_time(column, format, text);
	if (column->keeps_text && format == column->shape.format && is_exact(column, text))
		stamp.text = pstrdup(text);
	return stamp;
}

/* ---- rules of the walk ---- */

static const char *
render(void *arg, CfdwArena *arena, int64 tick)
{
	const CfdwTimeColumn *column = arg;
	char *text;
	char *copy;

	text = cfdw_render(&column->shape, tick);
	copy = cfdw_strdup(arena, text);
	pfree(text);
	return copy;
}

/* Do requests say from when on? */
static bool
is_filtered(const CfdwOptions *options)
{
	const char *const templates[] = {options->endpoint, options->params, options->body,
									 options->table_headers, options->server_headers, options->mapping_headers};

	for (int i = 0; i < lengthof(templates); i++)
	{
		if (templates[i] != NULL && cfdw_template_uses(templates[i], "since"))
			return true;
	}
	return options->timestamp_param != NULL;
}

static void
name_initial(void *arg)
{
	errcontext("option \"timestamp_initial\"");
}

void
cfdw_timecol_rules(const CfdwTimeColumn *column, const CfdwOptions *options, CfdwTimeRules *rules)
{
	ErrorContextCallback context = {error_context_stack, name_initial, NULL};

	rules->order = options->record_order;
	rules->filtered = is_filtered(options);
	rules->exclusive = options->timestamp_boundary != CFDW_BOUNDARY_INCLUSIVE;
	rules->unchecked = options->timestamp_boundary == CFDW_BOUNDARY_UNCHECKED;
	rules->has_clock = column->has_clock;
	rules->granularity = column->granularity;
	rules->coarseness = coarseness(column);
	rules->lookback = span(column, "lookback", options->lookback, 0);
	rules->window = span(column, "window", options->window, 0);
	rules->numeric = cfdw_render_is_number(column->shape.format);
	rules->column = column->name;
	rules->render = render;
	rules->arg = unconstify(CfdwTimeColumn *, column);
	error_context_stack = &context;
	if (options->timestamp_initial != NULL)
		rules->initial = cfdw_timecol_parse(column, options->timestamp_initial);
	error_context_stack = context.previous;
}
