/*
 * argument.h
 *	  Arguments of the SQL functions, and who may call them.
 */
#ifndef CFDW_ARGUMENT_H
#define CFDW_ARGUMENT_H

#include "base.h"
#include "fmgr.h"
#include "utils/jsonb.h"

/* Text and jsonb as a string in the current context; NULL for null. */
extern char *cfdw_arg_text(FunctionCallInfo fcinfo, int n);
extern char *cfdw_arg_jsonb(FunctionCallInfo fcinfo, int n);

/* A string or number that is a member of an object, as text; else NULL. */
extern char *cfdw_arg_member(Jsonb *object, const char *name);

/* A foreign table; raises 42809 for anything else, and for null. */
extern Oid cfdw_arg_table(FunctionCallInfo fcinfo, int n);

/* The checkpoints of a foreign table belong to its owner: 42501. */
extern Oid cfdw_arg_owned_table(FunctionCallInfo fcinfo, int n);
extern void cfdw_arg_check_owner(Oid foreign_table);

/* Whoever may load from it (the UPDATE privilege), else 42501. */
extern Oid cfdw_arg_consumed_table(FunctionCallInfo fcinfo, int n);

#endif /* CFDW_ARGUMENT_H */
