/*
 * record_key.c
 *	  A record's key as text.
 */
#include "record_key.h"

#include "settings.h"

#include "common/hashfn.h"
#include "fmgr.h"
#include "lib/stringinfo.h"
#include "utils/builtins.h"
#include "utils/json.h"
#include "utils/lsyscache.h"

#define PLAIN_MAX 64 /* a longer key is stored as its hash */
#define HASH_MARK '#'

typedef struct KeyColumn
{
	int attnum;
	char *name;
	FmgrInfo output;
} KeyColumn;

struct CfdwRecordKey
{
	int count;
	KeyColumn columns[FLEXIBLE_ARRAY_MEMBER];
};

CfdwRecordKey *
cfdw_record_key_open(TupleDesc desc, const int *attributes, int count)
{
	CfdwRecordKey *key = palloc0(offsetof(CfdwRecordKey, columns) + count * sizeof(KeyColumn));

	key->count = count;
	for (int i = 0; i < count; i++)
	{
		Form_pg_attribute attribute = TupleDescAttr(desc, attributes[i] - 1);
		Oid output;
		bool is_varlena;

		key->columns[i].attnum = attributes[i];
		key->columns[i].name = pstrdup(NameStr(attribute->attname));
		getTypeOutputInfo(attribute->atttypid, &output, &is_varlena);
		fmgr_info(output, &key->columns[i].output);
	}
	return key;
}

static char *
hash_text(const char *data, size_t len)
{
	const unsigned char *bytes = (const unsigned char *) data;

	return psprintf("%c%016llx%016llx", HASH_MARK,
					(unsigned long long) hash_bytes_extended(bytes, (int) len, 0),
					(unsigned long long) hash_bytes_extended(bytes, (int) len, 1));
}

static char *
column_text(KeyColumn *column, const Datum *values, const bool *isnull)
{
	if (isnull[column->attnum - 1])
		ereport(ERROR,
				errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED),
				errmsg("key column \"%s\" is null", column->name),
				errhint("A record is recognised by its key columns, so each needs a value in every record."));
	return OutputFunctionCall(&column->output, values[column->attnum - 1]);
}

static char *
plain_key(CfdwRecordKey *key, const Datum *values, const bool *isnull)
{
	StringInfoData out;

	if (key->count == 1)
		return column_text(&key->columns[0], values, isnull);
	initStringInfo(&out);
	for (int i = 0; i < key->count; i++)
	{
		appendStringInfoChar(&out, i == 0 ? '[' : ',');
		escape_json(&out, column_text(&key->columns[i], values, isnull));
	}
	appendStringInfoChar(&out, ']');
	return out.data;
}

char *
cfdw_record_key_text(CfdwRecordKey *key, CfdwSlice record, const Datum *values, const bool *isnull)
{
	CfdwSettings session;
	char *volatile text = NULL;
	size_t len;

	if (key->count == 0)
		return hash_text(record.data, record.len);

	cfdw_settings_fix(&session);
	PG_TRY();
	{
		text = plain_key(key, values, isnull);
	}
	PG_FINALLY();
	{
		cfdw_settings_restore(&session);
	}
	PG_END_TRY();

	len = strlen(text);
	return len > PLAIN_MAX || text[0] == HASH_MARK ? hash_text(text, len) : text;
}
