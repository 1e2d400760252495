/*
 * walk.h
 *	  One pass over the pages of an endpoint, spread over any number of
 *	  statements.  Drives request, page and pagination, and hands out
 *	  records.  Records are recognised by key, never counted.
 */
#ifndef CFDW_WALK_H
#define CFDW_WALK_H

#include "pagination.h"

typedef enum CfdwMode
{
	CFDW_MODE_NONE,				/* always from the beginning; nothing is stored */
	CFDW_MODE_CURSOR,			/* new records come last; goes on by token or link */
	CFDW_MODE_OFFSET			/* new records come last; goes on by offset or page number */
} CfdwMode;

typedef enum CfdwOrder
{
	CFDW_ORDER_NONE,
	CFDW_ORDER_ASC,
	CFDW_ORDER_DESC
} CfdwOrder;

#endif							/* CFDW_WALK_H */
