/*
 * page.h
 *	  One response body: where each record starts and ends, and the rest of
 *	  the document (the envelope).
 *
 * The server's own JSON parser (pg_parse_json) walks the body once and
 * checks all of it; nothing is copied but the envelope.
 */
#ifndef CFDW_PAGE_H
#define CFDW_PAGE_H

#include "pointer.h"

#define CFDW_MAX_DEPTH 512 /* nesting of a body, both here and in json.c */

typedef struct CfdwPageSpec
{
	bool has_path;            /* records_path given? else the body must be an array */
	CfdwPointer records_path; /* may have wildcards */
	bool ndjson;              /* a document a line; blank lines are skipped */
	bool missing_is_empty;    /* on_missing_records */
} CfdwPageSpec;

typedef struct CfdwPage
{
	CfdwSlice body; /* what was parsed, without a BOM */
	int count;
	CfdwSlice *records; /* into body: JSON text of each record, blanks trimmed */
	CfdwSlice *keys;    /* with a "*" over an object's members: the member's name as JSON string text; else data NULL */
	char *envelope;     /* JSON text: the body with every record cut out */
	size_t envelope_len;
	const char *url; /* set by the walk: where it came from, secrets masked */
} CfdwPage;

/*
 * Parse a body that outlives the page.  records_path: an array gives its
 * elements, an object itself (one record); "*" stands for each element or
 * member; null at the path is an empty page; a scalar there is
 * CFDW_ERR_SHAPE; no value there is CFDW_ERR_MISSING (HINT names
 * on_missing_records and the arrays that the body has), or an empty page with
 * missing_is_empty.  Without a path a body that is no array is CFDW_ERR_SHAPE,
 * with the pointers of the arrays found in the HINT.  Body not JSON
 * (says so if it looks like HTML), or with bytes behind the document:
 * CFDW_ERR_JSON with offset and an excerpt in DETAIL; empty or cut:
 * CFDW_ERR_CUT; deeper than CFDW_MAX_DEPTH: CFDW_ERR_LIMIT.  A UTF-8 BOM is skipped.  Invalid UTF-8 and
 * lone surrogates inside a record are left for the record decoder.
 */
extern bool cfdw_page_parse(CfdwArena *arena, const CfdwPageSpec *spec, CfdwSlice body, CfdwPage *out, CfdwError *err);

/*
 * The JSON text at a pointer (no wildcards) inside one record's bytes, found
 * with the same parser; the last of duplicate members.  false: not there.
 */
extern bool cfdw_page_find(CfdwSlice record, const CfdwPointer *pointer, CfdwSlice *out);

#endif /* CFDW_PAGE_H */
