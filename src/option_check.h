/*
 * option_check.h
 *	  What must hold between options: within one object, and between a
 *	  server, a user mapping and a table.
 */
#ifndef CFDW_OPTION_CHECK_H
#define CFDW_OPTION_CHECK_H

#include "option_table.h"

/*
 * Complete the options of one object (pagination is inferred, a format told
 * from a pattern) and raise if they do not fit together.  options is a
 * CfdwOptions or, at column, a CfdwColumnOptions.
 */
extern void cfdw_option_check(CfdwOptionPlace place, void *options);

/* The option that a kind of auth needs in the user mapping, or NULL. */
extern const CfdwOptionDef *cfdw_option_of_auth(int auth);

/*
 * Raise if server, user mapping and table set the header of auth themselves,
 * or if a secret lies in the mapping that auth none would not send.
 */
extern void cfdw_option_check_auth(const CfdwOptions *options);

#endif /* CFDW_OPTION_CHECK_H */
