/*
 * setting.h
 *	  The settings checkpoint_fdw.*.
 */
#ifndef CFDW_SETTING_H
#define CFDW_SETTING_H

#include "base.h"

/*
 * Define them; once, when the library is loaded.  Raises for what was set
 * before that and is no setting (42704) or no value of it (22023): PostgreSQL would only warn
 * and go on with the default, and a misspelt "advance = never" would take the
 * records.
 */
extern void cfdw_settings_define(void);

#endif /* CFDW_SETTING_H */
