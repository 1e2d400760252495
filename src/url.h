/*
 * url.h
 *	  URLs as text: percent-encoding, resolution, origins, query pairs, masking.
 *
 * Text is split and resolved here by RFC 3986, the same with every version of
 * libcurl; host and port are what libcurl's URL API says.  This is the one file
 * beside http.c that includes libcurl.
 */
#ifndef CFDW_URL_H
#define CFDW_URL_H

#include "error.h"

/*
 * Append s percent-encoded: all bytes but RFC 3986 "unreserved".  With
 * keep_slash, "/" stays ({+name} in a path); the caller has refused "." and
 * ".." segments.
 */
extern void cfdw_url_encode(CfdwBuf *out, const char *s, size_t len, bool keep_slash);

/*
 * Join base_url and an endpoint (which starts with "/", or is ""): base
 * without its trailing slashes, then the endpoint.  base may have a path; it
 * must be http or https without userinfo, query and fragment.  Errors:
 * CFDW_ERR_URL, CFDW_ERR_OPTION (no slash).
 */
extern bool cfdw_url_join(CfdwArena *arena, const char *base, const char *endpoint, char **out, CfdwError *err);

/* Append an already encoded query ("a=1&b=2") to url, before a fragment, with "?" or "&" as needed. "" appends nothing. */
extern char *cfdw_url_add_query(CfdwArena *arena, const char *url, const char *query);

/* Does url's query have a pair of this (decoded) name? */
extern bool cfdw_url_has_param(const char *url, const char *name);

/*
 * Resolve a reference found in a response against the URL of the request
 * (RFC 3986 5.2).  An absolute reference comes back byte for byte.  Errors:
 * CFDW_ERR_URL malformed; CFDW_ERR_FORBIDDEN not http(s), with userinfo, with
 * a backslash or a control character or blank in it.  Fragment is dropped.
 * A host is ASCII without percent-encoding, or an IPv6 literal without a zone.
 * DETAIL has the URL without its query.
 */
extern bool cfdw_url_resolve(CfdwArena *arena, const char *base, const char *ref, char **out, CfdwError *err);

/* Same scheme, host (case-insensitive) and effective port?  false if either does not parse. */
extern bool cfdw_url_same_origin(const char *a, const char *b);

/* The host of a URL as libcurl will look it up (IPv6 in brackets).  false: it may not be asked at all. */
extern bool cfdw_url_host(const char *url, char *host, size_t size);

/*
 * For messages: a copy in which the value of the query pair named
 * secret_param (NULL: none) and of pairs that look secret (token, key,
 * secret, password, signature, sig, access_token, api_key, apikey,
 * client_secret …, compared without case and punctuation) is "***", and
 * userinfo is "***".  Bytes that are not printable ASCII are percent-encoded.
 * url may be any text.
 */
extern char *cfdw_url_mask(CfdwArena *arena, const char *url, const char *secret_param);

/* A copy without the query pairs of this name (the key is cut before a URL is stored). */
extern char *cfdw_url_without_param(CfdwArena *arena, const char *url, const char *name);

#endif /* CFDW_URL_H */
