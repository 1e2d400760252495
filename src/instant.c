/*
 * instant.c
 *	  Dates and times as APIs write them.
 *
 * The server's input function would guess: 01/02/2024 by DateStyle, a zone
 * abbreviation by a setting, "GMT+01:00" with the sign of POSIX.  So only
 * ISO 8601 text reaches it without a format, and everything else has to be
 * named by one.
 */
#include "instant.h"

#include "header.h"
#include "soft.h"

#include "catalog/pg_collation.h"
#include "catalog/pg_type.h"
#include "common/int.h"
#include "utils/builtins.h"
#include "utils/date.h"
#include "utils/datetime.h"
#include "utils/formatting.h"
#include "utils/timestamp.h"

#include <limits.h>

#define FORMAT_HINT "Set the column's option \"format\" to epoch, epoch_ms, epoch_us, date, http or a to_char pattern."

/* What the ISO 8601 scan found. */
typedef struct IsoText
{
	bool has_time;
	bool has_zone;
	bool posix_zone; /* GMT+01:00, UTC-5 */
	char *fraction;  /* at the decimal sign, or NULL */
	char *fraction_end;
} IsoText;

static int
scan_digits(char **p, int max)
{
	int n = 0;

	while (n < max && isdigit((unsigned char) **p))
	{
		(*p)++;
		n++;
	}
	return n;
}

/* YYYY-MM-DD or YYYYMMDD */
static bool
scan_date(char **p)
{
	int year = scan_digits(p, 8);

	if (**p != '-')
		return year == 8;
	if (year < 4 || year > 6)
		return false;
	(*p)++;
	if (scan_digits(p, 2) == 0 || *(*p)++ != '-')
		return false;
	return scan_digits(p, 2) > 0;
}

/* HH:MM, HH:MM:SS, HHMM, HHMMSS, with a fraction behind the seconds */
static bool
scan_time(char **p, IsoText *iso)
{
	int digits = scan_digits(p, 6);

	if (digits <= 2)
	{
		if (digits == 0 || *(*p)++ != ':' || scan_digits(p, 2) != 2)
			return false;
		if (**p != ':')
			return true;
		(*p)++;
		if (scan_digits(p, 2) != 2)
			return false;
	}
	else if (digits == 4)
		return true;
	else if (digits != 6)
		return false;

	if (**p == '.' || **p == ',')
	{
		iso->fraction = (*p)++;
		if (scan_digits(p, INT_MAX) == 0)
			return false;
		iso->fraction_end = *p;
	}
	return true;
}

/* Z, UTC, GMT, +HH, +HHMM, +HH:MM, +HH:MM:SS, behind blanks or not */
static bool
scan_zone(char **p, IsoText *iso)
{
	while (**p == ' ')
		(*p)++;
	if (**p == '\0')
		return true;
	iso->has_zone = true;
	if (pg_strcasecmp(*p, "z") == 0 || pg_strcasecmp(*p, "utc") == 0 || pg_strcasecmp(*p, "gmt") == 0)
	{
		*p += strlen(*p);
		return true;
	}
	if (pg_strncasecmp(*p, "utc", 3) == 0 || pg_strncasecmp(*p, "gmt", 3) == 0)
	{
		iso->posix_zone = (*p)[3] == '+' || (*p)[3] == '-';
		return false;
	}
	if (*(*p) != '+' && *(*p) != '-')
		return false;
	(*p)++;
	for (int part = 0; part < 3; part++)
	{
		if (scan_digits(p, 2) != 2)
			return false;
		if (**p == ':')
			(*p)++;
		else if (!isdigit((unsigned char) **p))
			return true;
	}
	return false;
}

static bool
scan_iso(char *text, IsoText *iso)
{
	char *p = text;

	memset(iso, 0, sizeof(*iso));
	if (!scan_date(&p))
		return false;
	if (*p == '\0')
		return true;
	if (*p != 'T' && *p != 't' && *p != ' ')
		return false;
	p++;
	iso->has_time = true;
	return scan_time(&p, iso) && scan_zone(&p, iso) && *p == '\0';
}

static char *
bad_text(const IsoText *iso, bool number, Node *escontext)
{
	if (iso->posix_zone)
		ereturn(escontext, NULL,
				errcode(ERRCODE_INVALID_DATETIME_FORMAT),
				errmsg("a zone like GMT+01:00 is ambiguous"),
				errdetail("POSIX reads its sign the other way round."),
				errhint("Set the column's option \"format\" to a to_char pattern, such as 'YYYY-MM-DD HH24:MI:SS \"GMT\"TZH:TZM'."));
	if (number)
		ereturn(escontext, NULL,
				errcode(ERRCODE_INVALID_DATETIME_FORMAT),
				errmsg("a number is not a date or time without a format"),
				errhint("Set the column's option \"format\" to epoch, epoch_ms or epoch_us."));
	ereturn(escontext, NULL,
			errcode(ERRCODE_INVALID_DATETIME_FORMAT),
			errmsg("value is not an ISO 8601 date or time"),
			errhint(FORMAT_HINT));
}

/* ISO text of an instant as the column's time zone shows it; timestamp_in and date_in pass over the offset. */
static char *
instant_out(TimestampTz instant)
{
	return DatumGetCString(DirectFunctionCall1(timestamptz_out, TimestampTzGetDatum(instant)));
}

static char *
iso_text(Oid type, const CfdwColumnOptions *options, char *text, bool number, Node *escontext)
{
	IsoText iso;
	Datum instant;

	if (options->format == CFDW_FORMAT_NONE && !number &&
		(strcmp(text, "infinity") == 0 || strcmp(text, "-infinity") == 0))
		return text;
	if (!scan_iso(text, &iso) || (number && options->format == CFDW_FORMAT_NONE))
		return bad_text(&iso, number && options->format == CFDW_FORMAT_NONE, escontext);
	if (options->format == CFDW_FORMAT_DATE && iso.has_time)
		ereturn(escontext, NULL,
				errcode(ERRCODE_INVALID_DATETIME_FORMAT),
				errmsg("value has a time although the column's format is date"),
				errhint("Set the column's option \"format\" to iso8601."));

	if (iso.fraction != NULL)
	{
		*iso.fraction = '.';
		if (iso.fraction_end - iso.fraction > 7)
			memmove(iso.fraction + 7, iso.fraction_end, strlen(iso.fraction_end) + 1);
	}
	if (type == TIMESTAMPTZOID || !iso.has_zone)
		return text;
	if (!DirectInputFunctionCallSafe(timestamptz_in, text, InvalidOid, -1, escontext, &instant))
		return NULL;
	return instant_out(DatumGetTimestampTz(instant));
}

CfdwDecimal
cfdw_decimal_int64(const char *text, int shift, int64 *out)
{
	const char *p = text;
	bool negative = *p == '-';
	const char *digits;
	const char *end;
	int64 value = 0;
	int64 whole; /* digits before the decimal sign, after the shift */
	bool exact = true;

	if (negative)
		p++;
	digits = p;
	p += strspn(p, "0123456789");
	whole = p - digits;
	if (*p == '.')
		p += 1 + strspn(p + 1, "0123456789");
	end = p;
	if (whole == 0)
		return CFDW_DECIMAL_INVALID;
	if (*p == 'e' || *p == 'E')
	{
		char *rest;
		long exponent = strtol(p + 1, &rest, 10);

		if (rest == p + 1)
			return CFDW_DECIMAL_INVALID;
		p = rest;
		whole += Max(Min(exponent, 100000), -100000);
	}
	if (*p != '\0')
		return CFDW_DECIMAL_INVALID;

	whole += shift;
	for (const char *d = digits; d < end || whole > 0; d++)
	{
		int digit = 0;

		if (d < end && *d == '.')
			continue;
		if (d < end)
			digit = *d - '0';
		if (whole <= 0)
			exact = exact && digit == 0;
		else if (pg_mul_s64_overflow(value, 10, &value) ||
				 (negative ? pg_sub_s64_overflow(value, digit, &value) : pg_add_s64_overflow(value, digit, &value)))
			return CFDW_DECIMAL_OVERFLOW;
		whole--;
	}
	*out = value;
	return exact ? CFDW_DECIMAL_EXACT : CFDW_DECIMAL_CUT;
}

static char *
unix_text(int64 microseconds, Node *escontext)
{
	const int64 offset = (int64) (POSTGRES_EPOCH_JDATE - UNIX_EPOCH_JDATE) * USECS_PER_DAY;
	TimestampTz instant;

	if (pg_sub_s64_overflow(microseconds, offset, &instant) || !IS_VALID_TIMESTAMP(instant))
		ereturn(escontext, NULL,
				errcode(ERRCODE_DATETIME_VALUE_OUT_OF_RANGE),
				errmsg("timestamp out of range"));
	return instant_out(instant);
}

static char *
epoch_text(const char *text, int shift, Node *escontext)
{
	int64 microseconds;

	switch (cfdw_decimal_int64(text, shift, &microseconds))
	{
		case CFDW_DECIMAL_EXACT:
		case CFDW_DECIMAL_CUT:
			return unix_text(microseconds, escontext);
		case CFDW_DECIMAL_OVERFLOW:
			ereturn(escontext, NULL,
					errcode(ERRCODE_DATETIME_VALUE_OUT_OF_RANGE),
					errmsg("timestamp out of range"));
		case CFDW_DECIMAL_INVALID:
			break;
	}
	ereturn(escontext, NULL,
			errcode(ERRCODE_INVALID_DATETIME_FORMAT),
			errmsg("value is not a number, as the column's format wants"));
}

static char *
http_text(const char *text, Node *escontext)
{
	int64 seconds;
	int64 microseconds;

	if (!cfdw_header_date(text, &seconds))
		ereturn(escontext, NULL,
				errcode(ERRCODE_INVALID_DATETIME_FORMAT),
				errmsg("value is not an HTTP date"));
	if (pg_mul_s64_overflow(seconds, USECS_PER_SEC, &microseconds))
		ereturn(escontext, NULL,
				errcode(ERRCODE_DATETIME_VALUE_OUT_OF_RANGE),
				errmsg("timestamp out of range"));
	return unix_text(microseconds, escontext);
}

static char *
pattern_text(const char *text, const char *pattern, Node *escontext)
{
	Oid type;
	int32 typmod;
	int zone = 0;
	Datum value;

#if PG_VERSION_NUM >= 160000
	value = parse_datetime(cstring_to_text(text), cstring_to_text(pattern), DEFAULT_COLLATION_OID, false,
						   &type, &typmod, &zone, escontext);
	if (SOFT_ERROR_OCCURRED(escontext))
		return NULL;
#else
	value = parse_datetime(cstring_to_text(text), cstring_to_text(pattern), DEFAULT_COLLATION_OID, false,
						   &type, &typmod, &zone, NULL);
#endif
	switch (type)
	{
		case TIMESTAMPTZOID:
			return instant_out(DatumGetTimestampTz(value));
		case TIMESTAMPOID:
			return DatumGetCString(DirectFunctionCall1(timestamp_out, value));
		case DATEOID:
			return DatumGetCString(DirectFunctionCall1(date_out, value));
	}
	ereturn(escontext, NULL,
			errcode(ERRCODE_INVALID_DATETIME_FORMAT),
			errmsg("the column's format \"%s\" has no date", pattern));
}

char *
cfdw_instant_text(Oid type, const CfdwColumnOptions *options, char *text, bool number, Node *escontext)
{
	switch (options->format)
	{
		case CFDW_FORMAT_NONE:
		case CFDW_FORMAT_ISO8601:
		case CFDW_FORMAT_DATE:
			return iso_text(type, options, text, number, escontext);
		case CFDW_FORMAT_EPOCH:
			return epoch_text(text, 6, escontext);
		case CFDW_FORMAT_EPOCH_MS:
			return epoch_text(text, 3, escontext);
		case CFDW_FORMAT_EPOCH_US:
			return epoch_text(text, 0, escontext);
		case CFDW_FORMAT_HTTP:
			return http_text(text, escontext);
		case CFDW_FORMAT_PATTERN:
			return pattern_text(text, options->pattern, escontext);
	}
	pg_unreachable();
}
