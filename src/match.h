/*
 * match.h
 *	  Where the wanted values of a JSON document are: a tree of member names
 *	  and array indexes, and one walk over the document that fills it.
 *
 * A loose name also finds the same letters in another case or without
 * underscores (created_at finds createdAt).  An exact match wins over a loose
 * one, and a member that is the exact name of one loose node is no candidate
 * for another.  Of duplicate members the last counts.
 */
#ifndef CFDW_MATCH_H
#define CFDW_MATCH_H

#include "pointer.h"

typedef struct CfdwNode CfdwNode;

struct CfdwNode
{
	CfdwSlice name;
	int64 index; /* as an array index, or -1 */
	bool loose;
	CfdwSlice folded; /* of a loose name */
	CfdwNode *twin;   /* the next loose node of the same parent with the same folded name */
	int count;
	CfdwNode **children;
	struct CfdwSeen *seen; /* what the last document's members were, by position; see match.c */

	/* the last match; slices point into the document unless a name was escaped */
	CfdwSlice value; /* data NULL: no such member */
	CfdwSlice near;  /* a loosely matched member's name, data NULL: matched exactly */
	CfdwSlice rival; /* a second member that matches loosely, data NULL: none */
};

/* A tree's root, in the current context as all nodes. */
extern CfdwNode *cfdw_node_root(void);
/* The child of that name and index, added if there is none. */
extern CfdwNode *cfdw_node_child(CfdwNode *parent, CfdwSlice name, int64 index);
/* The child of a column's or field's name, to be found loosely too. */
extern CfdwNode *cfdw_node_loose(CfdwNode *parent, const char *name);

/* Fill the tree's matches from a document (any JSON value).  Scratch lives in the current context. */
extern void cfdw_node_match(CfdwNode *root, CfdwSlice json);
/*
 * What the last match found for a node; data NULL: nothing.  Without loose
 * only an exact match counts.  Raises if two members match loosely.
 */
extern CfdwSlice cfdw_node_value(const CfdwNode *node, bool loose);

#endif /* CFDW_MATCH_H */
