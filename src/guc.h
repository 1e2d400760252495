/*
 * guc.h
 *	  The settings checkpoint_fdw.*.
 */
#ifndef CFDW_GUC_H
#define CFDW_GUC_H

#include "base.h"

/*
 * Define them; once, when the library is loaded.  Raises for what was set
 * before that and is no setting (42704) or no value of it (22023): PostgreSQL would only warn
 * and go on with the default, and a misspelt "advance = never" would take the
 * records.
 */
extern void cfdw_guc_define(void);

#endif /* CFDW_GUC_H */
