/*
 * facts.h
 *	  What a walk with a store wants to know of the records of a page before
 *	  it hands up any: key, timestamp, and whether it was delivered.
 */
#ifndef CFDW_FACTS_H
#define CFDW_FACTS_H

#include "delivered.h"
#include "record.h"
#include "reject.h"
#include "timecol.h"

typedef struct CfdwFactReader CfdwFactReader;

/* In the current context.  time is NULL in modes without timestamps, rejects if nothing is rejected. */
extern CfdwFactReader *cfdw_facts_open(Relation relation, const CfdwTimeColumn *time, CfdwDelivered *delivered, const CfdwRejects *rejects);

/* Of a record of the page that was read last, by its number from 1. */
extern const CfdwFact *cfdw_facts_at(const CfdwFactReader *reader, int number);

/* The store that a walk is given. */
extern CfdwWalkStore cfdw_facts_store(CfdwFactReader *reader);

#endif /* CFDW_FACTS_H */
