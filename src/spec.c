/*
 * spec.c
 *	  From options to a walk's specification.
 */
#include "spec.h"

#include "common/base64.h"
#include "jsonpath.h"
#include "lib/stringinfo.h"
#include "option_rule.h"
#include "option_value.h"
#include "report.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/timestamp.h"

char *cfdw_guc_allowed_hosts = NULL;
int cfdw_guc_batch_pages = 0;
int cfdw_guc_batch_seconds = 0;

/* Headers collected by name; a later one of the same name replaces an earlier one. */
typedef struct HeaderList
{
	int count;
	CfdwHeader *items;
} HeaderList;

static void
set_header(HeaderList *list, const char *name, const char *value)
{
	int i = 0;

	while (i < list->count && pg_strcasecmp(list->items[i].name, name) != 0)
		i++;
	if (i == list->count)
	{
		list->items = list->items ? repalloc(list->items, sizeof(CfdwHeader) * (i + 1)) : palloc(sizeof(CfdwHeader));
		list->count++;
	}
	list->items[i].name = name;
	list->items[i].value = value;
}

static bool
add_member(const char *name, CfdwJson *value, void *arg)
{
	char *text = cfdw_json_text(CurrentMemoryContext, value);

	if (text != NULL)
		set_header(arg, pstrdup(name), text);
	return true;
}

/* headers is a JSON object of names and values; the validator has seen to that. */
static void
add_headers(HeaderList *list, const char *json)
{
	CfdwJson *root;
	CfdwError err;

	if (json == NULL)
		return;
	if (!cfdw_json_parse(CurrentMemoryContext, json, strlen(json), &root, &err))
		cfdw_report(&err);
	cfdw_json_each(root, add_member, list);
}

static char *
base64(const char *s)
{
	int size = pg_b64_enc_len(strlen(s));
	char *out = palloc(size + 1);
	int len;

#if PG_VERSION_NUM >= 180000
	len = pg_b64_encode((const uint8 *) s, strlen(s), out, size);
#else
	len = pg_b64_encode(s, strlen(s), out, size);
#endif
	if (len < 0)
		ereport(ERROR, (errcode(ERRCODE_INTERNAL_ERROR), errmsg("could not encode the user name and password")));
	out[len] = '\0';
	return out;
}

static void
set_auth(CfdwEndpoint *endpoint, const CfdwOptions *options)
{
	HeaderList list = {0, NULL};

	if (options->auth == CFDW_AUTH_BEARER)
		set_header(&list, "Authorization", psprintf("Bearer %s", options->token));
	else if (options->auth == CFDW_AUTH_BASIC)
		set_header(&list, "Authorization",
				   psprintf("Basic %s", base64(psprintf("%s:%s", options->username, options->password ? options->password : ""))));
	else if (options->auth == CFDW_AUTH_API_KEY && options->api_key_in_query)
	{
		endpoint->auth_param = options->api_key_name;
		endpoint->auth_value = options->api_key;
	}
	else if (options->auth == CFDW_AUTH_API_KEY)
		set_header(&list, options->api_key_name, options->api_key);
	endpoint->auth_header_count = list.count;
	endpoint->auth_headers = list.items;
}

static bool
add_secret_member(const char *name, CfdwJson *value, void *arg)
{
	cfdw_secrets_add(arg, cfdw_json_text(CurrentMemoryContext, value));
	return true;
}

/* Everything in a user mapping that is sent, and what is made of it. */
static CfdwSecrets *
collect_secrets(const CfdwEndpoint *endpoint, const CfdwOptions *options)
{
	CfdwSecrets *secrets = cfdw_secrets_new(CurrentMemoryContext);
	CfdwJson *headers;
	CfdwError err;

	for (int i = 0; i < cfdw_option_count; i++)
	{
		const CfdwOptionDef *def = &cfdw_option_table[i];
		const char *text = def->place == CFDW_PLACE_MAPPING ? cfdw_option_shown(def, options) : NULL;

		if (text == NULL || def->kind == CFDW_KIND_FILE)
			continue;
		if (def->kind != CFDW_KIND_HEADERS)
			cfdw_secrets_add(secrets, text);
		else if (cfdw_json_parse(CurrentMemoryContext, text, strlen(text), &headers, &err))
			cfdw_json_each(headers, add_secret_member, secrets);
	}
	for (int i = 0; i < endpoint->auth_header_count; i++)
		cfdw_secrets_add(secrets, endpoint->auth_headers[i].value);
	return secrets;
}

/* Where the keyset column is in a record. */
static void
set_keyset(CfdwEndpoint *endpoint, Oid foreign_table, const char *column)
{
	CfdwColumnOptions *options = cfdw_options_for_column(foreign_table, get_attnum(foreign_table, column));

	endpoint->keyset_path = options->path;
	endpoint->keyset_member = column;
}

static void
set_endpoint(CfdwEndpoint *endpoint, Oid foreign_table, const CfdwOptions *options)
{
	HeaderList headers = {0, NULL};

	endpoint->base_url = options->base_url;
	endpoint->endpoint = options->endpoint;
	endpoint->method = options->method;
	endpoint->params = options->params;
	endpoint->body = options->body;
	endpoint->content_type = options->content_type;
	add_headers(&headers, options->server_headers);
	add_headers(&headers, options->mapping_headers);
	add_headers(&headers, options->table_headers);
	endpoint->header_count = headers.count;
	endpoint->headers = headers.items;
	set_auth(endpoint, options);
	endpoint->secrets = collect_secrets(endpoint, options);
	endpoint->pagination = options->pagination;
	endpoint->pagination_given = options->pagination_given;
	endpoint->cursor_path = options->cursor_path;
	endpoint->cursor_header = options->cursor_header;
	endpoint->cursor_param = options->cursor_param;
	endpoint->next_url_path = options->next_url_path;
	endpoint->next_url_origin = options->next_url_origin;
	if (options->keyset_column != NULL)
		set_keyset(endpoint, foreign_table, options->keyset_column);
	endpoint->offset_param = options->offset_param;
	endpoint->page_param = options->page_param;
	endpoint->page_start = options->page_start;
	endpoint->cursor_end = options->cursor_end;
	endpoint->limit_param = options->limit_param;
	endpoint->page_size = options->page_size;
	endpoint->has_more_path = options->has_more_path;
	endpoint->timestamp_param = options->timestamp_param;
	endpoint->until_param = options->until_param;
	endpoint->sync_token_param = options->sync_token_param;
	if (endpoint->sync_token_param == NULL && uses(options, "sync_token"))
		endpoint->sync_token_param = "sync_token"; /* a value and no URL; its place is the placeholder */
	endpoint->sync_token_path = options->sync_token_path;
	endpoint->ndjson = options->ndjson;
	endpoint->evaluate = cfdw_jsonpath_first;
}

/* Bounds of a statement; a setting replaces the option.  There is nothing to go on from without a checkpoint, or with an iterator. */
static void
set_batch(CfdwWalkSpec *spec, const CfdwOptions *options)
{
	if (options->checkpoint == CFDW_MODE_NONE || options->stateful_cursor)
		return;
	spec->batch_pages = cfdw_guc_batch_pages > 0 ? cfdw_guc_batch_pages : options->batch_pages;
	spec->batch_us = cfdw_guc_batch_seconds > 0 ? cfdw_guc_batch_seconds * USECS_PER_SEC : options->batch_ms * INT64CONST(1000);
}

static void
set_expired(CfdwWalkSpec *spec, const CfdwOptions *options)
{
	(void) cfdw_statuses_parse(options->expired_statuses, &spec->expired_statuses);
	spec->expired_match = options->expired_match;
	spec->may_restart = options->restart_expired;
}

/* How the API is asked, and what counts as an answer. */
static void
set_exchange(CfdwExchangeRules *rules, const CfdwOptions *options)
{
	CfdwError err;

	rules->http.connect_timeout_ms = options->connect_timeout_ms;
	rules->http.request_timeout_ms = options->request_timeout_ms;
	rules->http.max_response_bytes = options->max_response_bytes;
	rules->http.user_agent = options->user_agent;
	rules->http.allowed_hosts = pstrdup(cfdw_guc_allowed_hosts);
	rules->http.proxy = options->proxy;
	rules->http.ca_file = options->ca_file;
	rules->http.client_cert = options->client_cert;
	rules->http.client_key = options->client_key;
	rules->page.has_path = options->records_path != NULL;
	rules->page.ndjson = options->ndjson;
	rules->page.missing_is_empty = options->missing_is_empty;
	if (options->records_path != NULL &&
		!cfdw_pointer_parse(CurrentMemoryContext, options->records_path, true, &rules->page.records_path, &err))
		cfdw_report(&err);
	rules->retry.max_retries = options->max_retries;
	rules->retry.max_wait_ms = options->max_retry_wait_ms;
	(void) cfdw_statuses_parse(options->retry_statuses, &rules->retry_statuses);
	rules->retry_match = options->retry_match;
	rules->error_path = options->error_path;
	if (options->ignore_statuses != NULL)
		(void) cfdw_statuses_parse(options->ignore_statuses, &rules->ignore_statuses);
	if (options->end_statuses != NULL)
		(void) cfdw_statuses_parse(options->end_statuses, &rules->end_statuses);
}

CfdwWalkSpec *
cfdw_spec_make(Oid foreign_table, const CfdwOptions *options, bool keyed)
{
	CfdwWalkSpec *spec = palloc0(sizeof(CfdwWalkSpec));

	set_endpoint(&spec->endpoint, foreign_table, options);
	set_exchange(&spec->exchange, options);
	spec->mode = options->checkpoint;
	spec->order = options->record_order;
	spec->max_pages = options->max_pages;
	set_batch(spec, options);
	set_expired(spec, options);
	spec->stateful = options->stateful_cursor;
	spec->prefetch = options->prefetch;
	spec->keyed = keyed;
	return spec;
}
