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
	CFDW_SOURCE_FETCHED_AT, /* when the page arrived */
	CFDW_SOURCE_PAGE        /* number of the page in its walk, from 1 */
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
	int64 max_response_bytes;
	int prefetch;
	/* user mapping */
	char *mapping_user; /* whose it is: a role's name, "public", NULL: there is none */
	char *token;
	char *username;
	char *password;
	char *api_key;
	char *mapping_headers;
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
	/* table: paging */
	int pagination; /* CfdwPaginationKind; inferred when not given */
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
	int64 max_pages; /* 0: no cap */
	/* table: checkpoint */
	int checkpoint;   /* CfdwMode */
	int record_order; /* CfdwOrder */
} CfdwOptions;

/*
 * The options of a foreign table for the user whose mapping counts (secrets
 * included), checked for everything that needs the whole table.  Allocated
 * in the current context.  Raises.
 */
extern CfdwOptions *cfdw_options_for_table(Oid foreign_table, Oid user);

/* Options of one column; attnum is 1-based.  Raises. */
extern CfdwColumnOptions *cfdw_options_for_column(Oid foreign_table, int attnum);

#endif /* CFDW_OPTION_H */
