/*
 * request.h
 *	  Building requests: URL, query, headers and body of an endpoint with
 *	  their placeholders filled.
 *
 * Knows where each value goes, and nothing about what comes after a page;
 * that is pagination.c, the only caller.
 */
#ifndef CFDW_REQUEST_H
#define CFDW_REQUEST_H

#include "pagination.h"

typedef struct CfdwRequestBuilder CfdwRequestBuilder;

/*
 * Parse the body template and find the places of cursor, offset, page,
 * limit, since, until and sync_token.  endpoint must outlive arena.  A
 * shorthand (cursor_param …) is a query pair of its own, unless the
 * placeholder stands somewhere in endpoint, params, headers or body; one
 * whose name params has as well is CFDW_ERR_OPTION (limit_param: params wins).  So are a computed position
 * without a place in the request, a parameter named like one of these
 * placeholders, and a body that is no JSON although its content type or its
 * first character says so.
 */
extern bool cfdw_request_open(CfdwArena *arena, const CfdwEndpoint *endpoint, CfdwRequestBuilder **out, CfdwError *err);

/*
 * The request that carries the values of a step (FIRST: none) and of a
 * question (NULL: none).  With url not NULL that URL is asked, byte for byte
 * but for auth_param, and the values go into headers and body only; where
 * it may lead: origin.h.
 *
 * An object cursor without a place of its own is merged: over the top level
 * of a JSON body, else into the pairs of a form body, else into the query.
 * It replaces pairs of the same name; a null member only removes them.
 * Another cursor without a place is CFDW_ERR_OPTION.
 */
extern bool cfdw_request_build(const CfdwRequestBuilder *builder, CfdwArena *arena, const CfdwStep *values, const CfdwQuestion *question,
							   const char *url, CfdwRequest *out, CfdwError *err);

/* A copy of a URL with auth_param, if there is one and the URL does not have it. */
extern char *cfdw_request_add_auth(CfdwArena *arena, const CfdwEndpoint *endpoint, const char *url);

/* Is the name (len bytes) one that is filled by the walk, as {cursor} is? */
extern bool cfdw_request_is_builtin(const char *name, size_t len);

/* A URL for messages, without secrets. */
extern const char *cfdw_request_mask(CfdwArena *arena, const CfdwEndpoint *endpoint, const char *url);

/* Is this the media type of one JSON document?  (Not of a sequence of them.) */
extern bool cfdw_request_is_json(CfdwArena *arena, const char *content_type);

#endif /* CFDW_REQUEST_H */
