/*
 * unpaged.h
 *	  A list that is read as one page: does the response say that there are
 *	  more?
 *
 * Whoever forgets the pagination options would get the first page and never
 * know.  The signs are those that APIs commonly give; none proves that there
 * is no other page.
 */
#ifndef CFDW_UNPAGED_H
#define CFDW_UNPAGED_H

#include "http.h"
#include "page.h"

/* CFDW_ERR_MISSING if it does, with the sign in DETAIL. */
extern bool cfdw_unpaged_check(CfdwArena *arena, const CfdwResponse *response, const CfdwPage *page, CfdwError *err);

#endif /* CFDW_UNPAGED_H */
