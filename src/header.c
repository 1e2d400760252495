/*
 * header.c
 *	  Reading the values of response headers.
 *
 * A reader of Link headers errs on the side of finding the link: one that is
 * overlooked would silently end a walk in the middle.
 */
#include "header.h"

#include <stdlib.h>
#include <time.h>

/* Numbers from here on are times since 1970, in seconds or milliseconds; smaller ones are seconds to wait. */
#define FIRST_EPOCH    1e8
#define FIRST_EPOCH_MS 1e11
#define MAX_WAIT_MS    INT64CONST(1000000000000)

/* One parameter of a link: name and value without quotes; backslashes of a quoted value are still there. */
typedef struct LinkParam
{
	CfdwSlice name;
	CfdwSlice value;
} LinkParam;

static bool
is_blank(char c)
{
	return c == ' ' || c == '\t';
}

static const char *
skip_blanks(const char *p)
{
	while (is_blank(*p))
		p++;
	return p;
}

static bool
equals(CfdwSlice slice, const char *word)
{
	return slice.len == strlen(word) && pg_strncasecmp(slice.data, word, slice.len) == 0;
}

/*
 * Read a parameter's value, quoted (single quotes are wrong but seen) or up
 * to a blank, ";" or ",".  Returns where it ends.  A quote that is never
 * closed ends with the text.
 */
static const char *
read_value(const char *p, CfdwSlice *value)
{
	char quote = *p;

	if (quote != '"' && quote != '\'')
	{
		value->data = p;
		value->len = strcspn(p, " \t;,");
		return p + value->len;
	}
	value->data = ++p;
	while (*p != '\0' && *p != quote)
		p += *p == '\\' && p[1] != '\0' ? 2 : 1;
	value->len = (size_t) (p - value->data);
	return p;
}

/* Read the parameter at p, behind its ";".  Returns the ";", "," or end that follows it. */
static const char *
read_param(const char *p, LinkParam *param)
{
	p = skip_blanks(p);
	param->name.data = p;
	param->name.len = strcspn(p, " \t=;,");
	param->value.data = "";
	param->value.len = 0;
	p = skip_blanks(p + param->name.len);
	if (*p == '=')
		p = read_value(skip_blanks(p + 1), &param->value);
	return p + strcspn(p, ";,");
}

/* Is "next" one of the blank-separated relations? */
static bool
has_next(CfdwSlice relations)
{
	size_t start = 0;

	while (start < relations.len)
	{
		size_t end = start;

		while (end < relations.len && !is_blank(relations.data[end]))
			end++;
		if (equals((CfdwSlice){relations.data + start, end - start}, "next"))
			return true;
		start = end + 1;
	}
	return false;
}

/* Read the parameters of one link, from behind its ">" to the "," or the end that follows. */
static const char *
read_params(const char *p, bool *is_next)
{
	bool seen_rel = false;
	bool no_results = false;

	*is_next = false;
	p += strcspn(p, ";,");
	while (*p == ';')
	{
		LinkParam param;

		p = read_param(p + 1, &param);
		/* of several rel parameters only the first counts (RFC 8288 3.3) */
		if (equals(param.name, "rel") && !seen_rel)
		{
			seen_rel = true;
			*is_next = has_next(param.value);
		}
		else if (equals(param.name, "results"))
			no_results = equals(param.value, "false");
	}
	*is_next = *is_next && !no_results;
	return p;
}

char *
cfdw_header_next_link(CfdwArena *arena, const char *value)
{
	const char *p = value;

	while (*p != '\0')
	{
		const char *end;
		bool is_next;

		while (is_blank(*p) || *p == ',')
			p++;
		if (*p != '<')
		{
			p += strcspn(p, ",");
			continue;
		}
		p = skip_blanks(p + 1);
		end = strchr(p, '>');
		if (end == NULL)
			return NULL;
		value = p;
		p = read_params(end + 1, &is_next);
		while (end > value && is_blank(end[-1]))
			end--;
		if (is_next && end > value)
			return cfdw_strndup(arena, value, (size_t) (end - value));
	}
	return NULL;
}

/* Read a number of min to max digits; moves *p behind it. */
static bool
take_number(const char **p, int min, int max, int *out)
{
	int digits = 0;

	*out = 0;
	while (digits < max && (*p)[digits] >= '0' && (*p)[digits] <= '9')
		*out = *out * 10 + ((*p)[digits++] - '0');
	*p += digits;
	return digits >= min;
}

static bool
take_char(const char **p, char c)
{
	if (**p != c)
		return false;
	(*p)++;
	return true;
}

/* Read a month's three letters, as 1 to 12. */
static bool
take_month(const char **p, int *month)
{
	static const char names[] = "janfebmaraprmayjunjulaugsepoctnovdec";

	for (*month = 1; *month <= 12; (*month)++)
	{
		if (pg_strncasecmp(*p, names + 3 * (*month - 1), 3) == 0)
		{
			*p += 3;
			return true;
		}
	}
	return false;
}

/* Read "08:49:37" (a leap second is allowed) as seconds of the day. */
static bool
take_time(const char **p, int *seconds)
{
	int hour;
	int minute;
	int second;

	if (!take_number(p, 2, 2, &hour) || !take_char(p, ':') ||
		!take_number(p, 2, 2, &minute) || !take_char(p, ':') ||
		!take_number(p, 2, 2, &second) ||
		hour > 23 || minute > 59 || second > 60)
		return false;
	*seconds = (hour * 60 + minute) * 60 + second;
	return true;
}

/* Read GMT, UTC or a numeric offset ("+0200"), as seconds east of Greenwich. */
static bool
take_zone(const char **p, int *offset)
{
	int sign = **p == '-' ? -1 : 1;
	int digits;

	*offset = 0;
	if (pg_strncasecmp(*p, "GMT", 3) == 0 || pg_strncasecmp(*p, "UTC", 3) == 0)
	{
		*p += 3;
		return true;
	}
	if (**p != '+' && **p != '-')
		return false;
	(*p)++;
	if (!take_number(p, 4, 4, &digits) || digits > 2359 || digits % 100 > 59)
		return false;
	*offset = sign * ((digits / 100) * 3600 + (digits % 100) * 60);
	return true;
}

/* A year of two digits that lies more than 50 years ahead is of the past century (RFC 9110 5.6.7). */
static int
full_year(int two_digits)
{
	time_t now = time(NULL);
	struct tm utc;
	int this_year = gmtime_r(&now, &utc) != NULL ? utc.tm_year + 1900 : 1970;
	int year = this_year - this_year % 100 + two_digits;

	return year > this_year + 50 ? year - 100 : year;
}

static int
days_in_month(int year, int month)
{
	static const int days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
	bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;

	return days[month - 1] + (month == 2 && leap ? 1 : 0);
}

/* Days from 1970-01-01 in the Gregorian calendar; the year starts in March, so that the leap day comes last. */
static int64
days_since_1970(int year, int month, int day)
{
	int64 y = month > 2 ? year : year - 1;
	int64 day_of_year = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1;

	return y * 365 + y / 4 - y / 100 + y / 400 + day_of_year - 719468;
}

/* Read "06 Nov 1994" or "06-Nov-94". */
static bool
take_day_month_year(const char **p, int *day, int *month, int *year)
{
	const char *start;
	char separator;

	if (!take_number(p, 1, 2, day))
		return false;
	separator = **p;
	if ((separator != ' ' && separator != '-') || !take_char(p, separator) ||
		!take_month(p, month) || !take_char(p, separator))
		return false;
	start = *p;
	if (!take_number(p, 2, 4, year) || *p - start == 3)
		return false;
	if (*p - start == 2)
		*year = full_year(*year);
	return true;
}

bool
cfdw_header_date(const char *value, int64 *epoch)
{
	const char *p = skip_blanks(value);
	int day;
	int month;
	int year;
	int seconds;
	int offset = 0;

	/* the name of the day says nothing new */
	while ((*p >= 'A' && *p <= 'Z') || (*p >= 'a' && *p <= 'z'))
		p++;
	if (*p == ',')
		p++;
	p = skip_blanks(p);

	if (*p >= '0' && *p <= '9')
	{
		if (!take_day_month_year(&p, &day, &month, &year) || !take_char(&p, ' ') ||
			!take_time(&p, &seconds) || !take_char(&p, ' ') || !take_zone(&p, &offset))
			return false;
	}
	else
	{
		/* asctime: "Nov  6 08:49:37 1994" */
		if (!take_month(&p, &month) || !take_char(&p, ' '))
			return false;
		p = skip_blanks(p);
		if (!take_number(&p, 1, 2, &day) || !take_char(&p, ' ') ||
			!take_time(&p, &seconds) || !take_char(&p, ' ') || !take_number(&p, 4, 4, &year))
			return false;
	}
	if (*skip_blanks(p) != '\0' || year < 1 || day < 1 || day > days_in_month(year, month))
		return false;
	*epoch = days_since_1970(year, month, day) * 86400 + seconds - offset;
	return true;
}

/* Read "2024-05-01T08:49:37.5Z" (also with a blank or an offset such as +02:00) as milliseconds since 1970. */
static bool
iso_date(const char *p, int64 *epoch_ms)
{
	int year;
	int month;
	int day;
	int seconds;
	int offset = 0;
	double fraction = 0;
	char zone[8];

	if (!take_number(&p, 4, 4, &year) || !take_char(&p, '-') || !take_number(&p, 2, 2, &month) || !take_char(&p, '-') ||
		!take_number(&p, 2, 2, &day) || (!take_char(&p, 'T') && !take_char(&p, ' ')) || !take_time(&p, &seconds))
		return false;
	if (*p == '.')
		fraction = strtod(p, unconstify(char **, &p));
	if (*p == 'Z')
		p++;
	else if (strlen(p) == 6 && p[3] == ':')
	{
		const char *q = zone;

		snprintf(zone, sizeof(zone), "%.3s%s", p, p + 4);
		if (!take_zone(&q, &offset))
			return false;
		p += 6;
	}
	if (*skip_blanks(p) != '\0' || month < 1 || month > 12 || day < 1 || day > days_in_month(year, month))
		return false;
	*epoch_ms = (days_since_1970(year, month, day) * 86400 + seconds - offset) * 1000 + (int64) (fraction * 1000);
	return true;
}

/* A number without sign and exponent, and nothing after it. */
static bool
is_plain_number(const char *p)
{
	size_t digits = strspn(p, "0123456789");

	p += digits;
	if (*p == '.')
		p += 1 + strspn(p + 1, "0123456789");
	return digits > 0 && *skip_blanks(p) == '\0';
}

bool
cfdw_header_wait(const char *value, int64 now, int64 *wait_ms)
{
	const char *p = skip_blanks(value);
	int64 epoch;

	if (is_plain_number(p))
	{
		double number = strtod(p, NULL);
		double milliseconds = number * 1000;

		if (number >= FIRST_EPOCH_MS)
			milliseconds = number - (double) now * 1000;
		else if (number >= FIRST_EPOCH)
			milliseconds -= (double) now * 1000;
		*wait_ms = (int64) Min(milliseconds, (double) MAX_WAIT_MS);
	}
	else if (cfdw_header_date(p, &epoch))
		*wait_ms = (epoch - now) * 1000;
	else if (iso_date(p, &epoch))
		*wait_ms = epoch - now * 1000;
	else if (*p == '-' && is_plain_number(p + 1))
		*wait_ms = 0;
	else
		return false;
	*wait_ms = Max(*wait_ms, 0);
	return true;
}
