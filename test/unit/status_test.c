/*
 * status_test.c
 *	  Sets of statuses.
 */
#include "status.h"
#include "unit.h"

/* Exactly these statuses, written with blanks between them. */
static void
check_set(const char *text, const char *expected)
{
	CfdwStatuses statuses;
	char found[8000] = "";

	CHECK_CASE(cfdw_statuses_parse(text, &statuses), text);
	for (int status = -1; status < 1000; status++)
		if (cfdw_statuses_have(&statuses, status))
			snprintf(found + strlen(found), sizeof(found) - strlen(found), "%s%d", found[0] == '\0' ? "" : " ", status);
	CHECK_STR(found, expected);
}

static void
test_sets(void)
{
	CfdwStatuses statuses;

	check_set("404", "404");
	check_set("410,404, 599 ,100", "100 404 410 599");
	check_set(" 429 ", "429");
	CHECK(cfdw_statuses_parse("408, 5xX", &statuses));
	for (int status = 0; status < 700; status++)
		CHECK(cfdw_statuses_have(&statuses, status) == (status == 408 || (status >= 500 && status <= 599)));
}

static void
test_no_sets(void)
{
	static const char *const cases[] = {
		"", " ", ",", "404,", ",404", "40", "4", "4x", "4xxx", "404x", "4040", "404 410", "404;410", "600", "099", "0xx", "6xx", "x",
		"-404", "4-4", "404,,410", "5x0", "xxx"};
	CfdwStatuses statuses;

	for (int i = 0; i < lengthof(cases); i++)
		CHECK_CASE(!cfdw_statuses_parse(cases[i], &statuses), cases[i]);
}

int
main(void)
{
	test_sets();
	test_no_sets();
	return unit_done("status");
}
