/*
 * option_value.c
 *	  The value of one option: a table of kinds says how each is checked,
 *	  stored and described.
 */
#include "option_value.h"

#include <math.h>

#include "common/int.h"
#include "fmgr.h"
#include "lib/stringinfo.h"
#include "mb/pg_wchar.h"
#include "option_header.h"
#include "origin.h"
#include "pgtime.h"
#include "request.h"
#include "url.h"
#include "utils/builtins.h"
#include "utils/fmgrprotos.h"
#include "utils/guc.h"
#include "utils/timestamp.h"

#define SHOWN_BYTES 100 /* of a wrong value in a message */

/*
 * How values of a kind are treated: take returns the text to be stored,
 * number the number; one of both is set.
 */
typedef struct Kind
{
	const char *(*take)(const CfdwOptionDef *def, const char *value);
	int64 (*number)(const CfdwOptionDef *def, const char *value);
	bool shown; /* a wrong value may be shown: it can hold no secret */
	const char *type;
} Kind;

static bool may_be_shown(const CfdwOptionDef *def);

/*
 * Raise 22023 for a value.  detail and hint are sentences, or NULL.
 */
static void
pg_attribute_noreturn()
	refuse(const CfdwOptionDef *def, const char *value, const char *detail, const char *hint)
{
	StringInfoData message;

	initStringInfo(&message);
	appendStringInfo(&message, "invalid value for option \"%s\"", def->name);
	if (may_be_shown(def))
	{
		int len = pg_mbcliplen(value, strlen(value), SHOWN_BYTES);

		appendStringInfo(&message, ": \"%.*s\"%s", len, value, value[len] != '\0' ? "..." : "");
	}
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg_internal("%s", message.data),
			 detail != NULL ? errdetail_internal("%s", detail) : 0,
			 hint != NULL ? errhint("%s", hint) : 0));
}

/* The same for an error from below; hint is used if that has none. */
static void
pg_attribute_noreturn()
	refuse_error(const CfdwOptionDef *def, const CfdwError *err, const char *hint)
{
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("invalid value for option \"%s\": %s", def->name, err->message),
			 err->hint[0] != '\0' ? errhint("%s", err->hint) : errhint("%s", hint)));
}

static const char *
take_any(const CfdwOptionDef *def, const char *value)
{
	return value;
}

static const char *
take_line(const CfdwOptionDef *def, const char *value)
{
	if (cfdw_has_control(value))
		refuse(def, value, NULL, "It must be one line without control characters.");
	return value;
}

static const char *
take_header_name(const CfdwOptionDef *def, const char *value)
{
	if (!cfdw_is_header_name(value))
		refuse(def, value, NULL, "The name of a header has letters, digits and hyphens only, such as X-Next-Cursor.");
	return value;
}

static void
pg_attribute_noreturn()
	refuse_word(const CfdwOptionDef *def, const char *value)
{
	CfdwNearest nearest = cfdw_nearest_to(value);
	const char *listed = psprintf("Its values are: %s.", cfdw_option_type(def));

	for (const CfdwOptionWord *word = def->words; word->word != NULL; word++)
		cfdw_nearest_feed(&nearest, word->word);
	if (nearest.best != NULL)
		listed = psprintf("Perhaps you meant \"%s\". %s", nearest.best, listed);
	refuse(def, value, NULL, listed);
}

static const char *
take_word(const CfdwOptionDef *def, const char *value)
{
	const CfdwOptionWord *word = cfdw_word_find(def->words, value);

	if (word == NULL)
		refuse_word(def, value);
	return word->word;
}

/* "data.items" or "$.data.items[*]" as the pointer that was probably meant. */
static char *
as_pointer(const char *path)
{
	StringInfoData out;

	initStringInfo(&out);
	path += strspn(path, "$./");
	appendStringInfoChar(&out, '/');
	for (; *path != '\0'; path++)
	{
		if (*path == '.' || *path == '[')
			appendStringInfoChar(&out, '/');
		else if (*path != ']')
			appendStringInfoChar(&out, *path);
	}
	return out.data;
}

static void
check_pointer(const CfdwOptionDef *def, const char *pointer, bool wildcard)
{
	CfdwPointer parsed;
	CfdwError err;

	if (!cfdw_pointer_parse(CurrentMemoryContext, pointer, wildcard, &parsed, &err))
		refuse_error(def, &err, "A JSON pointer is a slash before each name, such as /data/items.");
}

static const char *
take_pointer(const CfdwOptionDef *def, const char *value)
{
	if (value[0] != '/' && value[0] != '\0')
		refuse(def, value, NULL,
			   psprintf("It is a JSON pointer, with * for each element or member. Perhaps you meant \"%s\".", as_pointer(value)));
	check_pointer(def, value, true);
	return value;
}

/* The context line of an error that the server's jsonpath parser raises. */
static void
name_option(void *arg)
{
	errcontext("option \"%s\"", ((const CfdwOptionDef *) arg)->name);
}

static void
check_jsonpath(const CfdwOptionDef *def, const char *path)
{
	ErrorContextCallback context = {error_context_stack, name_option, unconstify(CfdwOptionDef *, def)};

	error_context_stack = &context;
	DirectFunctionCall1(jsonpath_in, CStringGetDatum(path));
	error_context_stack = context.previous;
}

static void
check_path(const CfdwOptionDef *def, const char *value, const char *path)
{
	if (path[0] == '$')
		check_jsonpath(def, path);
	else if (path[0] == '/' || path[0] == '\0')
		check_pointer(def, path, false);
	else
		refuse(def, value, NULL,
			   psprintf("A path is a JSON pointer, which starts with /, or an SQL/JSON path, which starts with $. Perhaps you meant \"%s\".",
						as_pointer(path)));
}

static const char *
take_path(const CfdwOptionDef *def, const char *value)
{
	check_path(def, value, value);
	return value;
}

static const char *
take_flag(const CfdwOptionDef *def, const char *value)
{
	const char *path = value[0] == '!' ? value + 1 : value;

	if (path[0] == '\0')
		refuse(def, value, NULL, "It is a path, after ! if its value means the opposite.");
	check_path(def, value, path);
	return value;
}

static const char *
take_base_url(const CfdwOptionDef *def, const char *value)
{
	char *joined;
	CfdwError err;

	if (!cfdw_url_join(CurrentMemoryContext, value, "", &joined, &err))
		refuse_error(def, &err, "It is like https://api.example.com/v1; parameters belong to a table's params, passwords to a user mapping.");
	return value;
}

static const char *
take_url(const CfdwOptionDef *def, const char *value)
{
	char *resolved;
	CfdwError err;

	if (!cfdw_url_resolve(CurrentMemoryContext, value, value, &resolved, &err))
		refuse_error(def, &err, "It starts with http:// or https://, and has no user name and no password.");
	return value;
}

/* May the text be the name of a placeholder? */
static bool
is_placeholder(const char *name, size_t len)
{
	for (size_t i = 0; i < len; i++)
	{
		if (!isalnum((unsigned char) name[i]) && strchr("_-.", name[i]) == NULL)
			return false;
	}
	return len > 0;
}

static const char *
take_param(const CfdwOptionDef *def, const char *value)
{
	if (!is_placeholder(value, strlen(value)))
		refuse(def, value, NULL, "It is the name of a placeholder, without braces: letters, digits, and _ - . between them.");
	if (cfdw_request_is_builtin(value, strlen(value)))
		refuse(def, value, "A walk fills this placeholder by itself.", "Give the parameter another name, in the placeholder too.");
	return value;
}

/*
 * Every brace must belong to a placeholder: any other would be asked for as
 * it is.  Which names there are is known with the columns only.
 */
static void
check_placeholders(const CfdwOptionDef *def, const char *value)
{
	for (const char *brace = value; (brace = strpbrk(brace, "{}")) != NULL;)
	{
		const char *name = brace + (brace[1] == '+' ? 2 : 1);
		size_t len = strcspn(name, "{}");

		if (*brace == '}' || name[len] != '}' || !is_placeholder(name, len))
			refuse(def, value, "It has a brace that is no part of a placeholder.",
				   "A placeholder is the name of a column's param, or cursor, offset, page, limit, since, until or sync_token, in braces. Other braces are written %7B and %7D.");
		brace = name + len + 1;
	}
}

/*
 * Everybody may read params and endpoint, so a query pair that is surely a
 * secret is refused.  Names that may be a page's token are not.
 */
static void
check_secret_pairs(const CfdwOptionDef *def, const char *value, const char *query)
{
	static const char *const names[] = {"api_key", "apikey", "api-key", "access_token", "auth_token", "client_secret", "password"};

	for (const char *pair = query; pair != NULL;)
	{
		const char *end = strchr(pair, '&');
		size_t len = strcspn(pair, "=&");

		for (int i = 0; i < lengthof(names); i++)
		{
			if (len == strlen(names[i]) && pg_strncasecmp(pair, names[i], len) == 0)
				refuse(def, value, psprintf("The parameter \"%s\" is a secret, and everybody may read the options of tables.", names[i]),
					   psprintf("Set auth 'api_key', api_key_name '%s' and api_key_location 'query' for the server, and api_key in the user mapping.",
								names[i]));
		}
		pair = end != NULL ? end + 1 : NULL;
	}
}

static const char *
take_endpoint(const CfdwOptionDef *def, const char *value)
{
	const char *query = strchr(value, '?');

	if (value[0] == '?')
		refuse(def, value, "It does not start with a slash.", "Put query parameters into the option \"params\".");
	if (value[0] != '/' && value[0] != '\0')
		refuse(def, value, "It does not start with a slash.", "It is what follows the server's base_url, such as /items.");
	for (const char *p = value; *p != '\0'; p++)
	{
		if ((unsigned char) *p <= 0x20 || (unsigned char) *p >= 0x7f || *p == '\\' || *p == '#')
			refuse(def, value, "It has a character that cannot be part of a URL.",
				   "Write such characters percent-encoded, a blank as %20.");
	}
	check_placeholders(def, value);
	check_secret_pairs(def, value, query != NULL ? query + 1 : NULL);
	return value;
}

static const char *
take_query(const CfdwOptionDef *def, const char *value)
{
	if (value[0] == '?' || value[0] == '&')
		refuse(def, value, NULL, "It starts with the name of a parameter, such as state=all&sort=id.");
	if (cfdw_has_control(value))
		refuse(def, value, NULL, "It must be one line without control characters.");
	check_secret_pairs(def, value, value);
	return value;
}

static const char *
take_headers(const CfdwOptionDef *def, const char *value)
{
	char *detail;
	const char *hint;

	if (!cfdw_option_headers_are_good(value, def->secret, &detail, &hint))
		refuse(def, value, detail, hint);
	return value;
}

static const char *
take_file(const CfdwOptionDef *def, const char *value)
{
	if (!is_absolute_path(value))
		refuse(def, value, NULL, "It is the absolute path of a file on the database server.");
	return value;
}

static const char *
take_origins(const CfdwOptionDef *def, const char *value)
{
	if (!cfdw_origin_is_rule(CurrentMemoryContext, value))
		refuse(def, value, NULL, "It is same, rewrite, or a list of origins such as https://api.example.com, https://files.example.com:8443.");
	return value;
}

static const char *
take_statuses(const CfdwOptionDef *def, const char *value)
{
	CfdwStatuses statuses;

	if (!cfdw_statuses_parse(value, &statuses))
		refuse(def, value, NULL, "It is a list of HTTP statuses such as 404, 410, 5xx.");
	return value;
}

static const char *
take_format(const CfdwOptionDef *def, const char *value)
{
	const CfdwOptionWord *word = cfdw_word_find(def->words, value);

	if (word != NULL)
		return word->word;
	/* a pattern has at least a year or an hour; anything else is a misspelt word */
	for (const char *p = value; *p != '\0'; p++)
	{
		if (pg_strncasecmp(p, "YY", 2) == 0 || pg_strncasecmp(p, "HH", 2) == 0)
			return value;
	}
	refuse_word(def, value);
}

static const char *
take_timezone(const CfdwOptionDef *def, const char *value)
{
	if (pg_tzset(value) == NULL)
		refuse(def, value, NULL, "SELECT name FROM pg_timezone_names lists all time zones.");
	return value;
}

bool
cfdw_option_span(const char *value, int64 *microseconds)
{
	Interval *interval;
	int64 days;

	interval = DatumGetIntervalP(DirectFunctionCall3(interval_in, CStringGetDatum(value), ObjectIdGetDatum(InvalidOid), Int32GetDatum(-1)));
	return interval->month == 0 &&
		   !pg_mul_s64_overflow(interval->day, USECS_PER_DAY, &days) &&
		   !pg_add_s64_overflow(days, interval->time, microseconds);
}

/* Whether it is an interval or, for a column of numbers, an integer, is known with the column only. */
static const char *
take_span(const CfdwOptionDef *def, const char *value)
{
	ErrorContextCallback context = {error_context_stack, name_option, unconstify(CfdwOptionDef *, def)};
	int64 span;
	char *end;

	errno = 0;
	span = strtoi64(value, &end, 10);
	if (*end != '\0' || errno != 0)
	{
		error_context_stack = &context;
		if (!cfdw_option_span(value, &span))
			refuse(def, value, "It has months or years, which are not all of one length.", "Write it in days.");
		error_context_stack = context.previous;
	}
	if (span < def->min)
		refuse(def, value, NULL, def->min > 0 ? "It is more than zero." : "It is not negative.");
	return value;
}

static int64
number_enum(const CfdwOptionDef *def, const char *value)
{
	const CfdwOptionWord *word = cfdw_word_find(def->words, value);

	if (word == NULL)
		refuse_word(def, value);
	return word->value;
}

static int64
number_bool(const CfdwOptionDef *def, const char *value)
{
	bool result;

	if (!parse_bool(value, &result))
		refuse(def, value, NULL, "It is true or false.");
	return result;
}

static const char *
bounds(const CfdwOptionDef *def, const char *unit)
{
	if (def->max == PG_INT64_MAX)
		return psprintf("It is at least " INT64_FORMAT "%s.", def->min, unit);
	return psprintf("It is from " INT64_FORMAT " to " INT64_FORMAT "%s.", def->min, def->max, unit);
}

/* A number with a unit, in multiples of a quantum of GUC unit base. */
static int64
number_with_unit(const CfdwOptionDef *def, const char *value, int base, double quantum, const char *hint, const char *unit)
{
	double number;

	if (!parse_real(value, &number, base, NULL))
		refuse(def, value, NULL, hint);
	number = rint(number / quantum);
	if (number < (double) def->min || number > (double) def->max)
		refuse(def, value, NULL, bounds(def, unit));
	return (int64) number;
}

static int64
number_integer(const CfdwOptionDef *def, const char *value)
{
	char *end;
	int64 result;

	errno = 0;
	result = strtoi64(value, &end, 10);
	if (end == value || *end != '\0')
		refuse(def, value, NULL, "It is an integer.");
	if (errno == ERANGE || result < def->min || result > def->max)
		refuse(def, value, NULL, bounds(def, ""));
	return result;
}

static int64
number_duration(const CfdwOptionDef *def, const char *value)
{
	return number_with_unit(def, value, GUC_UNIT_S, 0.001,
							"It is a duration such as 10 s or 500ms; a number without a unit counts seconds.", " ms");
}

static int64
number_size(const CfdwOptionDef *def, const char *value)
{
	return number_with_unit(def, value, GUC_UNIT_BYTE, 1,
							"It is a size such as 64 MB or 500kB; a number without a unit counts bytes.", " bytes");
}

static const Kind kinds[] = {
	[CFDW_KIND_TEXT] = {take_any, NULL, false, "text"},
	[CFDW_KIND_LINE] = {take_line, NULL, false, "text"},
	[CFDW_KIND_HEADER_NAME] = {take_header_name, NULL, true, "header name"},
	[CFDW_KIND_WORD] = {take_word, NULL, true, NULL},
	[CFDW_KIND_PATH] = {take_path, NULL, true, "JSON pointer or SQL/JSON path"},
	[CFDW_KIND_FLAG] = {take_flag, NULL, true, "JSON pointer or SQL/JSON path"},
	[CFDW_KIND_POINTER] = {take_pointer, NULL, true, "JSON pointer"},
	[CFDW_KIND_BASE_URL] = {take_base_url, NULL, false, "URL"},
	[CFDW_KIND_URL] = {take_url, NULL, false, "URL"},
	[CFDW_KIND_ENDPOINT] = {take_endpoint, NULL, false, "URL path"},
	[CFDW_KIND_QUERY] = {take_query, NULL, false, "query string"},
	[CFDW_KIND_PARAM] = {take_param, NULL, true, "name of a placeholder"},
	[CFDW_KIND_HEADERS] = {take_headers, NULL, false, "JSON object"},
	[CFDW_KIND_FILE] = {take_file, NULL, true, "file"},
	[CFDW_KIND_ORIGINS] = {take_origins, NULL, false, "same, rewrite, or a list of origins"},
	[CFDW_KIND_STATUSES] = {take_statuses, NULL, true, "HTTP statuses"},
	[CFDW_KIND_FORMAT] = {take_format, NULL, true, NULL},
	[CFDW_KIND_TIMEZONE] = {take_timezone, NULL, true, "time zone"},
	[CFDW_KIND_SPAN] = {take_span, NULL, true, "interval"},
	[CFDW_KIND_ENUM] = {NULL, number_enum, true, NULL},
	[CFDW_KIND_BOOL] = {NULL, number_bool, true, "boolean"},
	[CFDW_KIND_INTEGER] = {NULL, number_integer, true, "integer"},
	[CFDW_KIND_DURATION] = {NULL, number_duration, true, "duration"},
	[CFDW_KIND_SIZE] = {NULL, number_size, true, "size"},
};

static bool
may_be_shown(const CfdwOptionDef *def)
{
	return kinds[def->kind].shown && !def->secret;
}

static void
store_number(const CfdwOptionDef *def, int64 number, char *field)
{
	switch (def->size)
	{
		case sizeof(bool):
			*(bool *) field = number != 0;
			break;
		case sizeof(int):
			*(int *) field = (int) number;
			break;
		default:
			Assert(def->size == sizeof(int64));
			*(int64 *) field = number;
	}
}

void
cfdw_option_store(const CfdwOptionDef *def, const char *value, void *into)
{
	const Kind *kind = &kinds[def->kind];
	char *field = (char *) into + def->offset;

	if (value[0] == '\0' && !def->may_be_empty)
		refuse(def, value, "It is empty.", "Leave the option out, or drop it.");
	if (kind->number != NULL)
		store_number(def, kind->number(def, value), field);
	else
		*(char **) field = pstrdup(kind->take(def, value));
}

static int64
load_number(const CfdwOptionDef *def, const char *field)
{
	if (def->size == sizeof(bool))
		return *(const bool *) field;
	if (def->size == sizeof(int))
		return *(const int *) field;
	return *(const int64 *) field;
}

const char *
cfdw_option_shown(const CfdwOptionDef *def, const void *options)
{
	const char *field = (const char *) options + def->offset;

	/* a format that is a word has left the field of patterns */
	if (def->kind == CFDW_KIND_FORMAT && def->place == CFDW_PLACE_COLUMN && *(char *const *) field == NULL)
		return cfdw_word_of(def->words, ((const CfdwColumnOptions *) options)->format);
	if (kinds[def->kind].take != NULL)
		return *(char *const *) field;
	if (def->kind == CFDW_KIND_ENUM)
		return cfdw_word_of(def->words, load_number(def, field));
	return psprintf(INT64_FORMAT, load_number(def, field));
}

const char *
cfdw_option_type(const CfdwOptionDef *def)
{
	if (def->kind == CFDW_KIND_FORMAT)
		return psprintf("%s, or a pattern", cfdw_words_listed(def->words));
	return def->words != NULL ? cfdw_words_listed(def->words) : kinds[def->kind].type;
}
