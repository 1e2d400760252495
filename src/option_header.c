/*
 * option_header.c
 *	  Request headers that an option may set.
 */
#include "option_header.h"

#include <ctype.h>

#include "json.h"
#include "nodes/pg_list.h"

bool
cfdw_has_control(const char *text)
{
	for (; *text != '\0'; text++)
	{
		if ((unsigned char) *text < 0x20 || *text == 0x7f)
			return true;
	}
	return false;
}

bool
cfdw_is_header_name(const char *name)
{
	const char *p = name;

	while (isalnum((unsigned char) *p) || (*p != '\0' && strchr("!#$%&'*+-.^_`|~", *p) != NULL))
		p++;
	return p > name && *p == '\0';
}

/* Headers that nobody but the HTTP library may set, or that have an option of their own. */
static const char *const reserved_headers[] = {
	"Connection", "Content-Length", "Expect", "Host", "Keep-Alive", "Proxy-Connection",
	"TE", "Trailer", "Transfer-Encoding", "Upgrade", "Content-Type"};

/* Headers that carry a secret. */
static const char *const secret_headers[] = {
	"Authorization", "Proxy-Authorization", "Cookie", "API-Key", "ApiKey", "X-API-Key", "X-ApiKey", "X-API-Token",
	"X-Auth-Key", "X-Auth-Token", "X-Access-Token", "Private-Token", "X-Shopify-Access-Token"};

static bool
is_one_of(const char *name, const char *const *names, int count)
{
	for (int i = 0; i < count; i++)
	{
		if (pg_strcasecmp(name, names[i]) == 0)
			return true;
	}
	return false;
}

typedef struct HeaderCheck
{
	bool secret; /* they may carry secrets */
	List *names;
	const char *detail; /* what is wrong with the last header, NULL: nothing */
	const char *hint;
} HeaderCheck;

static bool
check_header(const char *name, CfdwJson *value, void *arg)
{
	HeaderCheck *check = arg;
	ListCell *cell;

	foreach(cell, check->names)
	{
		if (pg_strcasecmp(lfirst(cell), name) == 0)
			check->detail = "is there twice";
	}
	check->names = lappend(check->names, pstrdup(name));
	if (!cfdw_is_header_name(name))
		check->detail = "has a name that cannot be the name of a header";
	else if (cfdw_json_kind(value) != CFDW_JSON_STRING)
		check->detail = "has a value that is no string";
	else if (cfdw_has_control(cfdw_json_text(CurrentMemoryContext, value)))
		check->detail = "has a control character in its value";
	else if (is_one_of(name, reserved_headers, lengthof(reserved_headers)))
	{
		check->detail = "cannot be set";
		if (pg_strcasecmp(name, "Content-Type") == 0)
			check->hint = "Use the table's option \"content_type\".";
	}
	else if (!check->secret && is_one_of(name, secret_headers, lengthof(secret_headers)))
	{
		check->detail = "carries a secret";
		check->hint = "Everybody may read the options of servers and tables. Put it into the option \"headers\" of a user mapping.";
	}
	return check->detail == NULL;
}

bool
cfdw_option_headers_are_good(const char *value, bool secret, char **detail, const char **hint)
{
	HeaderCheck check = {secret};
	CfdwJson *json;
	CfdwError err;

	*detail = NULL;
	if (!cfdw_json_parse(CurrentMemoryContext, value, strlen(value), &json, &err) || cfdw_json_kind(json) != CFDW_JSON_OBJECT)
	{
		*hint = "It is a JSON object of strings, such as {\"Accept\": \"application/json\"}.";
		return false;
	}
	cfdw_json_each(json, check_header, &check);
	*hint = check.hint;
	if (check.detail == NULL)
		return true;
	*detail = psprintf("Header %d %s.", list_length(check.names), check.detail);
	return false;
}
