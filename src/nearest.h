/*
 * nearest.h
 *	  What a wrong path may have meant.
 */
#ifndef CFDW_NEAREST_H
#define CFDW_NEAREST_H

#include "pointer.h"

/*
 * The JSON Pointer of the member nearest to the first segment of a pointer
 * that the record lacks, in the current context; NULL: none is near.
 */
extern char *cfdw_nearest_member(CfdwSlice record, const CfdwPointer *pointer);

#endif /* CFDW_NEAREST_H */
