/*
 * unpaged.c
 *	  Signs of a next page.
 */
#include "unpaged.h"

#include "header.h"
#include "json.h"

/* Compared without case and underscores. */
static const char *const flags[] = {"hasmore", "hasnext", "hasnextpage", "moreavailable"};
static const char *const places[] = {
	"next", "nexturl", "nextlink", "nextpage", "nextpageurl", "nextpageuri", "nextpagetoken", "nextcursor",
	"nexttoken", "nextrecordsurl", "@odata.nextlink"};

static const char *const totals[] = {"total", "totalcount", "totalitems", "totalresults", "totalrecords", "totalelements", "totalhits", "count"};
static const char *const page_totals[] = {"totalpages", "pagecount", "numpages", "lastpage"};

typedef struct Search
{
	CfdwArena *arena;
	bool nested;   /* inside an object of the top level */
	bool no_more;  /* a flag says that this is the end */
	int64 records; /* of the page */
	const char *sign;
} Search;

static bool
is_one_of(CfdwArena *arena, const char *name, const char *const *list, int count)
{
	char *plain = cfdw_strdup(arena, name);
	char *to = plain;

	for (const char *from = name; *from; from++)
		if (*from != '_' && *from != '-')
			*to++ = (char) pg_tolower((unsigned char) *from);
	*to = '\0';
	for (int i = 0; i < count; i++)
		if (strcmp(plain, list[i]) == 0)
			return true;
	return false;
}

/* A token or address: text, or an object with an address in it. */
static bool
names_place(CfdwJson *value)
{
	if (cfdw_json_kind(value) == CFDW_JSON_OBJECT)
		return cfdw_json_truth(cfdw_json_member(value, "href"));
	return cfdw_json_kind(value) == CFDW_JSON_STRING && cfdw_json_truth(value);
}

/* A number that says that the list is longer than this page. */
static bool
exceeds_page(const Search *search, const char *name, CfdwJson *value)
{
	int64 number;

	if (!cfdw_json_int(value, &number))
		return false;
	return (number > search->records && search->records > 0 && is_one_of(search->arena, name, totals, lengthof(totals))) ||
		   (number > 1 && is_one_of(search->arena, name, page_totals, lengthof(page_totals)));
}

static bool
look_at(const char *name, CfdwJson *value, void *arg)
{
	Search *search = arg;
	CfdwJsonKind kind = cfdw_json_kind(value);

	if (kind == CFDW_JSON_BOOL && is_one_of(search->arena, name, flags, lengthof(flags)))
	{
		search->no_more = search->no_more || !cfdw_json_truth(value);
		search->sign = cfdw_printf(search->arena, "the member \"%s\" that is true", name);
	}
	else if (kind == CFDW_JSON_NUMBER && exceeds_page(search, name, value))
		search->sign = cfdw_printf(search->arena, "\"%s\": %s", name, cfdw_json_text(search->arena, value));
	else if (names_place(value) && is_one_of(search->arena, name, places, lengthof(places)))
		search->sign = cfdw_printf(search->arena, "the member \"%s\"", name);
	else if (kind == CFDW_JSON_OBJECT && !search->nested)
	{
		search->nested = true;
		cfdw_json_each(value, look_at, search);
		search->nested = false;
	}
	return true;
}

/*
 * The sign, as a phrase for messages, or NULL: a Link header with rel="next"
 * (RFC 8288), or, at the top of the body or in an object there, a flag such
 * as has_more that is true, or a member such as next or next_cursor with a
 * value.
 */
static const char *
find_sign(CfdwArena *arena, const CfdwResponse *response, const CfdwPage *page)
{
	Search search = {arena, false, false, page->count, NULL};
	const char *link = cfdw_response_header(arena, response, "Link");
	CfdwJson *envelope;
	CfdwError ignored;

	if (link != NULL && cfdw_header_next_link(arena, link) != NULL)
		return "a Link header with rel=\"next\"";
	if (page->envelope_len > 0 && cfdw_json_parse(arena, page->envelope, page->envelope_len, &envelope, &ignored) &&
		cfdw_json_kind(envelope) == CFDW_JSON_OBJECT)
		cfdw_json_each(envelope, look_at, &search);
	return search.no_more ? NULL : search.sign;
}

bool
cfdw_unpaged_check(CfdwArena *arena, const CfdwResponse *response, const CfdwPage *page, CfdwError *err)
{
	const char *sign = find_sign(arena, response, page);

	if (sign == NULL)
		return true;
	cfdw_fail(err, CFDW_ERR_MISSING, "the API seems to have more pages, and the table has no pagination");
	cfdw_detail(err, "The response has %s.", sign);
	cfdw_hint(err, "Set the options of the pagination that the API uses; or set pagination to 'none' to read this page alone.");
	return false;
}
