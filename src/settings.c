/*
 * settings.c
 *	  Fixed settings around input and output functions.
 */
#include "settings.h"

#include "miscadmin.h"
#include "utils/bytea.h"
#include "utils/float.h"

void
cfdw_settings_fix(CfdwSettings *saved)
{
	static pg_tz *utc = NULL;

	if (utc == NULL)
		utc = pg_tzset("UTC");
	saved->date_style = DateStyle;
	saved->date_order = DateOrder;
	saved->interval_style = IntervalStyle;
	saved->float_digits = extra_float_digits;
	saved->bytea = bytea_output;
	saved->timezone = session_timezone;
	DateStyle = USE_ISO_DATES;
	DateOrder = DATEORDER_YMD;
	IntervalStyle = INTSTYLE_POSTGRES;
	extra_float_digits = 1;
	bytea_output = BYTEA_OUTPUT_HEX;
	session_timezone = utc;
}

void
cfdw_settings_restore(const CfdwSettings *saved)
{
	DateStyle = saved->date_style;
	DateOrder = saved->date_order;
	IntervalStyle = saved->interval_style;
	extra_float_digits = saved->float_digits;
	bytea_output = saved->bytea;
	session_timezone = saved->timezone;
}
