/*
 * status.c
 *	  Sets of HTTP statuses.
 */
#include "status.h"

static bool
is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool
is_wild(const char *p)
{
	return pg_strncasecmp(p, "xx", 2) == 0;
}

bool
cfdw_statuses_parse(const char *text, CfdwStatuses *out)
{
	const char *p = text;

	memset(out, 0, sizeof(*out));
	for (;;)
	{
		int first;
		int count;

		p += strspn(p, " ");
		if (*p < '1' || *p > '5' || (!is_wild(p + 1) && !(is_digit(p[1]) && is_digit(p[2]))))
			return false;
		first = (p[0] - '0') * 100 + (is_wild(p + 1) ? 0 : (p[1] - '0') * 10 + (p[2] - '0'));
		count = is_wild(p + 1) ? 100 : 1;
		for (int status = first; status < first + count; status++)
			out->bits[status / 64] |= UINT64CONST(1) << (status % 64);
		p += 3;
		p += strspn(p, " ");
		if (*p == '\0')
			return true;
		if (*p++ != ',')
			return false;
	}
}

bool
cfdw_statuses_have(const CfdwStatuses *statuses, int status)
{
	return status >= 0 && status < 640 && (statuses->bits[status / 64] >> (status % 64) & 1) != 0;
}
