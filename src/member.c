/*
 * member.c
 *	  The member of a record that the name of a column means.
 */
#include "member.h"

#include "lexer.h"
#include "token.h"

static bool
same(CfdwSlice a, CfdwSlice b)
{
	return a.len == b.len && memcmp(a.data, b.data, a.len) == 0;
}

CfdwSlice
cfdw_member_fold(CfdwSlice name, char *out)
{
	CfdwSlice folded = {out, 0};

	for (size_t i = 0; i < name.len; i++)
		if (name.data[i] != '_')
			out[folded.len++] = pg_ascii_tolower((unsigned char) name.data[i]);
	return folded;
}

bool
cfdw_member_name(CfdwArena *scratch, CfdwSlice *name)
{
	char *out;

	if (memchr(name->data, '\\', name->len) == NULL)
		return true;
	out = cfdw_alloc(scratch, name->len);
	if (cfdw_unescape(*name, out, &name->len) != CFDW_UNESCAPED)
		return false;
	name->data = out;
	return true;
}

bool
cfdw_member_find(CfdwArena *scratch, CfdwSlice record, const char *name, CfdwSlice *value)
{
	CfdwSlice wanted = {name, strlen(name)};
	CfdwSlice folded = cfdw_member_fold(wanted, cfdw_alloc(scratch, wanted.len + 1));
	CfdwTokens tokens;
	CfdwSlice found = {NULL, 0}; /* name of the member that is the same when folded */
	CfdwSlice member = {NULL, 0};
	CfdwSlice at;
	bool exact = false;
	bool several = false;

	cfdw_tokens_open(&tokens, record);
	while (tokens.object && cfdw_tokens_next(&tokens, &member, &at))
	{
		bool is_exact;

		if (!cfdw_member_name(scratch, &member))
			continue;
		is_exact = same(member, wanted);
		if (!is_exact && (exact || !same(cfdw_member_fold(member, cfdw_alloc(scratch, member.len + 1)), folded)))
			continue;
		exact = exact || is_exact; /* of two members of one name the last counts */
		several = several || (found.data != NULL && !same(found, member));
		found = member;
		*value = at;
	}
	return exact || (found.data != NULL && !several);
}
