/*
 * header_test.c
 *	  Link headers as APIs write them, and dates in all their forms.
 */
#include "header.h"
#include "unit.h"

#include <time.h>

static void
test_next_link(void)
{
	static const struct
	{
		const char *value;
		const char *next;
	} cases[] = {
		/* GitHub, GitLab */
		{"<https://api.github.com/repositories/1/issues?page=2>; rel=\"next\", <https://api.github.com/repositories/1/issues?page=9>; rel=\"last\"",
		 "https://api.github.com/repositories/1/issues?page=2"},
		{"<https://x/?page=1>; rel=\"prev\", <https://x/?page=3>; rel=\"next\"", "https://x/?page=3"},
		{"<https://x/?page=1>; rel=\"prev\", <https://x/?page=1>; rel=\"first\"", NULL},
		/* Shopify */
		{"<https://shop/admin/api/products.json?limit=3&page_info=eyJ9>; rel=next", "https://shop/admin/api/products.json?limit=3&page_info=eyJ9"},
		/* Sentry */
		{"<https://s/?cursor=0:0:1>; rel=\"previous\"; results=\"false\"; cursor=\"0:0:1\", <https://s/?cursor=0:100:0>; rel=\"next\"; results=\"true\"; cursor=\"0:100:0\"",
		 "https://s/?cursor=0:100:0"},
		{"<https://s/?cursor=0:0:1>; rel=\"previous\"; results=\"true\", <https://s/?cursor=0:100:0>; rel=\"next\"; results=\"false\"; cursor=\"0:100:0\"", NULL},
		{"<https://s/2>; results=\"false\"; rel=\"next\"", NULL},
		{"<https://s/2>; RESULTS=FALSE; rel=next", NULL},
		/* relations: lists, cases, quotes or none */
		{"<a>; rel=\"prev next\"", "a"},
		{"<a>; rel=\"next prev\"", "a"},
		{"<a>; rel=\" \t next \"", "a"},
		{"<a>; REL=\"NEXT\"", "a"},
		{"<a>; Rel=Next", "a"},
		{"<a>; rel='next'", "a"},
		{"<a>; rel=\"nextpage\"", NULL},
		{"<a>; rel=\"next-archive\"", NULL},
		{"<a>; rel=\"https://rels/next\"", NULL},
		{"<a>; rel=\"\"", NULL},
		{"<a>; rel", NULL},
		{"<a>; rel=", NULL},
		{"<a>; rev=\"next\"", NULL},
		{"<a>; title=\"next\"", NULL},
		{"<a>; xrel=\"next\"", NULL},
		/* the first of two rel parameters counts, and the first of two links */
		{"<a>; rel=\"prev\"; rel=\"next\"", NULL},
		{"<a>; rel=\"next\"; rel=\"prev\"", "a"},
		{"<a>; rel=next, <b>; rel=next", "a"},
		/* blanks where they are allowed, and none where they are usual */
		{"<a>;rel=\"next\"", "a"},
		{"<a>;rel=\"prev\",<b>;rel=\"next\"", "b"},
		{"  <a>  ;  rel  =  \"next\"  ", "a"},
		{"<a>\t;\trel=next\t,", "a"},
		{"< a >; rel=next", "a"},
		{",, ,<a>; rel=next,,", "a"},
		{"<a>; ; rel=next", "a"},
		/* other parameters, before and behind */
		{"<a>; title=\"x\"; rel=\"next\"; type=\"application/json\"", "a"},
		{"<a>; title=\"one, two; rel=prev, <z>; rel=next\"; rel=\"next\"", "a"},
		{"<a>; title=\"quote \\\" and, comma\"; rel=\"next\"", "a"},
		{"<a>; title=\"back\\\\\"; rel=\"next\"", "a"},
		{"<a>; title*=UTF-8''%e2%82%ac; rel=next", "a"},
		{"<a>; crossorigin; rel=next", "a"},
		{"<a>; title=\"one, two\", <b>; rel=next", "b"},
		/* targets with everything that looks like syntax */
		{"<https://x/?ids=1,2;3&q=\"a\">; rel=\"next\"", "https://x/?ids=1,2;3&q=\"a\""},
		{"</items?page=2>; rel=\"next\"", "/items?page=2"},
		{"<?max_id=7>; rel=next", "?max_id=7"},
		{"<>; rel=next", NULL},
		{"<  >; rel=next", NULL},
		/* a value that was cut still goes on */
		{"<a>; rel=\"next", "a"},
		{"<a>; rel=next;", "a"},
		{"<a>; title=\"cut \\", NULL},
		/* no Link header at all */
		{"", NULL},
		{"   ", NULL},
		{"<a>", NULL},
		{"<a", NULL},
		{"<", NULL},
		{"next", NULL},
		{"https://x/?page=2; rel=\"next\"", NULL},
		{"https://x/?page=2; rel=\"next\", <b>; rel=next", "b"},
		{"{\"next\": \"https://x\"}", NULL},
		{"<a>; rel=prev, <b; rel=next", NULL},
	};

	for (size_t i = 0; i < lengthof(cases); i++)
	{
		CfdwArena *arena = cfdw_arena_new(NULL, "test");
		/* a copy of exactly its length, so that the sanitizer sees a step too far */
		char *value = cfdw_strdup(arena, cases[i].value);
		char *next = cfdw_header_next_link(arena, value);

		CHECK_STR(next, cases[i].next);
		CHECK_CASE((next == NULL) == (cases[i].next == NULL), cases[i].value);
		cfdw_arena_free(arena);
	}
}

static void
test_dates(void)
{
	static const struct
	{
		const char *value;
		int64 epoch;
	} cases[] = {
		/* RFC 9110 5.6.7 */
		{"Sun, 06 Nov 1994 08:49:37 GMT", 784111777},
		{"Sunday, 06-Nov-94 08:49:37 GMT", 784111777},
		{"Sun Nov  6 08:49:37 1994", 784111777},
		{"Sun Nov 06 08:49:37 1994", 784111777},
		{"Thu, 01 Jan 1970 00:00:00 GMT", 0},
		{"Wed, 31 Dec 1969 23:59:59 GMT", -1},
		{"Tue, 29 Feb 2000 12:00:00 GMT", 951825600},
		{"Thu, 29 Feb 2024 23:59:59 GMT", 1709251199},
		{"Fri, 01 Mar 2024 00:00:00 GMT", 1709251200},
		{"Tue, 19 Jan 2038 03:14:08 GMT", INT64CONST(2147483648)},
		{"Fri, 31 Dec 9999 23:59:59 GMT", INT64CONST(253402300799)},
		{"Mon, 01 Jan 0001 00:00:00 GMT", INT64CONST(-62135596800)},
		{"Sat, 31 Dec 2016 23:59:60 GMT", 1483228800},
		/* what senders make of it */
		{"sun, 06 nov 1994 08:49:37 gmt", 784111777},
		{"Sun, 6 Nov 1994 08:49:37 GMT", 784111777},
		{"06 Nov 1994 08:49:37 GMT", 784111777},
		{"Wed, 9 Nov 1994 08:49:37 GMT", 784370977},
		{"Sun,06 Nov 1994 08:49:37 GMT", 784111777},
		{"  Sun, 06 Nov 1994 08:49:37 GMT  ", 784111777},
		{"Sun, 06-Nov-1994 08:49:37 GMT", 784111777},
		{"Sun, 06 Nov 1994 08:49:37 UTC", 784111777},
		{"Fri, 17 Jul 2020 01:52:27 +0000", 1594950747},
		{"Fri, 17 Jul 2020 03:52:27 +0200", 1594950747},
		{"Thu, 16 Jul 2020 20:22:27 -0530", 1594950747},
		{"Sat, 18 Jul 2020 01:51:27 +2359", 1594950747},
		{"Fri, 17 Jul 2020 02:51:27 +0059", 1594950747},
		/* a wrong name of the day does not matter */
		{"Mon, 06 Nov 1994 08:49:37 GMT", 784111777},
	};

	for (size_t i = 0; i < lengthof(cases); i++)
	{
		CfdwArena *arena = cfdw_arena_new(NULL, "test");
		int64 epoch = -99;

		CHECK_CASE(cfdw_header_date(cfdw_strdup(arena, cases[i].value), &epoch), cases[i].value);
		CHECK_INT(epoch, cases[i].epoch);
		cfdw_arena_free(arena);
	}
}

static void
test_no_dates(void)
{
	static const char *const cases[] = {
		"", " ", "now", "120", "2.0", "-1", "0", "1994-11-06T08:49:37Z", "1994-11-06 08:49:37",
		"Sun, 06 Nov 1994", "Sun, 06 Nov 1994 08:49:37", "Sun, 06 Nov 1994 08:49:37 ", "Sun, 06 Nov 1994 08:49:37GMT", "Sun, 06 Nov 1994 08:49:37 Z0000", "Sun, 06Nov1994 08:49:37 GMT", "Sun, 06 Nov 1994 08:49 GMT",
		"Sun, 06 Nov 1994 08:49:37 PST", "Sun, 06 Nov 1994 08:49:37 GMT+1", "Sun, 06 Nov 1994 08:49:37 GMT x",
		"Sun, 00 Nov 1994 08:49:37 GMT", "Thu, 31 Nov 1994 08:49:37 GMT", "Thu, 32 Dec 1994 08:49:37 GMT",
		"Wed, 29 Feb 2023 08:49:37 GMT", "Thu, 29 Feb 1900 08:49:37 GMT",
		"Sun, 06 Foo 1994 08:49:37 GMT", "Sun, 06 No 1994 08:49:37 GMT", "Sun, 06 November 1994 08:49:37 GMT",
		"Sun, 06 Nov 1994 24:00:00 GMT", "Sun, 06 Nov 1994 08:60:37 GMT", "Sun, 06 Nov 1994 08:49:61 GMT",
		"Sun, 06 Nov 1994 8:49:37 GMT", "Sun, 06 Nov 19945 08:49:37 GMT", "Sun, 06 Nov 994 08:49:37 GMT",
		"Sun, 06 Nov 0000 08:49:37 GMT", "Sun, 06-Nov 1994 08:49:37 GMT", "Sun, 006 Nov 1994 08:49:37 GMT",
		"Sun, 06 Nov 1994 08:49:37 +2400", "Sun, 06 Nov 1994 08:49:37 +0060", "Sun, 06 Nov 1994 08:49:37 +02",
		"Sun Nov  6 08:49:37 94", "Sun Nov 31 08:49:37 1994", "Sun Nov  6 08:49:37 1994 GMT", "Sun Nov", "Nov",
		"Sun, 06 Nov 1994 08:49:37 G", "Sun,", "06", "06 ", "06-", "06 N"};

	for (size_t i = 0; i < lengthof(cases); i++)
	{
		CfdwArena *arena = cfdw_arena_new(NULL, "test");
		int64 epoch;

		CHECK_CASE(!cfdw_header_date(cfdw_strdup(arena, cases[i]), &epoch), cases[i]);
		cfdw_arena_free(arena);
	}
}

/* Two digits are the year at most 50 years ahead, else of the past (compared with the same date in four digits). */
static void
test_two_digit_years(void)
{
	time_t now = time(NULL);
	int this_year = gmtime(&now)->tm_year + 1900;

	for (int ahead = -49; ahead <= 50; ahead++)
	{
		CfdwArena *arena = cfdw_arena_new(NULL, "test");
		int year = this_year + ahead;
		int64 two = 0;
		int64 four = 1;

		CHECK(cfdw_header_date(cfdw_printf(arena, "Monday, 15-Jun-%02d 10:00:00 GMT", year % 100), &two));
		CHECK(cfdw_header_date(cfdw_printf(arena, "Mon, 15 Jun %04d 10:00:00 GMT", year), &four));
		CHECK_INT(two, four);
		cfdw_arena_free(arena);
	}
}

/* Every day of 400 years is one day after the day before. */
static void
test_calendar(void)
{
	static const char *const months[] = {"Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
	int64 previous = 0;
	int days = 0;
	int wrong = 0;

	for (int year = 1900; year < 2300; year++)
	{
		for (int month = 0; month < 12; month++)
		{
			for (int day = 1; day <= 31; day++)
			{
				char text[64];
				int64 epoch;

				snprintf(text, sizeof(text), "%02d %s %04d 00:00:00 GMT", day, months[month], year);
				if (!cfdw_header_date(text, &epoch))
					continue;
				wrong += days > 0 && epoch != previous + 86400;
				previous = epoch;
				days++;
			}
		}
	}
	CHECK_INT(days, 146097);
	CHECK_INT(wrong, 0);
}

/* now is 2024-05-01T00:00:00Z */
static void
test_waits(void)
{
	static const struct
	{
		const char *value;
		int64 wait_ms;
	} cases[] = {
		{"0", 0},
		{"30", 30000},
		{" 30 ", 30000},
		{"1.5", 1500},
		{"2.0", 2000},
		{"0.05", 50},
		{"2.", 2000},
		{"-5", 0},
		{"-1.5", 0},
		{"86400", 86400000},
		{"99999999", INT64CONST(99999999000)},
		{"1714521630", 30000},
		{"1714521630.25", 30250},
		{"1714521630250", 30250},
		{"1714521500", 0},
		{"1714521500000", 0},
		{"Wed, 01 May 2024 00:00:30 GMT", 30000},
		{"Wed, 01 May 2024 00:00:00 GMT", 0},
		{"Tue, 30 Apr 2024 00:00:30 GMT", 0},
		{"2024-05-01T00:00:30Z", 30000},
		{"2024-05-01T00:00:30.5Z", 30500},
		{"2024-05-01 00:00:30", 30000},
		{"2024-05-01T02:00:30+02:00", 30000},
		{"2024-04-30T22:00:30.123456-02:00", 30123},
		{"2023-05-01T00:00:30Z", 0},
		{"999999999999999999999999", INT64CONST(1000000000000)},
		{"99999999999999999999999999999999999999999999999999.9", INT64CONST(1000000000000)},
	};

	for (int i = 0; i < lengthof(cases); i++)
	{
		int64 wait_ms = -1;

		CHECK_CASE(cfdw_header_wait(cases[i].value, 1714521600, &wait_ms), cases[i].value);
		CHECK_INT(wait_ms, cases[i].wait_ms);
	}
}

static void
test_no_waits(void)
{
	static const char *const cases[] = {
		"", " ", "-", "soon", ".5", "30s", "30, 30", "1e3", "0x10", "inf", "nan", "+5", "--5", "1.5.5", "5 5", "5\n6",
		"2024-05-01", "2024-05-01T00:00", "2024-13-01T00:00:30Z", "2024-02-30T00:00:30Z", "2024-05-00T00:00:30Z", "2024-05-01T25:00:30Z",
		"2024-05-01T00:00:30Z Z", "2024-05-01T00:00:30+0200", "2024-05-01T00:00:30+99:00", "2024-05-01T00:00:30 02:00", "24-05-01T00:00:30Z",
		"2024-05-01x00:00:30Z", "2024-05-01T00:00:30.Z"};

	for (int i = 0; i < lengthof(cases); i++)
	{
		int64 wait_ms;

		CHECK_CASE(!cfdw_header_wait(cases[i], 1714521600, &wait_ms), cases[i]);
	}
}

int
main(void)
{
	test_next_link();
	test_dates();
	test_no_dates();
	test_two_digit_years();
	test_calendar();
	test_waits();
	test_no_waits();
	return unit_done("header");
}
