/*
 * report.c
 *	  From an error value to ereport(): one table of SQLSTATEs.
 */
#include "report.h"

#include "mb/pg_wchar.h"

static const int sqlstates[] = {
	[CFDW_ERR_OPTION] = ERRCODE_INVALID_PARAMETER_VALUE,
	[CFDW_ERR_URL] = ERRCODE_INVALID_PARAMETER_VALUE,
	[CFDW_ERR_FORBIDDEN] = ERRCODE_INSUFFICIENT_PRIVILEGE,
	[CFDW_ERR_CONNECT] = ERRCODE_SQLCLIENT_UNABLE_TO_ESTABLISH_SQLCONNECTION,
	[CFDW_ERR_TRUST] = ERRCODE_SQLCLIENT_UNABLE_TO_ESTABLISH_SQLCONNECTION,
	[CFDW_ERR_TRANSFER] = ERRCODE_CONNECTION_FAILURE,
	[CFDW_ERR_TIMEOUT] = ERRCODE_CONNECTION_FAILURE,
	[CFDW_ERR_STATUS] = ERRCODE_FDW_ERROR,
	[CFDW_ERR_AUTH] = ERRCODE_INVALID_AUTHORIZATION_SPECIFICATION,
	[CFDW_ERR_API] = ERRCODE_FDW_ERROR,
	[CFDW_ERR_JSON] = ERRCODE_INVALID_JSON_TEXT,
	[CFDW_ERR_CUT] = ERRCODE_INVALID_JSON_TEXT,
	[CFDW_ERR_MISSING] = ERRCODE_SQL_JSON_MEMBER_NOT_FOUND,
	[CFDW_ERR_SHAPE] = ERRCODE_SINGLETON_SQL_JSON_ITEM_REQUIRED,
	[CFDW_ERR_LIMIT] = ERRCODE_PROGRAM_LIMIT_EXCEEDED,
	[CFDW_ERR_LOOP] = ERRCODE_FDW_ERROR,
	[CFDW_ERR_SHIFTED] = ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE,
	[CFDW_ERR_RECORD] = ERRCODE_INVALID_PARAMETER_VALUE,
	[CFDW_ERR_POSITION] = ERRCODE_INVALID_PARAMETER_VALUE,
	[CFDW_ERR_MEMORY] = ERRCODE_OUT_OF_MEMORY,
	[CFDW_ERR_INTERNAL] = ERRCODE_INTERNAL_ERROR,
};

StaticAssertDecl(lengthof(sqlstates) == CFDW_ERR_INTERNAL + 1, "every error kind has an SQLSTATE");

/*
 * An error can quote an excerpt of a response, that is any bytes.  Text that
 * the database's encoding does not allow would break clients and logs, so its
 * bytes outside ASCII are replaced.
 */
static const char *
printable(const char *text)
{
	char *copy;

	if (pg_verifymbstr(text, strlen(text), true))
		return text;
	copy = pstrdup(text);
	for (char *p = copy; *p != '\0'; p++)
	{
		if (IS_HIGHBIT_SET(*p))
			*p = '?';
	}
	return copy;
}

void
cfdw_report_at(int elevel, const CfdwError *err)
{
	Assert(err->kind != CFDW_OK);
	ereport(elevel,
			(errcode(sqlstates[err->kind]),
			 errmsg_internal("%s", printable(err->message)),
			 err->detail[0] != '\0' ? errdetail_internal("%s", printable(err->detail)) : 0,
			 err->hint[0] != '\0' ? errhint("%s", printable(err->hint)) : 0));
}

void
cfdw_report(const CfdwError *err)
{
	cfdw_report_at(ERROR, err);
	pg_unreachable();
}
