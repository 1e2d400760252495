/*
 * page_fuzz.c
 *	  libFuzzer over everything that reads JSON from an API: page, find, json.
 *
 * The first byte of an input picks the records path ("A" the first, "B" the
 * second, …), the rest is the body.
 * Beyond memory errors it looks for disagreement: a record must be JSON and
 * lie in the body, an envelope must be JSON, and what json.c takes, the
 * server's parser takes too and comes back unchanged from its dump.
 */
#include "json.h"
#include "page.h"

#include <stdio.h>

/* NULL: without a path; then NDJSON; "" and the others are paths. */
static const char *const paths[] = {NULL, "ndjson", "", "/data", "/*", "/data/*", "/a/*/b", "/a/*/*", "/a/b/c", "/0", "/1/a", "/a~1b/\"", "/\xc3\xa9"};

static void
require(bool ok, const char *what)
{
	if (ok)
		return;
	fprintf(stderr, "violated: %s\n", what);
	abort();
}

/* Does the server's parser take the text, whatever its shape? */
static bool
is_json(CfdwArena *arena, CfdwSlice text)
{
	CfdwPageSpec spec = {.has_path = true};
	CfdwPage page;
	CfdwError err;

	return cfdw_page_parse(arena, &spec, text, &page, &err) || err.kind == CFDW_ERR_SHAPE;
}

static void
check_page(CfdwArena *arena, const char *path, CfdwSlice body)
{
	CfdwPageSpec spec = {.has_path = path != NULL && strcmp(path, "ndjson") != 0, .ndjson = path != NULL && strcmp(path, "ndjson") == 0};
	CfdwPage page;
	CfdwError err = {0};
	const char *end = body.data;

	if (spec.has_path)
		require(cfdw_pointer_parse(arena, path, true, &spec.records_path, &err), "a path of the table is a pointer");
	if (!cfdw_page_parse(arena, &spec, body, &page, &err))
	{
		require(err.kind == CFDW_ERR_JSON || err.kind == CFDW_ERR_CUT || err.kind == CFDW_ERR_SHAPE || err.kind == CFDW_ERR_MISSING || err.kind == CFDW_ERR_LIMIT, "an error of a page has a known kind");
		require(err.message[0] != '\0', "an error has a message");
		return;
	}
	for (int i = 0; i < page.count; i++)
	{
		CfdwSlice record = page.records[i];

		require(record.data >= end && record.len > 0 && record.data + record.len <= body.data + body.len, "records lie in the body, in order");
		end = record.data + record.len;
		if (i < 50)
			require(is_json(arena, record), "a record is JSON");
	}
	require(strlen(page.envelope) == page.envelope_len, "an envelope holds no NUL");
	require(is_json(arena, (CfdwSlice){page.envelope, page.envelope_len}), "an envelope is JSON");
}

static void
check_find(CfdwArena *arena, const char *path, CfdwSlice body)
{
	CfdwPointer pointer;
	CfdwSlice found;
	CfdwError err;

	if (path == NULL || !cfdw_pointer_parse(arena, path, false, &pointer, &err))
		return;
	if (!cfdw_page_find(body, &pointer, &found))
		return;
	require(found.data >= body.data && found.data + found.len <= body.data + body.len, "what find finds lies in the record");
	require(is_json(arena, found), "what find finds is JSON");
}

static void
check_json(CfdwArena *arena, CfdwSlice body)
{
	CfdwJson *value;
	CfdwJson *again;
	CfdwError err;
	char *dump;

	if (!cfdw_json_parse(arena, body.data, body.len, &value, &err))
		return;
	require(is_json(arena, body), "the server's parser takes what json.c takes");
	dump = cfdw_json_dump(arena, value);
	require(cfdw_json_parse(arena, dump, strlen(dump), &again, &err), "a dump is JSON");
	require(strcmp(cfdw_json_dump(arena, again), dump) == 0, "a dump comes back unchanged");
	cfdw_json_text(arena, value);
	cfdw_json_truth(value);
}

extern int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	CfdwArena *arena;
	const char *path;
	CfdwSlice body;

	if (size == 0)
		return 0;
	arena = cfdw_arena_new(NULL, "fuzz");
	path = paths[(data[0] + 256 - 'A') % 256 % lengthof(paths)];
	body = (CfdwSlice){(const char *) data + 1, size - 1};
	check_page(arena, path, body);
	check_find(arena, path, body);
	check_json(arena, body);
	cfdw_arena_free(arena);
	return 0;
}
