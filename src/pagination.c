/*
 * pagination.c
 *	  From a response to the next step: where the token or link is, what
 *	  counts as the end, and what has_more has to say about it.
 */
#include "pagination.h"

#include "common/int.h"
#include "header.h"
#include "member.h"
#include "origin.h"
#include "request.h"
#include "unpaged.h"
#include "url.h"

/* A path of an option into the response body. */
typedef struct Path
{
	const char *option; /* its name, for messages */
	const char *text;   /* as given, without "!"; NULL: not given */
	bool inverted;
	bool sql_json; /* for endpoint->evaluate, else pointer */
	CfdwPointer pointer;
} Path;

struct CfdwPagination
{
	const CfdwEndpoint *endpoint;
	CfdwRequestBuilder *builder;
	CfdwStep first; /* what page_start says; FIRST: nothing */
	Path cursor_path;
	Path next_url_path;
	Path has_more_path;
	Path sync_token_path;
	CfdwPointer keyset;
	int end_count; /* values of cursor_end */
	char **end_values;
	bool end_same;
	bool end_empty;
};

/* One response on its way to the next step. */
typedef struct Turn
{
	const CfdwPagination *pagination;
	CfdwArena *arena;
	CfdwStep at; /* the step asked, with page_start for FIRST */
	const CfdwResponse *response;
	const CfdwPage *page;
	CfdwError *err;
	CfdwJson *envelope;   /* parsed when first needed … */
	bool envelope_is_bad; /* … and json-c could not hold it */
} Turn;

/* What has_more_path says. */
typedef enum Flag
{
	FLAG_SILENT, /* nothing: not given, or inverted and missing */
	FLAG_MISSING,
	FLAG_FALSE,
	FLAG_TRUE
} Flag;

/* ----- opening ----------------------------------------------------------------- */

/* Say which option an error of a lower module is about. */
static bool
fail_option(CfdwError *err, const char *option)
{
	CfdwError inner = *err;

	cfdw_fail(err, inner.kind, "option %s: %s", option, inner.message);
	cfdw_detail(err, "%s", inner.detail);
	cfdw_hint(err, "%s", inner.hint);
	return false;
}

static bool
open_path(CfdwArena *arena, const CfdwEndpoint *endpoint, const char *option, const char *text, Path *path, CfdwError *err)
{
	path->option = option;
	path->text = text;
	path->sql_json = text != NULL && *text == '$';
	if (text == NULL)
		return true;
	if (path->sql_json && endpoint->evaluate == NULL)
	{
		cfdw_fail(err, CFDW_ERR_OPTION, "option %s: an SQL/JSON path needs a database server", option);
		cfdw_hint(err, "Use a JSON pointer, such as /meta/next.");
		return false;
	}
	if (!path->sql_json && !cfdw_pointer_parse(arena, text, false, &path->pointer, err))
		return fail_option(err, option);
	return true;
}

static bool
open_paths(CfdwArena *arena, CfdwPagination *pagination, CfdwError *err)
{
	const CfdwEndpoint *endpoint = pagination->endpoint;
	const char *flag = endpoint->has_more_path;
	bool inverted = flag != NULL && *flag == '!';

	pagination->has_more_path.inverted = inverted;
	if (endpoint->keyset_path != NULL &&
		!cfdw_pointer_parse(arena, endpoint->keyset_path, false, &pagination->keyset, err))
		return fail_option(err, "keyset_column");
	return open_path(arena, endpoint, "has_more_path", inverted ? flag + 1 : flag, &pagination->has_more_path, err) &&
		   open_path(arena, endpoint, "cursor_path", endpoint->cursor_path, &pagination->cursor_path, err) &&
		   open_path(arena, endpoint, "next_url_path", endpoint->next_url_path, &pagination->next_url_path, err) &&
		   open_path(arena, endpoint, "sync_token_path", endpoint->sync_token_path, &pagination->sync_token_path, err);
}

/* The option without which a kind cannot work. */
static bool
check_companion(const CfdwEndpoint *endpoint, CfdwError *err)
{
	const struct
	{
		CfdwPaginationKind kind;
		const char *option;
		const char *value;
	} companions[] = {
		{CFDW_PAGINATION_CURSOR, "cursor_path", endpoint->cursor_path},
		{CFDW_PAGINATION_HEADER_CURSOR, "cursor_header", endpoint->cursor_header},
		{CFDW_PAGINATION_NEXT_URL, "next_url_path", endpoint->next_url_path},
		{CFDW_PAGINATION_KEYSET, "keyset_column", endpoint->keyset_path ? endpoint->keyset_path : endpoint->keyset_member},
	};

	for (int i = 0; i < lengthof(companions); i++)
		if (companions[i].kind == endpoint->pagination && companions[i].value == NULL)
			return cfdw_fail(err, CFDW_ERR_OPTION, "this kind of pagination needs the option %s", companions[i].option);
	return true;
}

/* A first cursor may be written as text or as a JSON number, array or object. */
static char *
first_cursor(CfdwArena *arena, const char *text)
{
	CfdwJson *value;
	CfdwError ignored;

	if (cfdw_json_parse(arena, text, strlen(text), &value, &ignored))
	{
		CfdwJsonKind kind = cfdw_json_kind(value);

		if (kind == CFDW_JSON_NUMBER || kind == CFDW_JSON_ARRAY || kind == CFDW_JSON_OBJECT)
			return cfdw_json_dump(arena, value);
	}
	return cfdw_json_quote(arena, text);
}

static bool
first_number(const char *text, int64 *number, CfdwError *err)
{
	int64 result = 0;

	for (const char *c = text; *c != '\0' || c == text; c++)
		if (*c < '0' || *c > '9' ||
			pg_mul_s64_overflow(result, 10, &result) || pg_add_s64_overflow(result, *c - '0', &result))
			return cfdw_fail(err, CFDW_ERR_OPTION, "page_start \"%s\" is not a whole number", text);
	*number = result;
	return true;
}

static bool
open_first(CfdwArena *arena, CfdwPagination *pagination, CfdwError *err)
{
	const CfdwEndpoint *endpoint = pagination->endpoint;
	CfdwStep *first = &pagination->first;

	switch (endpoint->pagination)
	{
		case CFDW_PAGINATION_OFFSET:
		case CFDW_PAGINATION_PAGE_NUMBER:
			first->kind = CFDW_STEP_NUMBER;
			first->number = endpoint->pagination == CFDW_PAGINATION_PAGE_NUMBER ? 1 : 0;
			return endpoint->page_start == NULL || first_number(endpoint->page_start, &first->number, err);
		default:
			if (endpoint->page_start != NULL)
			{
				first->kind = CFDW_STEP_CURSOR;
				first->text = first_cursor(arena, endpoint->page_start);
			}
			return true;
	}
}

/* Split cursor_end at commas; blanks around a value do not count. */
static void
open_end(CfdwArena *arena, CfdwPagination *pagination)
{
	const char *rest = pagination->endpoint->cursor_end;

	if (rest == NULL)
		return;
	pagination->end_values = cfdw_alloc(arena, (strlen(rest) + 1) * sizeof(char *));
	for (;;)
	{
		size_t len;
		char *value;

		rest += strspn(rest, " \t,");
		len = strcspn(rest, ",");
		if (len == 0)
			return;
		value = cfdw_strndup(arena, rest, len);
		rest += len;
		while (len > 0 && (value[len - 1] == ' ' || value[len - 1] == '\t'))
			value[--len] = '\0';
		if (strcmp(value, "same") == 0)
			pagination->end_same = true;
		else if (strcmp(value, "empty") == 0)
			pagination->end_empty = true;
		else
			pagination->end_values[pagination->end_count++] = value;
	}
}

bool
cfdw_pagination_open(CfdwArena *arena, const CfdwEndpoint *endpoint, CfdwPagination **out, CfdwError *err)
{
	CfdwPagination *pagination = cfdw_alloc(arena, sizeof(CfdwPagination));

	pagination->endpoint = endpoint;
	if (!check_companion(endpoint, err) ||
		!open_paths(arena, pagination, err) ||
		!open_first(arena, pagination, err) ||
		!cfdw_request_open(arena, endpoint, &pagination->builder, err))
		return false;
	open_end(arena, pagination);
	*out = pagination;
	return true;
}

bool
cfdw_pagination_request(const CfdwPagination *pagination, CfdwArena *arena, const CfdwStep *step, const CfdwQuestion *question, CfdwRequest *out, CfdwError *err)
{
	/* after a link the body is the first one again */
	bool own_values = step->kind == CFDW_STEP_CURSOR || step->kind == CFDW_STEP_NUMBER;
	const CfdwStep *values = own_values ? step : &pagination->first;

	return cfdw_request_build(pagination->builder, arena, values, question, step->kind == CFDW_STEP_URL ? step->text : NULL, out, err);
}

/* ----- looking into the response ------------------------------------------------ */

/*
 * The value that the envelope, the body without its records, has at a pointer.
 * json-c cannot hold an integer of more than 64 bits: such an envelope is
 * left alone, and the body has to answer.
 */
static void
look_into_envelope(Turn *turn, const CfdwPointer *pointer, CfdwJson **value, bool *found)
{
	const CfdwPage *page = turn->page;
	CfdwError ignored;

	if (turn->envelope == NULL && !turn->envelope_is_bad)
		turn->envelope_is_bad = !cfdw_json_parse(turn->arena, page->envelope, page->envelope_len, &turn->envelope, &ignored);
	if (!turn->envelope_is_bad)
		*value = cfdw_json_at(turn->envelope, pointer, found);
}

static bool
is_scalar(CfdwJson *value)
{
	CfdwJsonKind kind = cfdw_json_kind(value);

	return kind == CFDW_JSON_BOOL || kind == CFDW_JSON_NUMBER || kind == CFDW_JSON_STRING;
}

/*
 * The value at a path of the response; *found false if there is none.  With
 * records on the page, a null, a container or nothing at all in the envelope
 * may stand for something that was cut out: then the body has the last word.
 */
static bool
look_up(Turn *turn, const Path *path, CfdwJson **value, bool *found)
{
	const CfdwPage *page = turn->page;
	CfdwSlice text;

	*found = false;
	*value = NULL;
	if (page->body.len == 0)
		return true;
	if (path->sql_json)
	{
		char *result = NULL;

		turn->pagination->endpoint->evaluate(turn->arena, page->body, path->text, &result);
		if (result == NULL)
			return true;
		text = (CfdwSlice){result, strlen(result)};
	}
	else
	{
		look_into_envelope(turn, &path->pointer, value, found);
		if ((page->count == 0 && !turn->envelope_is_bad) || is_scalar(*value) || !cfdw_page_find(page->body, &path->pointer, &text))
			return true;
	}
	*found = true;
	return cfdw_json_parse(turn->arena, text.data, text.len, value, turn->err) || fail_option(turn->err, path->option);
}

static bool
read_flag(Turn *turn, Flag *flag)
{
	const Path *path = &turn->pagination->has_more_path;
	CfdwJson *value;
	bool found;

	*flag = FLAG_SILENT;
	if (path->text == NULL)
		return true;
	if (!look_up(turn, path, &value, &found))
		return false;
	if (found)
		*flag = cfdw_json_truth(value) != path->inverted ? FLAG_TRUE : FLAG_FALSE;
	else if (!path->inverted)
		*flag = FLAG_MISSING;
	return true;
}

/* Is this token text one of the values of cursor_end? */
static bool
is_end_value(const CfdwPagination *pagination, const char *text)
{
	for (int i = 0; i < pagination->end_count; i++)
		if (strcmp(pagination->end_values[i], text) == 0)
			return true;
	return false;
}

/* ----- tokens and links --------------------------------------------------------- */

/* Take a token, given as JSON text, unless cursor_end says that it is the end. */
static bool
take_cursor(Turn *turn, const char *json, CfdwStep *next, bool *found)
{
	const CfdwPagination *pagination = turn->pagination;
	char *text;
	char *sent = NULL;

	if (!cfdw_step_cursor_text(turn->arena, json, &text, turn->err))
		return false;
	if (pagination->end_same && turn->at.kind == CFDW_STEP_CURSOR &&
		!cfdw_step_cursor_text(turn->arena, turn->at.text, &sent, turn->err))
		return false;
	if ((sent != NULL && strcmp(sent, text) == 0) || is_end_value(pagination, text))
		return true;
	next->kind = CFDW_STEP_CURSOR;
	next->text = json;
	*found = true;
	return true;
}

/* null, false, "", [] and {} stand for no token and no link; 0 is a legal cursor. */
static bool
is_nothing(CfdwJson *value)
{
	return cfdw_json_kind(value) != CFDW_JSON_NUMBER && !cfdw_json_truth(value);
}

static bool
cursor_from_body(Turn *turn, CfdwStep *next, bool *found)
{
	const Path *path = &turn->pagination->cursor_path;
	CfdwJson *value;
	bool there;

	if (!look_up(turn, path, &value, &there))
		return false;
	if (is_nothing(value))
		return true;
	if (cfdw_json_kind(value) == CFDW_JSON_BOOL)
	{
		cfdw_fail(turn->err, CFDW_ERR_SHAPE, "the value at cursor_path \"%s\" is a flag, not a cursor", path->text);
		cfdw_hint(turn->err, "A flag belongs into has_more_path.");
		return false;
	}
	return take_cursor(turn, cfdw_json_dump(turn->arena, value), next, found);
}

static bool
cursor_from_header(Turn *turn, CfdwStep *next, bool *found)
{
	const char *value = cfdw_response_header(turn->arena, turn->response, turn->pagination->endpoint->cursor_header);

	if (value == NULL || value[strspn(value, " \t")] == '\0')
		return true;
	return take_cursor(turn, cfdw_json_quote(turn->arena, value), next, found);
}

static bool
find_keyset(const Turn *turn, CfdwSlice record, CfdwSlice *key)
{
	const CfdwEndpoint *endpoint = turn->pagination->endpoint;

	if (endpoint->keyset_path == NULL)
		return cfdw_member_find(turn->arena, record, endpoint->keyset_member, key);
	return cfdw_page_find(record, &turn->pagination->keyset, key);
}

/* The key of the last record; a page without records has none. */
static bool
cursor_from_record(Turn *turn, CfdwStep *next, bool *found)
{
	const CfdwPage *page = turn->page;
	CfdwSlice key;

	if (page->count == 0)
		return true;
	if (!find_keyset(turn, page->records[page->count - 1], &key) ||
		(key.len == 4 && memcmp(key.data, "null", 4) == 0))
	{
		cfdw_fail(turn->err, CFDW_ERR_RECORD, "the last record of the page has no value for keyset_column");
		cfdw_hint(turn->err, "The next page is asked by that value; choose a column that every record has, or another kind of pagination.");
		return false;
	}
	return take_cursor(turn, cfdw_strndup(turn->arena, key.data, key.len), next, found);
}

/* Take a link, unless it is empty or cursor_end says that it is the end. */
static bool
take_link(Turn *turn, const char *ref, CfdwStep *next, bool *found)
{
	const CfdwPagination *pagination = turn->pagination;
	const CfdwEndpoint *endpoint = pagination->endpoint;
	const char *secret = endpoint->auth_param;
	const char *asked = turn->response->url;
	char *url;

	if (ref == NULL || *ref == '\0' || is_end_value(pagination, ref))
		return true;
	if (!cfdw_origin_resolve(turn->arena, endpoint->base_url, endpoint->next_url_origin, asked, ref, "the next page", &url, turn->err))
		return false;
	if (secret != NULL)
	{
		url = cfdw_url_without_param(turn->arena, url, secret);
		asked = cfdw_url_without_param(turn->arena, asked, secret);
	}
	if (pagination->end_same && strcmp(url, asked) == 0)
		return true;
	next->kind = CFDW_STEP_URL;
	next->text = url;
	*found = true;
	return true;
}

/* A URL as a string, or as the href of a link object (JSON:API, HAL). */
static bool
link_from_body(Turn *turn, CfdwStep *next, bool *found)
{
	const CfdwPointer href = {1, &(CfdwSegment){"href", 4, -1, false}, false};
	const Path *path = &turn->pagination->next_url_path;
	CfdwJson *value;
	bool there;

	if (!look_up(turn, path, &value, &there))
		return false;
	if (is_nothing(value))
		return true;
	if (cfdw_json_kind(value) == CFDW_JSON_OBJECT)
	{
		value = cfdw_json_at(value, &href, &there);
		if (there && is_nothing(value))
			return true;
	}
	if (cfdw_json_kind(value) != CFDW_JSON_STRING)
	{
		cfdw_fail(turn->err, CFDW_ERR_SHAPE, "the value at next_url_path \"%s\" is no URL", path->text);
		cfdw_detail(turn->err, "Only a string, or an object with the URL in \"href\", can be followed.");
		cfdw_hint(turn->err, "If the value is a token, or an object that holds one, use cursor_path.");
		return false;
	}
	return take_link(turn, cfdw_json_text(turn->arena, value), next, found);
}

static bool
link_from_header(Turn *turn, CfdwStep *next, bool *found)
{
	const char *value = cfdw_response_header(turn->arena, turn->response, "Link");

	return value == NULL || take_link(turn, cfdw_header_next_link(turn->arena, value), next, found);
}

/* ----- the next step -------------------------------------------------------------- */

static bool
next_number(Turn *turn, int64 increment, CfdwStep *next, bool *found)
{
	if (turn->page->count == 0)
		return true;
	next->kind = CFDW_STEP_NUMBER;
	if (pg_add_s64_overflow(turn->at.number, increment, &next->number))
		return cfdw_fail(turn->err, CFDW_ERR_LIMIT, "the next offset or page number is too large");
	*found = true;
	return true;
}

static bool
find_next(Turn *turn, CfdwStep *next, bool *found)
{
	const CfdwEndpoint *endpoint = turn->pagination->endpoint;

	switch (endpoint->pagination)
	{
		case CFDW_PAGINATION_NONE:
			/* nobody said how the pages follow each other: then this must be the only one */
			return endpoint->pagination_given || cfdw_unpaged_check(turn->arena, turn->response, turn->page, turn->err);
		case CFDW_PAGINATION_CURSOR:
			return cursor_from_body(turn, next, found);
		case CFDW_PAGINATION_HEADER_CURSOR:
			return cursor_from_header(turn, next, found);
		case CFDW_PAGINATION_NEXT_URL:
			return link_from_body(turn, next, found);
		case CFDW_PAGINATION_LINK_HEADER:
			return link_from_header(turn, next, found);
		case CFDW_PAGINATION_KEYSET:
			return cursor_from_record(turn, next, found);
		case CFDW_PAGINATION_OFFSET:
			return next_number(turn, turn->page->count, next, found);
		case CFDW_PAGINATION_PAGE_NUMBER:
			return next_number(turn, 1, next, found);
	}
	return cfdw_fail(turn->err, CFDW_ERR_INTERNAL, "unknown kind of pagination");
}

/* Does the flag contradict what was found?  (FLAG_FALSE never gets here.) */
static bool
check_flag(Turn *turn, Flag flag, bool found)
{
	const char *path = turn->pagination->has_more_path.text;

	if (flag == FLAG_MISSING && found)
	{
		cfdw_fail(turn->err, CFDW_ERR_MISSING, "the response has nothing at has_more_path \"%s\"", path);
		cfdw_detail(turn->err, "Without the flag it is open whether this was the last page.");
		cfdw_hint(turn->err, "Correct the path.  If the API leaves the flag out at the end, drop the option: the end is found without it.");
		return false;
	}
	if (flag != FLAG_TRUE || found)
		return true;
	if (cfdw_pagination_is_computed(turn->pagination->endpoint->pagination))
	{
		cfdw_fail(turn->err, CFDW_ERR_LOOP, "the API says that there is more, but sent no records");
		cfdw_hint(turn->err, "Check records_path and has_more_path \"%s\".", path);
		return false;
	}
	cfdw_fail(turn->err, CFDW_ERR_MISSING, "the API says that there is more, but not where");
	cfdw_detail(turn->err, "The value at has_more_path \"%s\" is true, and there is no next position.", path);
	cfdw_hint(turn->err, "Check the other options of pagination, cursor_path or next_url_path first.");
	return false;
}

bool
cfdw_pagination_next(const CfdwPagination *pagination, CfdwArena *arena, const CfdwStep *step,
					 const CfdwResponse *response, const CfdwPage *page,
					 CfdwStep *next, bool *more, CfdwError *err)
{
	Turn turn = {pagination, arena, step->kind == CFDW_STEP_FIRST ? pagination->first : *step, response, page, err, NULL, false};
	Flag flag;

	memset(next, 0, sizeof(*next));
	*more = false;
	if (!read_flag(&turn, &flag))
		return false;
	if (flag == FLAG_FALSE)
		return true;
	if (!(pagination->end_empty && page->count == 0) && !find_next(&turn, next, more))
		return false;
	return check_flag(&turn, flag, *more);
}

bool
cfdw_pagination_sync_token(const CfdwPagination *pagination, CfdwArena *arena, const CfdwResponse *response,
						   const CfdwPage *page, const char **token, CfdwError *err)
{
	Turn turn = {pagination, arena, pagination->first, response, page, err, NULL, false};
	CfdwStep link;
	CfdwJson *value;
	bool found = false;

	*token = NULL;
	if (!look_up(&turn, &pagination->sync_token_path, &value, &found))
		return false;
	if (is_nothing(value))
		return true;
	*token = cfdw_json_dump(arena, value);
	if (pagination->endpoint->sync_token_param != NULL)
		return true;
	found = false;
	if (!take_link(&turn, cfdw_json_text(arena, value), &link, &found))
		return false;
	*token = found ? cfdw_json_quote(arena, link.text) : NULL;
	return true;
}
