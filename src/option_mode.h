/*
 * option_mode.h
 *	  What must hold between the options that say how a load goes on.
 */
#ifndef CFDW_OPTION_MODE_H
#define CFDW_OPTION_MODE_H

#include "option.h"

/* Complete checkpoint, and raise if a table's options of checkpoint and batches do not fit together; pagination is known. */
extern void cfdw_option_check_mode(CfdwOptions *options);

#endif /* CFDW_OPTION_MODE_H */
