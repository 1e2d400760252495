/*
 * option.h
 *	  Every option in one table: validator, SQL function options(), and the
 *	  typed values that the rest of the code reads.
 */
#ifndef CFDW_OPTION_H
#define CFDW_OPTION_H

#include "pagination.h"
#include "walk.h"
#include "nodes/pg_list.h"

typedef enum CfdwColumnSource
{
	CFDW_SOURCE_VALUE,      /* a value inside the record */
	CFDW_SOURCE_RECORD,     /* the record as received */
	CFDW_SOURCE_KEY,        /* member name, with a "*" over an object in records_path */
	CFDW_SOURCE_BATCH,      /* number of the batch that hands the row up */
	CFDW_SOURCE_FETCHED_AT, /* when the page arrived */
	CFDW_SOURCE_PAGE,       /* number of the page in its walk, from 1 */
	CFDW_SOURCE_PARAM       /* the value that the statement gave; set by option param, not by option source */
} CfdwColumnSource;

typedef enum CfdwFormat
{
	CFDW_FORMAT_NONE, /* the type's input function */
	CFDW_FORMAT_ISO8601,
	CFDW_FORMAT_EPOCH,
	CFDW_FORMAT_EPOCH_MS,
	CFDW_FORMAT_EPOCH_US,
	CFDW_FORMAT_DATE,
	CFDW_FORMAT_HTTP,
	CFDW_FORMAT_PATTERN /* to_timestamp pattern */
} CfdwFormat;

typedef struct CfdwColumnOptions
{
	const char *path; /* pointer or SQL/JSON path; NULL: by the column's name */
	bool key;
	const char *param; /* name of the placeholder that the column fills, NULL: none */
	CfdwColumnSource source;
	CfdwFormat format;
	const char *pattern;  /* with CFDW_FORMAT_PATTERN */
	const char *timezone; /* for zone-less values; never NULL ("UTC") */
	bool on_error_null;
} CfdwColumnOptions;

typedef enum CfdwAuth
{
	CFDW_AUTH_NONE,
	CFDW_AUTH_BEARER,
	CFDW_AUTH_BASIC,
	CFDW_AUTH_API_KEY
} CfdwAuth;

typedef enum CfdwBoundary
{
	CFDW_BOUNDARY_EXCLUSIVE, /* the API may compare with ">" */
	CFDW_BOUNDARY_INCLUSIVE,
	CFDW_BOUNDARY_UNCHECKED /* the API filters by another field */
} CfdwBoundary;

/* Options of a server, its user mapping and a table, with defaults applied. */
typedef struct CfdwOptions
{
	/* server */
	char *base_url;
	int auth; /* CfdwAuth */
	char *api_key_name;
	bool api_key_in_query; /* api_key_location */
	char *server_headers;  /* JSON object */
	char *user_agent;
	int connect_timeout_ms;
	int request_timeout_ms;
	int max_retries;
	int max_retry_wait_ms;
	char *retry_statuses;
	char *retry_match;
	int64 max_response_bytes;
	char *next_url_origin;
	char *proxy;
	char *ca_file;
	int prefetch;
	/* user mapping */
	char *mapping_user; /* whose it is: a role's name, "public", NULL: there is none */
	char *token;
	char *username;
	char *password;
	char *api_key;
	char *mapping_headers;
	char *client_cert;
	char *client_key;
	/* table: request */
	char *endpoint;
	char *method;
	char *params;
	char *body;
	char *content_type;
	char *table_headers;
	bool ndjson; /* response_format */
	/* table: records */
	char *records_path;
	bool missing_is_empty; /* on_missing_records */
	bool reject_records;   /* on_record_error */
	char *error_path;
	char *ignore_statuses;
	char *end_statuses;
	/* table: paging */
	int pagination;        /* CfdwPaginationKind; inferred when not given */
	bool pagination_given; /* the option itself was set */
	char *cursor_path;
	char *cursor_header;
	char *cursor_param;
	char *next_url_path;
	char *keyset_column;
	char *offset_param;
	char *page_param;
	char *page_start;
	char *cursor_end;
	char *limit_param;
	int page_size;
	char *has_more_path;
	int64 max_pages;   /* 0: no cap */
	int64 batch_pages; /* 0: no bound */
	int batch_ms;      /* batch_seconds; 0: no bound */
	bool stateful_cursor;
	/* table: checkpoint */
	int checkpoint; /* CfdwMode; inferred when not given */
	char *timestamp_column;
	char *timestamp_param;
	char *timestamp_format; /* a word or a pattern; NULL: the column's */
	char *timestamp_initial;
	char *timestamp_granularity; /* a span, as are the next two: an interval, or an integer for a number column */
	char *window;
	char *lookback;
	int timestamp_boundary; /* CfdwBoundary */
	char *until_param;
	int record_order; /* CfdwOrder */
	char *sync_token_path;
	char *sync_token_param;
	char *expired_statuses; /* "410,404" */
	char *expired_match;
	bool restart_expired; /* on_expired */
} CfdwOptions;

/*
 * The options of a foreign table for the user whose mapping counts (secrets
 * included), checked for everything that needs the whole table.  Allocated
 * in the current context.  Raises.
 */
extern CfdwOptions *cfdw_options_for_table(Oid foreign_table, Oid user);

/* Options of one column; attnum is 1-based.  Raises. */
extern CfdwColumnOptions *cfdw_options_for_column(Oid foreign_table, int attnum);

/* The column that a table option names; raises 42703, with the nearest one, if there is none. */
extern int cfdw_option_column(Oid foreign_table, const char *option, const char *name);

#endif /* CFDW_OPTION_H */
