/*
 * option_check.c
 *	  What must hold between options.  Which option goes with which kind of
 *	  pagination is in the table of options.
 */
#include "option_check.h"

#include "json.h"
#include "lib/stringinfo.h"
#include "option_header.h"
#include "option_mode.h"
#include "option_rule.h"
#include "option_value.h"
#include "origin.h"
#include "request.h"

/* "cursor, keyset": the kinds of pagination in a set of bits */
static char *
paginations_listed(int bits)
{
	StringInfoData list;

	initStringInfo(&list);
	for (const CfdwOptionWord *word = cfdw_pagination_words; word->word != NULL; word++)
	{
		if (bits & CFDW_PAGINATION_BIT(word->value))
			appendStringInfo(&list, "%s%s", list.len > 0 ? ", " : "", word->word);
	}
	return list.data;
}

static void
check_server(const CfdwOptions *options)
{
	if (options->auth == CFDW_AUTH_API_KEY && options->api_key_name == NULL)
		refuse(ERRCODE_FDW_OPTION_NAME_NOT_FOUND, "auth 'api_key' needs the option \"api_key_name\"",
			   "It is the header, or with api_key_location 'query' the query parameter, that carries the key, such as X-API-Key.");
	if (options->auth != CFDW_AUTH_API_KEY && options->api_key_name != NULL)
		refuse(ERRCODE_FDW_INVALID_OPTION_NAME, "option \"api_key_name\" needs auth 'api_key'", NULL);
	if (options->auth != CFDW_AUTH_API_KEY && options->api_key_in_query)
		refuse(ERRCODE_FDW_INVALID_OPTION_NAME, "option \"api_key_location\" needs auth 'api_key'", NULL);
	if (options->api_key_name != NULL && !options->api_key_in_query && !cfdw_is_header_name(options->api_key_name))
		refuse(ERRCODE_INVALID_PARAMETER_VALUE, "option \"api_key_name\" is not the name of a header",
			   "For a query parameter, set api_key_location 'query'.");
	if (pg_strncasecmp(options->base_url, "https:", 6) == 0 && cfdw_origin_has_plain(options->next_url_origin))
		refuse(ERRCODE_INVALID_PARAMETER_VALUE, "option \"next_url_origin\" has an origin without TLS, but base_url has TLS",
			   "Credentials would be sent in the clear. Write the origins with https, or use next_url_origin 'rewrite'.");
}

static void
check_mapping(const CfdwOptions *options)
{
	if (options->client_key != NULL && options->client_cert == NULL)
		refuse(ERRCODE_FDW_OPTION_NAME_NOT_FOUND, "option \"client_key\" needs the option \"client_cert\"", NULL);
	if (options->password != NULL && options->username == NULL)
		refuse(ERRCODE_FDW_OPTION_NAME_NOT_FOUND, "option \"password\" needs the option \"username\"", NULL);
	if (options->username != NULL && strchr(options->username, ':') != NULL)
		refuse(ERRCODE_INVALID_PARAMETER_VALUE, "invalid value for option \"username\"",
			   "HTTP has no way to send a user name with a colon.");
}

/* Take pagination from the option that implies it; raises if there are two. */
static void
infer_pagination(CfdwOptions *options)
{
	const CfdwOptionDef *implied_by = NULL;

	options->pagination_given = options->pagination != CFDW_PAGINATION_UNKNOWN;
	if (options->pagination_given)
		return;
	options->pagination = CFDW_PAGINATION_NONE;
	for (int i = 0; i < cfdw_option_count; i++)
	{
		const CfdwOptionDef *def = &cfdw_option_table[i];

		if (def->implies == CFDW_PAGINATION_NONE || text_of(def, options) == NULL)
			continue;
		if (implied_by != NULL)
			refuse(ERRCODE_FDW_INVALID_OPTION_NAME,
				   psprintf("options \"%s\" and \"%s\" exclude each other", implied_by->name, def->name),
				   psprintf("One means pagination '%s', the other pagination '%s'.",
							pagination_name(implied_by->implies), pagination_name(def->implies)));
		implied_by = def;
		options->pagination = def->implies;
	}
}

/* Every option that depends on pagination must fit its kind. */
static void
check_fits(const CfdwOptions *options)
{
	for (int i = 0; i < cfdw_option_count; i++)
	{
		const CfdwOptionDef *def = &cfdw_option_table[i];

		if (def->fits != 0 && text_of(def, options) != NULL && !(def->fits & CFDW_PAGINATION_BIT(options->pagination)))
			refuse(ERRCODE_FDW_INVALID_OPTION_NAME,
				   psprintf("option \"%s\" does not go with pagination '%s'", def->name, pagination_name(options->pagination)),
				   psprintf("It goes with pagination %s.", paginations_listed(def->fits)));
	}
}

/* The option that goes with a kind of pagination, or NULL. */
static const CfdwOptionDef *
companion_of(int pagination)
{
	for (int i = 0; i < cfdw_option_count; i++)
	{
		if (cfdw_option_table[i].implies == pagination)
			return &cfdw_option_table[i];
	}
	return NULL;
}

/* What carries the position to the API: a placeholder, or the parameter option in its place. */
typedef struct Carrier
{
	const char *placeholder;
	const char *param;
	bool needed;
} Carrier;

static const Carrier carriers[] = {
	[CFDW_PAGINATION_CURSOR] = {"cursor", "cursor_param"}, /* an object is merged into the request */
	[CFDW_PAGINATION_HEADER_CURSOR] = {"cursor", "cursor_param", true},
	[CFDW_PAGINATION_KEYSET] = {"cursor", "cursor_param", true},
	[CFDW_PAGINATION_OFFSET] = {"offset", "offset_param", true},
	[CFDW_PAGINATION_PAGE_NUMBER] = {"page", "page_param", true},
};

static void
check_needed(const CfdwOptions *options)
{
	const Carrier *carrier = &carriers[options->pagination];
	const CfdwOptionDef *companion = options->pagination == CFDW_PAGINATION_NONE ? NULL : companion_of(options->pagination);

	if (carrier->needed && !uses(options, carrier->placeholder) &&
		text_of(cfdw_option_lookup(CFDW_PLACE_TABLE, carrier->param), options) == NULL)
		refuse(ERRCODE_FDW_OPTION_NAME_NOT_FOUND,
			   psprintf("pagination '%s' needs the option \"%s\"", pagination_name(options->pagination), carrier->param),
			   psprintf("Name the query parameter, or put the placeholder {%s} into endpoint, params, headers or body.", carrier->placeholder));
	/* the parameter has just been dealt with, and may be missing */
	if (companion == NULL || (carrier->param != NULL && strcmp(companion->name, carrier->param) == 0))
		return;
	if (text_of(companion, options) == NULL)
		refuse(ERRCODE_FDW_OPTION_NAME_NOT_FOUND,
			   psprintf("pagination '%s' needs the option \"%s\"", pagination_name(options->pagination), companion->name),
			   psprintf("%s: %s.", companion->name, companion->help));
}

/* A placeholder of another kind of pagination would never have a value. */
static void
check_placeholders(const CfdwOptions *options)
{
	const char *current = carriers[options->pagination].placeholder;

	for (int kind = 0; kind < lengthof(carriers); kind++)
	{
		const char *name = carriers[kind].placeholder;

		if (name == NULL || (current != NULL && strcmp(name, current) == 0) || !url_uses(options, name))
			continue;
		refuse(ERRCODE_INVALID_PARAMETER_VALUE,
			   psprintf("placeholder {%s} has no value with pagination '%s'", name, pagination_name(options->pagination)),
			   psprintf("It goes with pagination '%s'.", pagination_name(kind)));
	}
}

static void
check_page_size(const CfdwOptions *options)
{
	if (options->page_size == 0 && options->limit_param != NULL)
		refuse(ERRCODE_FDW_OPTION_NAME_NOT_FOUND, "option \"limit_param\" needs the option \"page_size\"", NULL);
	if (options->page_size == 0 && url_uses(options, "limit"))
		refuse(ERRCODE_FDW_OPTION_NAME_NOT_FOUND, "placeholder {limit} needs the option \"page_size\"", NULL);
	if (options->page_size > 0 && options->limit_param == NULL && !uses(options, "limit") && !is_cut_by_size(options))
		refuse(ERRCODE_FDW_OPTION_NAME_NOT_FOUND, "option \"page_size\" needs the option \"limit_param\"",
			   "Name the query parameter, or put the placeholder {limit} into endpoint, params, headers or body.");
}

static void
check_page_start(const CfdwOptions *options)
{
	bool counts = options->pagination == CFDW_PAGINATION_OFFSET || options->pagination == CFDW_PAGINATION_PAGE_NUMBER;
	int64 number;
	char *end;

	if (!counts || options->page_start == NULL)
		return;
	errno = 0;
	number = strtoi64(options->page_start, &end, 10);
	if (errno != 0 || *end != '\0' || number < 0)
		refuse(ERRCODE_INVALID_PARAMETER_VALUE, psprintf("invalid value for option \"page_start\": \"%s\"", options->page_start),
			   psprintf("With pagination '%s' it is an integer, at least 0.", pagination_name(options->pagination)));
}

/* Is there a pair of this name in a query string as a person writes it? */
static bool
has_pair(const char *params, const char *name)
{
	size_t len = strlen(name);

	while (params != NULL)
	{
		if (strncmp(params, name, len) == 0 && (params[len] == '=' || params[len] == '&' || params[len] == '\0'))
			return true;
		params = strchr(params, '&');
		if (params != NULL)
			params++;
	}
	return false;
}

/* The option that has a pair of this name already, or NULL. */
static const char *
holder_of_pair(const CfdwOptions *options, const char *name)
{
	const char *query = strchr(options->endpoint, '?');

	if (has_pair(options->params, name))
		return "params";
	return query != NULL && has_pair(query + 1, name) ? "endpoint" : NULL;
}

/* A parameter that goes out twice: the API picks one of both. */
static void
check_repeated(const CfdwOptions *options)
{
	static const char *const names[] = {"cursor_param", "offset_param", "page_param", "limit_param", "timestamp_param", "until_param", "sync_token_param"};

	for (int i = 0; i < lengthof(names); i++)
	{
		const char *param = table_text(options, names[i]);
		const char *holder = param != NULL ? holder_of_pair(options, param) : NULL;

		if (holder != NULL)
			refuse(ERRCODE_INVALID_PARAMETER_VALUE,
				   psprintf("the parameter of option \"%s\" is in the option \"%s\" too", names[i], holder),
				   strcmp(names[i], "timestamp_param") == 0 ? psprintf("Remove it from %s. To read from some time on, set timestamp_initial; to see fewer rows, filter the column in SQL.", holder) : "Remove it from one of them.");
		for (int j = 0; param != NULL && j < i; j++)
		{
			const char *other = table_text(options, names[j]);

			if (other != NULL && strcmp(param, other) == 0)
				refuse(ERRCODE_INVALID_PARAMETER_VALUE,
					   psprintf("options \"%s\" and \"%s\" name the same parameter", names[j], names[i]),
					   "Name another one, or put the placeholder of one of them where it belongs.");
		}
	}
}

/* A page that is good must not be taken for nothing. */
static void
check_nothing(const char *option, const char *list)
{
	CfdwStatuses statuses;

	if (list == NULL || !cfdw_statuses_parse(list, &statuses))
		return;
	for (int status = 200; status <= 299; status++)
	{
		if (status != 204 && cfdw_statuses_have(&statuses, status))
			refuse(ERRCODE_INVALID_PARAMETER_VALUE, psprintf("option \"%s\" has status %d, with which APIs send records", option, status),
				   "It is for statuses such as 404. If a page without records looks different, see on_missing_records and records_path.");
	}
}

/* A line of NDJSON is a record, and nothing surrounds the records. */
static void
check_ndjson(const CfdwOptions *options)
{
	static const char *const names[] = {"records_path", "cursor_path", "next_url_path", "has_more_path", "error_path"};

	for (int i = 0; options->ndjson && i < lengthof(names); i++)
	{
		if (text_of(cfdw_option_lookup(CFDW_PLACE_TABLE, names[i]), options) != NULL)
			refuse(ERRCODE_FDW_INVALID_OPTION_NAME,
				   psprintf("option \"%s\" does not go with response_format 'ndjson'", names[i]),
				   "Each line of such a response is a record, and it has no other lines.");
	}
}

static void
check_body(const CfdwOptions *options)
{
	const char *body = options->body;
	bool json;
	CfdwJson *parsed;
	CfdwError err;

	if (body == NULL)
	{
		if (options->content_type != NULL)
			refuse(ERRCODE_FDW_INVALID_OPTION_NAME, "option \"content_type\" needs the option \"body\"", NULL);
		return;
	}
	if (strcmp(options->method, "GET") == 0)
		refuse(ERRCODE_FDW_INVALID_OPTION_NAME, "option \"body\" does not go with method 'GET'",
			   "Set method 'POST', or move what it says to params.");
	json = options->content_type != NULL ? cfdw_request_is_json(CurrentMemoryContext, options->content_type) : strchr("{[", body[strspn(body, " \t\r\n")]) != NULL;
	if (json && !cfdw_json_parse(CurrentMemoryContext, body, strlen(body), &parsed, &err))
		refuse(ERRCODE_INVALID_PARAMETER_VALUE, "option \"body\" is not valid JSON",
			   "In JSON a placeholder is a whole string, such as \"{cursor}\", which is replaced by the value with its type. "
			   "If the body is no JSON, say what it is with the option \"content_type\".");
}

static void
check_table(CfdwOptions *options)
{
	infer_pagination(options);
	check_fits(options);
	check_needed(options);
	check_placeholders(options);
	cfdw_option_check_mode(options);
	check_page_size(options);
	check_page_start(options);
	check_repeated(options);
	check_ndjson(options);
	check_nothing("ignore_statuses", options->ignore_statuses);
	check_nothing("end_statuses", options->end_statuses);
	check_body(options);
}

/* A column with option source is not in the record. */
static void
check_source(const CfdwColumnOptions *options)
{
	if (options->path != NULL)
		refuse(ERRCODE_FDW_INVALID_OPTION_NAME, "options \"path\" and \"source\" exclude each other", NULL);
	if (options->format != CFDW_FORMAT_NONE)
		refuse(ERRCODE_FDW_INVALID_OPTION_NAME, "options \"format\" and \"source\" exclude each other", NULL);
	if (options->key && (options->source == CFDW_SOURCE_FETCHED_AT || options->source == CFDW_SOURCE_PAGE || options->source == CFDW_SOURCE_BATCH))
		refuse(ERRCODE_INVALID_PARAMETER_VALUE, "a column with this source cannot be a key",
			   "When, in which batch and on which page a record was fetched says nothing about the record.");
}

/* Nor is one with option param: the statement has its value. */
static void
check_param(CfdwColumnOptions *options)
{
	if (options->source != CFDW_SOURCE_VALUE)
		refuse(ERRCODE_FDW_INVALID_OPTION_NAME, "options \"param\" and \"source\" exclude each other", NULL);
	if (options->path != NULL)
		refuse(ERRCODE_FDW_INVALID_OPTION_NAME, "options \"param\" and \"path\" exclude each other",
			   "The column shows the value with which the API was asked.");
	if (options->format != CFDW_FORMAT_NONE)
		refuse(ERRCODE_FDW_INVALID_OPTION_NAME, "options \"param\" and \"format\" exclude each other",
			   "Times go out in ISO 8601; for another format make the column a text.");
	if (options->key)
		refuse(ERRCODE_INVALID_PARAMETER_VALUE, "a column with option \"param\" cannot be a key",
			   "Records are told apart within one value of it, which has a checkpoint of its own.");
	options->source = CFDW_SOURCE_PARAM;
}

static void
check_column(CfdwColumnOptions *options)
{
	const CfdwOptionWord *word = options->pattern != NULL ? cfdw_word_find(cfdw_format_words, options->pattern) : NULL;

	if (word != NULL)
	{
		options->format = word->value;
		options->pattern = NULL;
	}
	else if (options->pattern != NULL)
		options->format = CFDW_FORMAT_PATTERN;

	if (options->param != NULL)
		check_param(options);
	else if (options->source != CFDW_SOURCE_VALUE)
		check_source(options);
}

void
cfdw_option_check(CfdwOptionPlace place, void *options)
{
	switch (place)
	{
		case CFDW_PLACE_SERVER:
			check_server(options);
			break;
		case CFDW_PLACE_MAPPING:
			check_mapping(options);
			break;
		case CFDW_PLACE_TABLE:
			check_table(options);
			break;
		case CFDW_PLACE_COLUMN:
			check_column(options);
			break;
	}
}

static const char *const auth_options[] = {
	[CFDW_AUTH_NONE] = NULL,
	[CFDW_AUTH_BEARER] = "token",
	[CFDW_AUTH_BASIC] = "username",
	[CFDW_AUTH_API_KEY] = "api_key",
};

const CfdwOptionDef *
cfdw_option_of_auth(int auth)
{
	return auth_options[auth] != NULL ? cfdw_option_lookup(CFDW_PLACE_MAPPING, auth_options[auth]) : NULL;
}

static bool
differs(const char *name, CfdwJson *value, void *arg)
{
	return pg_strcasecmp(name, arg) != 0;
}

/* Do the headers of an object (NULL: none) hold this name? */
static bool
has_header(const char *headers, const char *name)
{
	CfdwJson *json;
	CfdwError err;

	return headers != NULL &&
		   cfdw_json_parse(CurrentMemoryContext, headers, strlen(headers), &json, &err) &&
		   !cfdw_json_each(json, differs, unconstify(char *, name));
}

void
cfdw_option_check_auth(const CfdwOptions *options)
{
	const char *name = options->auth == CFDW_AUTH_API_KEY ? options->api_key_name : "Authorization";

	if (options->auth == CFDW_AUTH_NONE)
	{
		for (int auth = 0; auth < lengthof(auth_options); auth++)
		{
			const CfdwOptionDef *def = cfdw_option_of_auth(auth);

			if (def != NULL && text_of(def, options) != NULL)
				refuse(ERRCODE_FDW_OPTION_NAME_NOT_FOUND,
					   psprintf("the user mapping has the option \"%s\", but the server has auth 'none'", def->name),
					   psprintf("Set auth '%s' for the server, or drop the option from the user mapping.",
								cfdw_word_of(cfdw_option_lookup(CFDW_PLACE_SERVER, "auth")->words, auth)));
		}
		return;
	}
	if (options->auth == CFDW_AUTH_API_KEY && options->api_key_in_query)
		return;
	if (has_header(options->server_headers, name) || has_header(options->table_headers, name) || has_header(options->mapping_headers, name))
		refuse(ERRCODE_INVALID_PARAMETER_VALUE,
			   psprintf("header \"%s\" is in an option \"headers\" although auth sets it", name),
			   "Remove it from the headers of server, user mapping or table, or set auth 'none'.");
}
