/*
 * pagination.h
 *	  From a step (where a page is asked) to a request, and from a response
 *	  to the next step.  Knows every paging convention; keeps no state.
 */
#ifndef CFDW_PAGINATION_H
#define CFDW_PAGINATION_H

#include "http.h"
#include "json.h"
#include "page.h"
#include "secret.h"
#include "step.h"

typedef enum CfdwPaginationKind
{
	CFDW_PAGINATION_NONE,          /* one request */
	CFDW_PAGINATION_CURSOR,        /* a token in the body (cursor_path) */
	CFDW_PAGINATION_HEADER_CURSOR, /* a token in a response header (cursor_header) */
	CFDW_PAGINATION_NEXT_URL,      /* a URL in the body (next_url_path) */
	CFDW_PAGINATION_LINK_HEADER,   /* Link: <…>; rel="next" (RFC 8288) */
	CFDW_PAGINATION_KEYSET,        /* the keyset column of the last record */
	CFDW_PAGINATION_OFFSET,        /* number of records read so far */
	CFDW_PAGINATION_PAGE_NUMBER    /* 1, 2, 3 … */
} CfdwPaginationKind;

/* Does the client compute the next position itself (so that only an empty page, or has_more, is the end)? */
#define cfdw_pagination_is_computed(kind) \
	((kind) == CFDW_PAGINATION_KEYSET || (kind) == CFDW_PAGINATION_OFFSET || (kind) == CFDW_PAGINATION_PAGE_NUMBER)

/*
 * SQL/JSON paths are evaluated by the server, so the server hands this down
 * (NULL outside it).  Evaluate path over the JSON document; *result is the
 * first item as JSON text, or NULL if there is none.  May not return.
 */
typedef void (*CfdwPathEvaluator)(CfdwArena *arena, CfdwSlice document, const char *path, char **result);

/* The options of server, user mapping and table that shape requests; strings are NULL where not given. */
typedef struct CfdwEndpoint
{
	const char *base_url;
	const char *endpoint;     /* template, starts with "/" or is "" */
	const char *method;       /* GET, POST */
	const char *params;       /* decoded query string, template */
	const char *body;         /* template; JSON, or a query string when content_type is a form, else text */
	const char *content_type; /* NULL: application/json if body parses as JSON, else application/x-www-form-urlencoded */
	bool ndjson;              /* response_format: what the request accepts */
	int header_count;         /* options headers of server, mapping, table; names are unique, values templates */
	const CfdwHeader *headers;
	int auth_header_count; /* put on every request, values as they are */
	const CfdwHeader *auth_headers;
	const char *auth_param; /* api key in the query: name and value, or NULL */
	const char *auth_value;
	CfdwSecrets *secrets; /* what messages must not show; NULL: nothing */
	CfdwPaginationKind pagination;
	bool pagination_given;   /* 'none' on purpose: more pages are no error */
	const char *cursor_path; /* a pointer or an SQL/JSON path, as are all paths here */
	const char *cursor_header;
	const char *cursor_param;
	const char *next_url_path;
	const char *next_url_origin; /* NULL: same; origin.h */
	const char *keyset_path;     /* of the keyset column, into a record: a pointer */
	const char *keyset_member;   /* without a path: its name, found as member.h says */
	const char *offset_param;
	const char *page_param;
	const char *page_start; /* first cursor (text, or a JSON number, array or object), offset or page number; NULL: none, 0, 1 */
	const char *cursor_end; /* comma-separated values that mean the end; "same", "empty" have their own meaning */
	const char *limit_param;
	int page_size;             /* 0: none; {limit} has no value */
	const char *has_more_path; /* flag, "!" inverts */
	const char *timestamp_param;
	const char *until_param;
	const char *sync_token_param;
	const char *sync_token_path;
	CfdwVariables columns; /* values of param columns */
	CfdwPathEvaluator evaluate;
} CfdwEndpoint;

typedef struct CfdwPagination CfdwPagination;

/* Parse paths and the body template; endpoint must outlive arena. */
extern bool cfdw_pagination_open(CfdwArena *arena, const CfdwEndpoint *endpoint, CfdwPagination **out, CfdwError *err);

/*
 * The request for a step (how values find their places: request.h).  A URL
 * step goes out byte for byte, only auth_param is added where it is absent;
 * its headers and body are those of the first request.
 */
extern bool cfdw_pagination_request(const CfdwPagination *pagination, CfdwArena *arena, const CfdwStep *step, const CfdwQuestion *question, CfdwRequest *out, CfdwError *err);

/*
 * Where the page after this one is asked; *more false: this was the last.
 * Rules (DESIGN.md section 3):
 *
 * Tokens and links: "", null, false, [], {} or nothing at all is the end; 0
 * is a legal cursor; a short or empty page with a token is legal.  A link is
 * a string or an object with "href"; it is resolved against the request's URL;
 * where it may lead: origin.h (CFDW_ERR_FORBIDDEN).  A path is looked up in the
 * whole body, also inside the records.
 *
 * Computed kinds end at a page without records.  offset: step.number plus the
 * number of records of the page.  keyset: the value in the last record, a
 * record without one is CFDW_ERR_RECORD.
 *
 * has_more_path: false wins over a token.  True without a token is
 * CFDW_ERR_MISSING, true on an empty page of a computed kind CFDW_ERR_LOOP:
 * the API says that there is more, so this cannot be the end.  A flag that is
 * missing would be false by the truth rule, and a misspelt path would cut
 * every read short: so it is CFDW_ERR_MISSING where the page otherwise has a
 * next one, and counts as the end where it has none.  With "!" a missing flag
 * says nothing.
 *
 * cursor_end lists values (text of the token) that count as no token; "same":
 * so does a token equal to the one sent; "empty": so does any token on a page
 * without records.
 */
extern bool cfdw_pagination_next(const CfdwPagination *pagination, CfdwArena *arena, const CfdwStep *step,
								 const CfdwResponse *response, const CfdwPage *page,
								 CfdwStep *next, bool *more, CfdwError *err);

/*
 * The token for the next walk that this page has at sync_token_path, as JSON
 * text; NULL: none here ("", null, false or missing).  Without
 * sync_token_param it is a URL: resolved, of the same origin, and given back
 * as a JSON string.
 */
extern bool cfdw_pagination_sync_token(const CfdwPagination *pagination, CfdwArena *arena, const CfdwResponse *response,
									   const CfdwPage *page, const char **token, CfdwError *err);

#endif /* CFDW_PAGINATION_H */
