/*
 * option_table.c
 *	  The one table of options, in the order in which a reader wants them,
 *	  and how it is searched.
 */
#include "option_table.h"

#include <limits.h>

#include "lib/stringinfo.h"
#include "utils/varlena.h"

#define MAX_RESPONSE_BYTES INT64CONST(0x3fffffff) /* the server's limit of one allocation */
#define DAY_MS             INT64CONST(86400000)

static const CfdwOptionWord auth_words[] = {
	{"none", CFDW_AUTH_NONE},
	{"bearer", CFDW_AUTH_BEARER},
	{"basic", CFDW_AUTH_BASIC},
	{"api_key", CFDW_AUTH_API_KEY},
	{NULL}};

static const CfdwOptionWord key_location_words[] = {{"header", false}, {"query", true}, {NULL}};
static const CfdwOptionWord method_words[] = {{"GET"}, {"POST"}, {NULL}};
static const CfdwOptionWord response_words[] = {{"json", false}, {"ndjson", true}, {NULL}};
static const CfdwOptionWord missing_words[] = {{"error", false}, {"empty", true}, {NULL}};
static const CfdwOptionWord record_error_words[] = {{"error", false}, {"reject", true}, {NULL}};
static const CfdwOptionWord expired_words[] = {{"error", false}, {"restart", true}, {NULL}};
static const CfdwOptionWord on_error_words[] = {{"error", false}, {"null", true}, {NULL}};

const CfdwOptionWord cfdw_pagination_words[] = {
	{"none", CFDW_PAGINATION_NONE},
	{"cursor", CFDW_PAGINATION_CURSOR},
	{"header_cursor", CFDW_PAGINATION_HEADER_CURSOR},
	{"next_url", CFDW_PAGINATION_NEXT_URL},
	{"link_header", CFDW_PAGINATION_LINK_HEADER},
	{"keyset", CFDW_PAGINATION_KEYSET},
	{"offset", CFDW_PAGINATION_OFFSET},
	{"page_number", CFDW_PAGINATION_PAGE_NUMBER},
	{NULL}};

static const CfdwOptionWord checkpoint_words[] = {
	{"none", CFDW_MODE_NONE},
	{"cursor", CFDW_MODE_CURSOR},
	{"offset", CFDW_MODE_OFFSET},
	{"timestamp", CFDW_MODE_TIMESTAMP},
	{"sync_token", CFDW_MODE_SYNC_TOKEN},
	{"keys", CFDW_MODE_KEYS},
	{NULL}};

static const CfdwOptionWord boundary_words[] = {
	{"exclusive", CFDW_BOUNDARY_EXCLUSIVE},
	{"inclusive", CFDW_BOUNDARY_INCLUSIVE},
	{"unchecked", CFDW_BOUNDARY_UNCHECKED},
	{NULL}};

static const CfdwOptionWord order_words[] = {
	{"none", CFDW_ORDER_NONE},
	{"asc", CFDW_ORDER_ASC},
	{"desc", CFDW_ORDER_DESC},
	{NULL}};

const CfdwOptionWord cfdw_format_words[] = {
	{"iso8601", CFDW_FORMAT_ISO8601},
	{"epoch", CFDW_FORMAT_EPOCH},
	{"epoch_ms", CFDW_FORMAT_EPOCH_MS},
	{"epoch_us", CFDW_FORMAT_EPOCH_US},
	{"date", CFDW_FORMAT_DATE},
	{"http", CFDW_FORMAT_HTTP},
	{NULL}};

static const CfdwOptionWord source_words[] = {
	{"record", CFDW_SOURCE_RECORD},
	{"key", CFDW_SOURCE_KEY},
	{"batch", CFDW_SOURCE_BATCH},
	{"fetched_at", CFDW_SOURCE_FETCHED_AT},
	{"page", CFDW_SOURCE_PAGE},
	{NULL}};

/* the kinds of pagination, as bits */
#define CURSOR        CFDW_PAGINATION_BIT(CFDW_PAGINATION_CURSOR)
#define HEADER_CURSOR CFDW_PAGINATION_BIT(CFDW_PAGINATION_HEADER_CURSOR)
#define NEXT_URL      CFDW_PAGINATION_BIT(CFDW_PAGINATION_NEXT_URL)
#define LINK_HEADER   CFDW_PAGINATION_BIT(CFDW_PAGINATION_LINK_HEADER)
#define KEYSET        CFDW_PAGINATION_BIT(CFDW_PAGINATION_KEYSET)
#define OFFSET        CFDW_PAGINATION_BIT(CFDW_PAGINATION_OFFSET)
#define PAGE_NUMBER   CFDW_PAGINATION_BIT(CFDW_PAGINATION_PAGE_NUMBER)

#define IN(type, field)      offsetof(type, field), sizeof(((type *) NULL)->field)
#define SERVER(kind, field)  CFDW_PLACE_SERVER, CFDW_KIND_##kind, IN(CfdwOptions, field)
#define MAPPING(kind, field) CFDW_PLACE_MAPPING, CFDW_KIND_##kind, IN(CfdwOptions, field)
#define TABLE(kind, field)   CFDW_PLACE_TABLE, CFDW_KIND_##kind, IN(CfdwOptions, field)
#define COLUMN(kind, field)  CFDW_PLACE_COLUMN, CFDW_KIND_##kind, IN(CfdwColumnOptions, field)

/* clang-format off */
const CfdwOptionDef cfdw_option_table[] = {
	{"base_url", SERVER(BASE_URL, base_url), .required = true, .in_fingerprint = true,
	 .help = "scheme, host and common path of the API, such as https://api.example.com/v1"},
	{"auth", SERVER(ENUM, auth), .words = auth_words, .default_text = "none",
	 .help = "how requests authenticate; the secret itself is in the user mapping"},
	{"api_key_name", SERVER(LINE, api_key_name),
	 .help = "header or query parameter that carries the API key"},
	{"api_key_location", SERVER(ENUM, api_key_in_query), .words = key_location_words, .default_text = "header",
	 .help = "where the API key goes"},
	{"headers", SERVER(HEADERS, server_headers),
	 .help = "request headers for all tables, as a JSON object"},
	{"user_agent", SERVER(LINE, user_agent), .default_text = "checkpoint_fdw/1.0",
	 .help = "how requests introduce themselves"},
	{"connect_timeout", SERVER(DURATION, connect_timeout_ms), .min = 1, .max = DAY_MS, .default_text = "10 s",
	 .help = "bound for name look-up, connection and TLS"},
	{"request_timeout", SERVER(DURATION, request_timeout_ms), .min = 1, .max = DAY_MS, .default_text = "60 s",
	 .help = "bound for a whole request, its response included"},
	{"max_retries", SERVER(INTEGER, max_retries), .min = 0, .max = 100, .default_text = "5",
	 .help = "how often a request that failed is made again"},
	{"max_retry_wait", SERVER(DURATION, max_retry_wait_ms), .min = 0, .max = DAY_MS, .default_text = "60 s",
	 .help = "bound for all waits between the retries of a request"},
	{"retry_statuses", SERVER(STATUSES, retry_statuses), .default_text = "408, 429, 5xx",
	 .help = "statuses after which a request is made again, besides network errors"},
	{"retry_match", SERVER(TEXT, retry_match),
	 .help = "text in a response, in any case, that asks for another try, whatever its status"},
	{"max_response_bytes", SERVER(SIZE, max_response_bytes), .min = 1, .max = MAX_RESPONSE_BYTES, .default_text = "256 MB",
	 .help = "bound for the body of a response, after decompression"},
	{"next_url_origin", SERVER(ORIGINS, next_url_origin), .default_text = "same",
	 .help = "where links and redirects may lead: same, the origin of base_url; rewrite, they are asked there; or other origins, trusted with the credentials"},
	{"prefetch", SERVER(INTEGER, prefetch), .min = 0, .max = 1, .default_text = "1",
	 .help = "pages asked ahead while the records of a page are used; 0 for none"},

	{"proxy", SERVER(URL, proxy), .superuser = true,
	 .help = "HTTP proxy for all requests, such as http://proxy.example.com:3128; superusers only"},
	{"ca_file", SERVER(FILE, ca_file), .superuser = true,
	 .help = "file of the issuers of certificates that are trusted, in place of the system's; superusers only"},

	{"token", MAPPING(LINE, token), .secret = true,
	 .help = "the token for auth bearer"},
	{"username", MAPPING(LINE, username), .secret = true, .may_be_empty = true,
	 .help = "the user for auth basic"},
	{"password", MAPPING(LINE, password), .secret = true, .may_be_empty = true,
	 .help = "the password for auth basic"},
	{"api_key", MAPPING(LINE, api_key), .secret = true,
	 .help = "the key for auth api_key"},
	{"headers", MAPPING(HEADERS, mapping_headers), .secret = true,
	 .help = "secret request headers, as a JSON object"},

	{"client_cert", MAPPING(FILE, client_cert), .secret = true, .superuser = true,
	 .help = "file with the client certificate, in PEM format; superusers only"},
	{"client_key", MAPPING(FILE, client_key), .secret = true, .superuser = true,
	 .help = "file with its private key, if that is not in the same file; superusers only"},

	{"endpoint", TABLE(ENDPOINT, endpoint), .required = true, .may_be_empty = true, .in_fingerprint = true,
	 .help = "what follows base_url, such as /items; may hold placeholders"},
	{"method", TABLE(WORD, method), .words = method_words, .default_text = "GET", .in_fingerprint = true,
	 .help = "request method"},
	{"params", TABLE(QUERY, params), .in_fingerprint = true,
	 .help = "query parameters, not encoded, such as state=all&sort=id; may hold placeholders"},
	{"body", TABLE(TEXT, body), .in_fingerprint = true,
	 .help = "request body, JSON or a form; may hold placeholders"},
	{"content_type", TABLE(LINE, content_type),
	 .help = "type of the body; by default JSON if it is JSON, else a form"},
	{"headers", TABLE(HEADERS, table_headers),
	 .help = "request headers, as a JSON object; values may hold placeholders"},
	{"response_format", TABLE(ENUM, ndjson), .words = response_words, .default_text = "json",
	 .help = "format of a response; ndjson has a document in each line"},

	{"records_path", TABLE(POINTER, records_path), .may_be_empty = true, .in_fingerprint = true,
	 .help = "where the records are in a response, such as /data; * stands for each element or member"},
	{"on_missing_records", TABLE(ENUM, missing_is_empty), .words = missing_words, .default_text = "error",
	 .help = "what a response without records_path is"},
	{"on_record_error", TABLE(ENUM, reject_records), .words = record_error_words, .default_text = "error",
	 .help = "what becomes of a record that does not fit the columns: an error, or kept in the view rejected and passed over"},
	{"error_path", TABLE(FLAG, error_path),
	 .help = "where a response with a good status says that there was an error; ! before it means the opposite"},
	{"ignore_statuses", TABLE(STATUSES, ignore_statuses),
	 .help = "statuses of the first page that mean that there is nothing"},
	{"end_statuses", TABLE(STATUSES, end_statuses),
	 .help = "statuses of a later page that mean that there is nothing more"},

	{"pagination", TABLE(ENUM, pagination), .words = cfdw_pagination_words, .in_fingerprint = true,
	 .help = "how the next page is found; inferred from the path or parameter that goes with it"},
	{"cursor_path", TABLE(PATH, cursor_path), .implies = CFDW_PAGINATION_CURSOR, .fits = CURSOR, .in_fingerprint = true,
	 .help = "where the next page's cursor is in a response"},
	{"cursor_header", TABLE(HEADER_NAME, cursor_header), .implies = CFDW_PAGINATION_HEADER_CURSOR, .fits = HEADER_CURSOR, .in_fingerprint = true,
	 .help = "response header that holds the next page's cursor"},
	{"cursor_param", TABLE(LINE, cursor_param), .fits = CURSOR | HEADER_CURSOR | KEYSET, .in_fingerprint = true,
	 .help = "query parameter for the cursor, in place of {cursor}"},
	{"next_url_path", TABLE(PATH, next_url_path), .implies = CFDW_PAGINATION_NEXT_URL, .fits = NEXT_URL, .in_fingerprint = true,
	 .help = "where the next page's URL is in a response"},
	{"keyset_column", TABLE(TEXT, keyset_column), .implies = CFDW_PAGINATION_KEYSET, .fits = KEYSET, .in_fingerprint = true,
	 .help = "column whose value in a page's last record is the next page's cursor"},
	{"offset_param", TABLE(LINE, offset_param), .implies = CFDW_PAGINATION_OFFSET, .fits = OFFSET, .in_fingerprint = true,
	 .help = "query parameter for the number of records read so far, in place of {offset}"},
	{"page_param", TABLE(LINE, page_param), .implies = CFDW_PAGINATION_PAGE_NUMBER, .fits = PAGE_NUMBER, .in_fingerprint = true,
	 .help = "query parameter for the page's number, in place of {page}"},
	{"page_start", TABLE(LINE, page_start), .fits = CURSOR | HEADER_CURSOR | KEYSET | OFFSET | PAGE_NUMBER, .in_fingerprint = true,
	 .help = "first cursor, offset (0 by default) or page number (1 by default)"},
	{"cursor_end", TABLE(LINE, cursor_end), .fits = CURSOR | HEADER_CURSOR | NEXT_URL | LINK_HEADER,
	 .help = "cursors that mean the end, separated by commas; same: the one sent, empty: a page without records"},
	{"limit_param", TABLE(LINE, limit_param),
	 .help = "query parameter for page_size, in place of {limit}"},
	{"page_size", TABLE(INTEGER, page_size), .min = 1, .max = INT_MAX,
	 .help = "records to ask for in a page"},
	{"has_more_path", TABLE(FLAG, has_more_path), .fits = CURSOR | HEADER_CURSOR | NEXT_URL | LINK_HEADER | KEYSET | OFFSET | PAGE_NUMBER,
	 .help = "where a response says whether more pages follow; ! before the path inverts"},
	{"max_pages", TABLE(INTEGER, max_pages), .min = 1, .max = PG_INT64_MAX,
	 .help = "bound for the pages of a whole walk; reaching it is an error"},

	{"batch_pages", TABLE(INTEGER, batch_pages), .min = 1, .max = PG_INT64_MAX,
	 .help = "pages after which a load stops, to go on with the next one"},
	{"batch_seconds", TABLE(DURATION, batch_ms), .min = 1, .max = DAY_MS,
	 .help = "time after which a load stops, at the end of a page"},
	{"stateful_cursor", TABLE(BOOL, stateful_cursor), .default_text = "false",
	 .help = "the cursor is an iterator that the API holds: no page is asked twice, and each load begins anew"},

	{"checkpoint", TABLE(ENUM, checkpoint), .words = checkpoint_words, .in_fingerprint = true,
	 .help = "how a load goes on where the last one ended; inferred from timestamp_param or sync_token_path, else none"},
	{"timestamp_column", TABLE(TEXT, timestamp_column), .in_fingerprint = true,
	 .help = "column with the time, or the growing number, of a record's last change"},
	{"timestamp_param", TABLE(LINE, timestamp_param), .in_fingerprint = true,
	 .help = "query parameter for the time from which on to read, in place of {since}"},
	{"timestamp_format", TABLE(FORMAT, timestamp_format), .words = cfdw_format_words, .in_fingerprint = true,
	 .help = "how the API wants {since} and {until}; by default as it writes timestamp_column"},
	{"timestamp_initial", TABLE(LINE, timestamp_initial),
	 .help = "where the first load begins; by default it reads all"},
	{"timestamp_granularity", TABLE(SPAN, timestamp_granularity), .min = 1,
	 .help = "smallest step of the API's times, such as 1 ms; by default that of the format, 1 s for iso8601"},
	{"timestamp_boundary", TABLE(ENUM, timestamp_boundary), .words = boundary_words, .default_text = "exclusive",
	 .help = "does the API leave out records of exactly {since}; unchecked: it filters by another field"},
	{"until_param", TABLE(LINE, until_param), .in_fingerprint = true,
	 .help = "query parameter for the end of a window, in place of {until}"},
	{"window", TABLE(SPAN, window), .min = 1,
	 .help = "read in windows of this length, such as 1 day"},
	{"lookback", TABLE(SPAN, lookback), .min = 0,
	 .help = "how far each load looks back for records that appear late"},
	{"record_order", TABLE(ENUM, record_order), .words = order_words, .default_text = "none", .in_fingerprint = true,
	 .help = "order of the records by their age: asc, oldest first; desc, newest first"},
	{"sync_token_path", TABLE(PATH, sync_token_path), .in_fingerprint = true,
	 .help = "where a response has the token with which the next load asks for changes"},
	{"sync_token_param", TABLE(LINE, sync_token_param), .in_fingerprint = true,
	 .help = "query parameter for that token, in place of {sync_token}; by default the token is a URL"},
	{"expired_statuses", TABLE(STATUSES, expired_statuses), .default_text = "410",
	 .help = "statuses that say that a stored page or token is gone"},
	{"expired_match", TABLE(TEXT, expired_match),
	 .help = "text in the body of an error that says so"},
	{"on_expired", TABLE(ENUM, restart_expired), .words = expired_words, .default_text = "error",
	 .help = "what to do then: an error, or read again from the walk's start, without doubling a record"},

	{"path", COLUMN(PATH, path), .may_be_empty = true, .in_fingerprint = true,
	 .help = "where the value is in a record, such as /user/login; by default the column's name"},
	{"key", COLUMN(BOOL, key), .default_text = "false",
	 .help = "the column is part of what identifies a record"},
	{"param", COLUMN(PARAM, param), .in_fingerprint = true,
	 .help = "placeholder that the column's value fills; a condition of the statement gives it, and each value has a checkpoint of its own"},
	{"format", COLUMN(FORMAT, pattern), .words = cfdw_format_words, .in_fingerprint = true,
	 .help = "how the API writes a time; also a pattern of to_timestamp, such as DD.MM.YYYY"},
	{"timezone", COLUMN(TIMEZONE, timezone), .default_text = "UTC", .in_fingerprint = true,
	 .help = "time zone of times written without one"},
	{"on_error", COLUMN(ENUM, on_error_null), .words = on_error_words, .default_text = "error",
	 .help = "what a value is that does not fit the column's type"},
	{"source", COLUMN(ENUM, source), .words = source_words, .in_fingerprint = true,
	 .help = "the column shows the record as received, its member name, when it was fetched, its page, or the batch that loads it"},
};
/* clang-format on */

const int cfdw_option_count = lengthof(cfdw_option_table);

static const char *const place_names[CFDW_PLACE_COUNT] = {
	[CFDW_PLACE_SERVER] = "server",
	[CFDW_PLACE_MAPPING] = "user mapping",
	[CFDW_PLACE_TABLE] = "table",
	[CFDW_PLACE_COLUMN] = "column",
};

const char *
cfdw_place_name(CfdwOptionPlace place)
{
	return place_names[place];
}

const CfdwOptionDef *
cfdw_option_lookup(CfdwOptionPlace place, const char *name)
{
	for (int i = 0; i < cfdw_option_count; i++)
	{
		const CfdwOptionDef *def = &cfdw_option_table[i];

		if (def->place == place && strcmp(def->name, name) == 0)
			return def;
	}
	return NULL;
}

/* "a server", "a server, a table" …: the places that have an option, NULL if there is none; *secret: it is one at all of them. */
static char *
places_of(const char *name, bool *secret)
{
	StringInfoData places;

	initStringInfo(&places);
	*secret = true;
	for (int i = 0; i < cfdw_option_count; i++)
	{
		const CfdwOptionDef *def = &cfdw_option_table[i];

		if (strcmp(def->name, name) != 0)
			continue;
		appendStringInfo(&places, "%sa %s", places.len > 0 ? ", " : "", cfdw_place_name(def->place));
		*secret &= def->secret;
	}
	return places.len > 0 ? places.data : NULL;
}

/* Why place has no option of this name, and what was meant. */
static void
pg_attribute_noreturn()
	refuse_name(CfdwOptionPlace place, const char *name)
{
	bool secret;
	const char *places = places_of(name, &secret);
	CfdwNearest nearest = cfdw_nearest_to(name);

	if (places != NULL && secret)
		ereport(ERROR,
				(errcode(ERRCODE_FDW_INVALID_OPTION_NAME),
				 errmsg("option \"%s\" is a secret and is not allowed in a %s", name, cfdw_place_name(place)),
				 errdetail("Everybody may read the options of servers, tables and columns."),
				 errhint("Put it into a user mapping: CREATE USER MAPPING FOR CURRENT_USER SERVER ... OPTIONS (%s '...').", name)));
	if (places != NULL)
		ereport(ERROR,
				(errcode(ERRCODE_FDW_INVALID_OPTION_NAME),
				 errmsg("option \"%s\" is not allowed in a %s", name, cfdw_place_name(place)),
				 errhint("It is an option of %s.", places)));
	for (int i = 0; i < cfdw_option_count; i++)
	{
		if (cfdw_option_table[i].place == place)
			cfdw_nearest_feed(&nearest, cfdw_option_table[i].name);
	}
	ereport(ERROR,
			(errcode(ERRCODE_FDW_INVALID_OPTION_NAME),
			 errmsg("a %s has no option \"%s\"", cfdw_place_name(place), name),
			 nearest.best != NULL ? errhint("Perhaps you meant the option \"%s\".", nearest.best) : errhint("SELECT * FROM checkpoint_fdw.options() lists all options.")));
}

const CfdwOptionDef *
cfdw_option_find(CfdwOptionPlace place, const char *name)
{
	const CfdwOptionDef *def = cfdw_option_lookup(place, name);

	if (def == NULL)
		refuse_name(place, name);
	return def;
}

const char *
cfdw_word_of(const CfdwOptionWord *words, int value)
{
	while (words->word != NULL && words->value != value)
		words++;
	return words->word;
}

const CfdwOptionWord *
cfdw_word_find(const CfdwOptionWord *words, const char *text)
{
	for (; words->word != NULL; words++)
	{
		if (pg_strcasecmp(words->word, text) == 0)
			return words;
	}
	return NULL;
}

char *
cfdw_words_listed(const CfdwOptionWord *words)
{
	StringInfoData list;

	initStringInfo(&list);
	for (; words->word != NULL; words++)
		appendStringInfo(&list, "%s%s", list.len > 0 ? ", " : "", words->word);
	return list.data;
}

CfdwNearest
cfdw_nearest_to(const char *wanted)
{
	CfdwNearest nearest = {wanted, NULL};

	/* more than four changes, or more than a third of the word, is another word */
	nearest.distance = Min(4, (int) (strlen(wanted) + 2) / 3) + 1;
	return nearest;
}

void
cfdw_nearest_feed(CfdwNearest *nearest, const char *candidate)
{
	int distance;

	/* the server's function is quadratic and refuses longer words */
	if (strlen(nearest->wanted) > 255 || strlen(candidate) > 255)
		return;
	distance = varstr_levenshtein_less_equal(nearest->wanted, strlen(nearest->wanted), candidate, strlen(candidate),
											 1, 1, 1, nearest->distance - 1, true);
	if (distance < nearest->distance)
	{
		nearest->distance = distance;
		nearest->best = candidate;
	}
}
