/*
 * settings.h
 *	  The settings under which values are read and keys are written, whatever
 *	  the session has: ISO dates, UTC, postgres intervals, extra_float_digits 1,
 *	  hex bytea.
 *
 * The variables are set, not the GUCs: a record must not cost five
 * set_config calls, and nobody can see the difference, because they are set
 * back before the executor goes on (by PG_FINALLY when something is raised).
 */
#ifndef CFDW_SETTINGS_H
#define CFDW_SETTINGS_H

#include "base.h"
#include "pgtime.h"

typedef struct CfdwSettings
{
	int date_style;
	int date_order;
	int interval_style;
	int float_digits;
	int bytea;
	pg_tz *timezone;
} CfdwSettings;

/* Set the fixed settings and keep the session's in saved. */
extern void cfdw_settings_fix(CfdwSettings *saved);
extern void cfdw_settings_restore(const CfdwSettings *saved);

#endif /* CFDW_SETTINGS_H */
