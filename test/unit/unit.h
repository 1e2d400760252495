/*
 * unit.h
 *	  The few words a unit program needs.
 *
 * A program is one file, NAME_test.c: static test functions that CHECK, and
 * a main() that calls them and ends with return unit_done("NAME").  A failed
 * check is printed with its place and the program goes on, so that one run
 * shows all of them.
 */
#ifndef UNIT_H
#define UNIT_H

#include "base.h"

#include <stdio.h>
#include <string.h>

static int unit_checks;
static int unit_failures;

static inline void
unit_check(bool ok, const char *what, const char *file, int line)
{
	unit_checks++;
	if (ok)
		return;
	unit_failures++;
	fprintf(stderr, "%s:%d: failed: %s\n", file, line, what);
}

static inline void
unit_check_str(const char *actual, const char *expected, const char *what, const char *file, int line)
{
	bool ok = actual != NULL && expected != NULL ? strcmp(actual, expected) == 0 : actual == expected;

	unit_check(ok, what, file, line);
	if (!ok)
		fprintf(stderr, "  actual:   %s\n  expected: %s\n", actual ? actual : "(null)", expected ? expected : "(null)");
}

static inline void
unit_check_int(long long actual, long long expected, const char *what, const char *file, int line)
{
	unit_check(actual == expected, what, file, line);
	if (actual != expected)
		fprintf(stderr, "  actual:   %lld\n  expected: %lld\n", actual, expected);
}

/* Is the condition true? */
#define CHECK(cond) unit_check((cond), #cond, __FILE__, __LINE__)
/* Equal strings; NULL equals NULL only. */
#define CHECK_STR(actual, expected) unit_check_str((actual), (expected), #actual, __FILE__, __LINE__)
/* Equal integers. */
#define CHECK_INT(actual, expected) unit_check_int((long long) (actual), (long long) (expected), #actual, __FILE__, __LINE__)
/* In a table-driven test: says which case a failure belongs to, and names it in the output. */
#define CHECK_CASE(cond, name) \
	do \
	{ \
		bool unit_ok = (cond); \
		unit_check(unit_ok, #cond, __FILE__, __LINE__); \
		if (!unit_ok) \
			fprintf(stderr, "  case:     %s\n", (name)); \
	} while (0)

static inline int
unit_done(const char *name)
{
	if (unit_failures > 0)
	{
		fprintf(stderr, "%s: %d of %d checks failed\n", name, unit_failures, unit_checks);
		return 1;
	}
	if (unit_checks == 0)
	{
		fprintf(stderr, "%s: no check ran\n", name);
		return 1;
	}
	printf("%s: %d checks passed\n", name, unit_checks);
	return 0;
}

#endif /* UNIT_H */
