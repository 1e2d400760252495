/*
 * origin_test.c
 *	  Where links lead, by the three rules.
 */
#include "origin.h"
#include "unit.h"

#define BASE  "https://api.test/v1"
#define ASKED "https://api.test/v1/items?page=1"
#define LIST  "https://files.test, HTTPS://Other.test:8443"

static void
test_resolve(void)
{
	static const struct
	{
		const char *rule;
		const char *ref;
		const char *expected; /* NULL: FORBIDDEN */
	} cases[] = {
		{NULL, "?page=2", "https://api.test/v1/items?page=2"},
		{"same", "/x", "https://api.test/x"},
		{"same", "https://API.test:443/a/../b?c=%7e#d", "https://API.test:443/a/../b?c=%7e"},
		{"same", "http://api.test/x", NULL},
		{"same", "https://api.test:8443/x", NULL},
		{"same", "https://files.test/x", NULL},
		{"same", "//files.test/x", NULL},
		{"same", "https://api.test.evil.test/x", NULL},
		{"same", "https://user@api.test/x", NULL},
		{"rewrite", "https://api.test/a/../b?c=%7e", "https://api.test/a/../b?c=%7e"},
		{"rewrite", "http://api.test/x?a=1&b=//c", "https://api.test/x?a=1&b=//c"},
		{"rewrite", "http://internal:8080/x/../y", "https://api.test/x/../y"},
		{"rewrite", "http://internal:8080", "https://api.test"},
		{"rewrite", "http://internal:8080?a=/b", "https://api.test?a=/b"},
		{"rewrite", "//evil.test/x", "https://api.test/x"},
		{"rewrite", "http://user:pw@internal/x", NULL},
		{"rewrite", "file:///etc/passwd", NULL},
		{"rewrite", "https:\\\\evil.test/x", NULL},
		{LIST, "/x", "https://api.test/x"},
		{LIST, "https://api.test/x", "https://api.test/x"},
		{LIST, "https://files.test/x", "https://files.test/x"},
		{LIST, "https://FILES.test:443/x", "https://FILES.test:443/x"},
		{LIST, "https://other.test:8443/x", "https://other.test:8443/x"},
		{LIST, "https://other.test/x", NULL},
		{LIST, "http://files.test/x", NULL},
		{LIST, "https://sub.files.test/x", NULL},
		{LIST, "https://files.test@evil.test/x", NULL},
	};

	for (int i = 0; i < lengthof(cases); i++)
	{
		CfdwArena *arena = cfdw_arena_new(NULL, "test");
		char *url = NULL;
		CfdwError err;

		CHECK_CASE(cfdw_origin_resolve(arena, BASE, cases[i].rule, ASKED, cases[i].ref, "the link", &url, &err) == (cases[i].expected != NULL), cases[i].ref);
		if (cases[i].expected != NULL)
			CHECK_STR(url, cases[i].expected);
		else
			CHECK_INT(err.kind, CFDW_ERR_FORBIDDEN);
		cfdw_arena_free(arena);
	}
}

/* From a page at a listed origin back to base_url's, and within it. */
static void
test_chain(void)
{
	CfdwArena *arena = cfdw_arena_new(NULL, "test");
	char *url;
	CfdwError err;

	CHECK(cfdw_origin_resolve(arena, BASE, LIST, "https://files.test/a/b", "c", "the link", &url, &err));
	CHECK_STR(url, "https://files.test/a/c");
	CHECK(cfdw_origin_resolve(arena, BASE, LIST, "https://files.test/a/b", "https://api.test/c", "the link", &url, &err));
	CHECK_STR(url, "https://api.test/c");
	cfdw_arena_free(arena);
}

static void
test_message(void)
{
	CfdwArena *arena = cfdw_arena_new(NULL, "test");
	char *url;
	CfdwError err;

	CHECK(!cfdw_origin_resolve(arena, BASE, NULL, ASKED, "http://evil.test:81/p?token=s3cret", "the link", &url, &err));
	CHECK_STR(err.message, "the link is at another origin");
	CHECK_STR(err.detail, "The API is asked at https://api.test, but the link is at http://evil.test:81.");
	cfdw_arena_free(arena);
}

static void
test_rules(void)
{
	static const struct
	{
		const char *rule;
		bool good;
		bool plain;
	} cases[] = {
		{"same", true, false},
		{"rewrite", true, false},
		{"https://a.test", true, false},
		{"https://a.test:8443 , https://b.test", true, false},
		{"http://a.test", true, true},
		{"https://a.test,HTTP://b.test:80", true, true},
		{"HTTPS://[::1]:8443", true, false},
		{"", false, true},
		{"Same", false, true},
		{"same, https://a.test", false, true},
		{"a.test", false, true},
		{"*", false, true},
		{"https://a.test/", false, false},
		{"https://a.test/v1", false, false},
		{"https://a.test?x", false, false},
		{"https://user@a.test", false, false},
		{"https://a.test,", false, true},
		{"https://a.test https://b.test", false, false},
		{"ftp://a.test", false, true},
	};

	for (int i = 0; i < lengthof(cases); i++)
	{
		CfdwArena *arena = cfdw_arena_new(NULL, "test");

		CHECK_CASE(cfdw_origin_is_rule(arena, cases[i].rule) == cases[i].good, cases[i].rule);
		CHECK_CASE(cfdw_origin_has_plain(cases[i].rule) == cases[i].plain, cases[i].rule);
		cfdw_arena_free(arena);
	}
}

int
main(void)
{
	test_resolve();
	test_chain();
	test_message();
	test_rules();
	return unit_done("origin");
}
