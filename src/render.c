/*
 * render.c
 *	  Text of instants, in the formats that APIs ask for.
 */
#include "render.h"

#include "settings.h"
#include "stamp.h"

#include "catalog/pg_collation.h"
#include "utils/builtins.h"
#include "utils/datetime.h"
#include "utils/formatting.h"
#include "utils/timestamp.h"

#define SINCE_1970 ((int64) (POSTGRES_EPOCH_JDATE - UNIX_EPOCH_JDATE) * USECS_PER_DAY)

/* years of four digits, 0001 to 9999: other texts have no room for more */
#define FIRST_TICK INT64CONST(-62135596800000000)
#define LAST_TICK  INT64CONST(253402300799999999)

bool
cfdw_render_is_number(CfdwFormat format)
{
	return format == CFDW_FORMAT_NONE || format == CFDW_FORMAT_EPOCH || format == CFDW_FORMAT_EPOCH_MS || format == CFDW_FORMAT_EPOCH_US;
}

int64
cfdw_render_epoch_unit(CfdwFormat format)
{
	switch (format)
	{
		case CFDW_FORMAT_EPOCH:
			return USECS_PER_SEC;
		case CFDW_FORMAT_EPOCH_MS:
			return 1000;
		default:
			return 1;
	}
}

/* Does a pattern have this field outside of quoted text? */
static bool
has_field(const char *pattern, const char *field)
{
	bool quoted = false;

	for (; *pattern != '\0'; pattern++)
	{
		if (*pattern == '"')
			quoted = !quoted;
		else if (!quoted && pg_strncasecmp(pattern, field, strlen(field)) == 0)
			return true;
	}
	return false;
}

/* The smallest field of a pattern; months and years count with their greatest length. */
static int64
pattern_unit(const char *pattern)
{
	static const struct
	{
		const char *field;
		int64 unit;
	} fields[] = {
		{"US", 1},
		{"FF6", 1},
		{"MS", 1000},
		{"FF3", 1000},
		{"SS", USECS_PER_SEC},
		{"MI", USECS_PER_MINUTE},
		{"HH", USECS_PER_HOUR},
		{"DD", USECS_PER_DAY},
		{"J", USECS_PER_DAY},
		{"ID", USECS_PER_DAY},
		{"IW", 7 * USECS_PER_DAY},
		{"WW", 7 * USECS_PER_DAY},
		{"MM", 31 * USECS_PER_DAY},
		{"MON", 31 * USECS_PER_DAY},
		{"RM", 31 * USECS_PER_DAY},
		{"Q", 92 * USECS_PER_DAY},
	};

	for (int i = 0; i < lengthof(fields); i++)
	{
		if (has_field(pattern, fields[i].field))
			return fields[i].unit;
	}
	return 366 * USECS_PER_DAY;
}

int64
cfdw_render_unit(CfdwFormat format, const char *pattern)
{
	switch (format)
	{
		case CFDW_FORMAT_EPOCH_MS:
		case CFDW_FORMAT_EPOCH_US:
			return cfdw_render_epoch_unit(format);
		case CFDW_FORMAT_DATE:
			return USECS_PER_DAY;
		case CFDW_FORMAT_PATTERN:
			return pattern_unit(pattern);
		case CFDW_FORMAT_NONE:
		case CFDW_FORMAT_ISO8601:
		case CFDW_FORMAT_EPOCH:
		case CFDW_FORMAT_HTTP:
			return USECS_PER_SEC;
	}
	pg_unreachable();
}

/* How many digits of a fraction of unit, a power of ten, has a multiple of granularity? */
static int
fraction_digits(int64 granularity, int64 unit)
{
	int digits = 0;

	for (; unit > 1 && granularity % unit != 0; unit /= 10)
		digits++;
	return digits;
}

/* Number of units of ticks, rounded down at so many digits. */
static char *
epoch_text(int64 tick, int64 unit, int64 granularity)
{
	int digits = fraction_digits(granularity, unit);
	int64 scale = 1; /* parts of a unit that are shown */
	int64 value;
	uint64 size;

	for (int i = 0; i < digits; i++)
		scale *= 10;
	tick = cfdw_tick_floor(tick, unit / scale);
	value = tick / (unit / scale);
	if (digits == 0)
		return psprintf(INT64_FORMAT, value);
	size = value < 0 ? -(uint64) value : (uint64) value;
	return psprintf("%s" UINT64_FORMAT ".%0*d", value < 0 ? "-" : "", size / scale, digits, (int) (size % scale));
}

/* The fields of an instant, in UTC with zone NULL. */
static void
break_down(int64 tick, pg_tz *zone, struct pg_tm *tm, fsec_t *fsec)
{
	int offset;

	if (timestamp2tm(tick - SINCE_1970, zone != NULL ? &offset : NULL, tm, fsec, NULL, zone) != 0)
		ereport(ERROR, (errcode(ERRCODE_DATETIME_VALUE_OUT_OF_RANGE), errmsg("timestamp out of range")));
}

static char *
iso_text(int64 tick, int64 granularity)
{
	int digits = fraction_digits(granularity, USECS_PER_SEC);
	struct pg_tm tm;
	fsec_t fsec;
	char *text;

	break_down(tick, NULL, &tm, &fsec);
	text = psprintf("%04d-%02d-%02dT%02d:%02d:%02d.%06d", tm.tm_year, tm.tm_mon, tm.tm_mday, tm.tm_hour, tm.tm_min, tm.tm_sec, fsec);
	text[strlen(text) - 6 + digits - (digits == 0)] = '\0';
	return psprintf("%sZ", text);
}

static char *
date_text(int64 tick, pg_tz *zone)
{
	struct pg_tm tm;
	fsec_t fsec;

	break_down(tick, zone, &tm, &fsec);
	return psprintf("%04d-%02d-%02d", tm.tm_year, tm.tm_mon, tm.tm_mday);
}

static char *
http_text(int64 tick)
{
	static const char *const days[] = {"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
	struct pg_tm tm;
	fsec_t fsec;

	break_down(tick, NULL, &tm, &fsec);
	return psprintf("%s, %02d %s %04d %02d:%02d:%02d GMT", days[j2day(date2j(tm.tm_year, tm.tm_mon, tm.tm_mday))],
					tm.tm_mday, months[tm.tm_mon - 1], tm.tm_year, tm.tm_hour, tm.tm_min, tm.tm_sec);
}

static char *
pattern_text(int64 tick, const char *pattern, pg_tz *zone)
{
	CfdwSettings session;
	char *volatile out = NULL;

	cfdw_settings_fix(&session);
	session_timezone = zone;
	PG_TRY();
	{
		Datum value = DirectFunctionCall2Coll(timestamptz_to_char, DEFAULT_COLLATION_OID,
											  TimestampTzGetDatum(tick - SINCE_1970), CStringGetTextDatum(pattern));

		out = TextDatumGetCString(value);
	}
	PG_FINALLY();
	{
		cfdw_settings_restore(&session);
	}
	PG_END_TRY();
	return out;
}

char *
cfdw_render(const CfdwRender *render, int64 tick)
{
	int64 shown = Min(Max(tick, FIRST_TICK), LAST_TICK);

	if (render->is_day)
		shown = cfdw_render_zoned(shown, render->zone);
	switch (render->format)
	{
		case CFDW_FORMAT_NONE:
			return psprintf(INT64_FORMAT, tick);
		case CFDW_FORMAT_EPOCH:
		case CFDW_FORMAT_EPOCH_MS:
		case CFDW_FORMAT_EPOCH_US:
			return epoch_text(render->is_day ? shown : tick, cfdw_render_epoch_unit(render->format), render->granularity);
		case CFDW_FORMAT_ISO8601:
			return iso_text(shown, render->granularity);
		case CFDW_FORMAT_DATE:
			return date_text(shown, render->zone);
		case CFDW_FORMAT_HTTP:
			return http_text(shown);
		case CFDW_FORMAT_PATTERN:
			return pattern_text(shown, render->pattern, render->zone);
	}
	pg_unreachable();
}

int64
cfdw_render_zoned(int64 wall_tick, pg_tz *zone)
{
	struct pg_tm tm;
	fsec_t fsec;

	break_down(wall_tick, NULL, &tm, &fsec);
	return cfdw_tick_before(wall_tick, -(int64) DetermineTimeZoneOffset(&tm, zone) * USECS_PER_SEC);
}
