/*
 * guc.c
 *	  One table of settings with words, the few others, and the check of what
 *	  was set before the library was loaded.
 */
#include "guc.h"

#include <limits.h>

#include "checkpoint.h"
#include "consumer.h"
#include "hosts.h"
#include "spec.h"
#include "utils/guc.h"
#include "utils/guc_tables.h"

#define PREFIX "checkpoint_fdw."

static const struct config_enum_entry advance_words[] = {
	{"auto", CFDW_ADVANCE_AUTO, false},
	{"never", CFDW_ADVANCE_NEVER, false},
	{NULL, 0, false}};

static const struct config_enum_entry start_words[] = {
	{"checkpoint", CFDW_START_CHECKPOINT, false},
	{"beginning", CFDW_START_BEGINNING, false},
	{NULL, 0, false}};

static const struct config_enum_entry on_busy_words[] = {
	{"wait", CFDW_ON_BUSY_WAIT, false},
	{"error", CFDW_ON_BUSY_ERROR, false},
	{"skip", CFDW_ON_BUSY_SKIP, false},
	{NULL, 0, false}};

static const struct config_enum_entry guard_words[] = {
	{"error", CFDW_GUARD_ERROR, false},
	{"warning", CFDW_GUARD_WARNING, false},
	{"off", CFDW_GUARD_OFF, false},
	{NULL, 0, false}};

static bool
check_consumer(char **newval, void **extra, GucSource source)
{
	if (**newval != '\0')
		return true;
	GUC_check_errdetail("A consumer has a name of at least one character.");
	return false;
}

static bool
check_hosts(char **newval, void **extra, GucSource source)
{
	if (cfdw_hosts_is_list(*newval))
		return true;
	GUC_check_errdetail("It is a list of host names, *.example.com for all names below one, addresses, or * for all.");
	return false;
}

static const struct
{
	const char *name;
	const char *help;
	int *value;
	int initial;
	const struct config_enum_entry *words;
} enums[] = {
	{PREFIX "advance", "Whether statements that store rows move the checkpoint.", &cfdw_guc_advance, CFDW_ADVANCE_AUTO, advance_words},
	{PREFIX "start", "Where a scan begins: at the checkpoint or at the beginning.", &cfdw_guc_start, CFDW_START_CHECKPOINT, start_words},
	{PREFIX "on_busy", "What to do when another session holds the checkpoint.", &cfdw_guc_on_busy, CFDW_ON_BUSY_WAIT, on_busy_words},
	{PREFIX "plan_guard", "What to do with a plan that could take a record and not use it.", &cfdw_guc_plan_guard, CFDW_GUARD_ERROR, guard_words}};

static const struct
{
	const char *name;
	const char *help;
	int *value;
	int initial;
	int min;
	int max;
	int flags;
} integers[] = {
	{PREFIX "batch_history", "Rows of the commit log that are kept for each checkpoint.", &cfdw_guc_batch_history, 100, 1, 1000000, 0},
	{PREFIX "batch_pages", "Pages after which a load stops, to go on with the next one; 0 leaves it to the foreign table.", &cfdw_guc_batch_pages, 0, 0, INT_MAX, 0},
	{PREFIX "batch_seconds", "Time after which a load stops, at the end of a page; 0 leaves it to the foreign table.", &cfdw_guc_batch_seconds, 0, 0, 86400, GUC_UNIT_S}};

/* ---- what was set before ---- */

static bool
is_word(const struct config_enum_entry *words, const char *value)
{
	for (; words->name != NULL; words++)
		if (pg_strcasecmp(words->name, value) == 0)
			return true;
	return false;
}

static void
refuse(const char *name, const char *value)
{
	ereport(ERROR,
			(errcode(value ? ERRCODE_INVALID_PARAMETER_VALUE : ERRCODE_UNDEFINED_OBJECT),
			 value ? errmsg("invalid value for parameter \"%s\": \"%s\"", name, value) : errmsg("unrecognized configuration parameter \"%s\"", name),
			 errdetail("It was set before checkpoint_fdw was loaded, when nobody could check it."),
			 errhint("RESET %s, or set it again; the settings are advance, start, on_busy, plan_guard, consumer, allowed_hosts, batch_history, batch_pages and batch_seconds.", name)));
}

static void
check_earlier(const char *name, const char *value)
{
	if (strcmp(name, PREFIX "consumer") == 0 || value == NULL || *value == '\0') /* the latter after RESET */
		return;
	if (strcmp(name, PREFIX "allowed_hosts") == 0)
	{
		if (!cfdw_hosts_is_list(value))
			refuse(name, value);
		return;
	}
	for (int i = 0; i < lengthof(integers); i++)
		if (strcmp(name, integers[i].name) == 0)
			return; /* a number that is none: PostgreSQL warns, and nothing is taken that would not be */
	for (int i = 0; i < lengthof(enums); i++)
		if (strcmp(name, enums[i].name) == 0)
		{
			if (!is_word(enums[i].words, value))
				refuse(name, value);
			return;
		}
	refuse(name, NULL);
}

static void
check_all_earlier(void)
{
	int count;
	struct config_generic **variables;

#if PG_VERSION_NUM >= 160000
	variables = get_guc_variables(&count);
#else
	variables = get_guc_variables();
	count = GetNumConfigOptions();
#endif
	for (int i = 0; i < count; i++)
		if ((variables[i]->flags & GUC_CUSTOM_PLACEHOLDER) && strncmp(variables[i]->name, PREFIX, strlen(PREFIX)) == 0)
			check_earlier(variables[i]->name, GetConfigOption(variables[i]->name, true, false));
}

/* ---- define ---- */

void
cfdw_guc_define(void)
{
	check_all_earlier();
	for (int i = 0; i < lengthof(enums); i++)
		DefineCustomEnumVariable(enums[i].name, enums[i].help, NULL, enums[i].value, enums[i].initial, enums[i].words,
								 PGC_USERSET, 0, NULL, NULL, NULL);
	for (int i = 0; i < lengthof(integers); i++)
		DefineCustomIntVariable(integers[i].name, integers[i].help, NULL, integers[i].value, integers[i].initial,
								integers[i].min, integers[i].max, PGC_USERSET, integers[i].flags, NULL, NULL, NULL);
	DefineCustomStringVariable(PREFIX "consumer", "Name of the consumer; each has its own checkpoint in every foreign table.",
							   NULL, &cfdw_guc_consumer, "default", PGC_USERSET, 0, check_consumer, NULL, NULL);
	DefineCustomStringVariable(PREFIX "allowed_hosts", "Hosts that may be asked; empty for all.",
							   "Link-local addresses and those of metadata services are refused unless they are listed.",
							   &cfdw_guc_allowed_hosts, "", PGC_SUSET, 0, check_hosts, NULL, NULL);
	MarkGUCPrefixReserved("checkpoint_fdw");
}
