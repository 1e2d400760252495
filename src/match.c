/*
 * match.c
 *	  Fill a tree of wanted names from a JSON document.
 */
#include "match.h"

#include "member.h"
#include "token.h"

/*
 * Records of one endpoint have nearly always the same members in the same
 * order, so what a member's name meant is remembered by its position.
 */
#define SEEN_MEMBERS 64
#define SEEN_NAME    40

typedef struct CfdwSeen
{
	CfdwNode *exact; /* the node of that very name, or NULL */
	CfdwNode *loose; /* the first node that the name matches loosely, or NULL */
	uint8 size;      /* the name's length + 1, 0: nothing was seen here */
	char name[SEEN_NAME];
} CfdwSeen;

static inline bool
same(CfdwSlice a, CfdwSlice b)
{
	return a.len == b.len && memcmp(a.data, b.data, a.len) == 0;
}

static CfdwNode *
find_exact(const CfdwNode *parent, CfdwSlice name)
{
	for (int i = 0; i < parent->count; i++)
		if (same(parent->children[i]->name, name))
			return parent->children[i];
	return NULL;
}

static CfdwNode *
find_loose(const CfdwNode *parent, CfdwSlice folded)
{
	for (int i = 0; i < parent->count; i++)
		if (parent->children[i]->loose && same(parent->children[i]->folded, folded))
			return parent->children[i];
	return NULL;
}

CfdwNode *
cfdw_node_root(void)
{
	CfdwNode *root = palloc0(sizeof(CfdwNode));

	root->index = -1;
	return root;
}

static CfdwNode *
add_child(CfdwNode *parent, CfdwSlice name)
{
	CfdwNode *child = palloc0(sizeof(CfdwNode));

	child->name.data = pnstrdup(name.data, name.len);
	child->name.len = name.len;
	child->index = -1;
	if (parent->count == 0)
	{
		parent->children = palloc(sizeof(CfdwNode *));
		parent->seen = palloc0(SEEN_MEMBERS * sizeof(CfdwSeen));
	}
	else
		parent->children = repalloc(parent->children, (parent->count + 1) * sizeof(CfdwNode *));
	parent->children[parent->count++] = child;
	return child;
}

CfdwNode *
cfdw_node_child(CfdwNode *parent, CfdwSlice name, int64 index)
{
	CfdwNode *child = find_exact(parent, name);

	if (child == NULL)
		child = add_child(parent, name);
	if (index >= 0)
		child->index = index;
	return child;
}

CfdwNode *
cfdw_node_loose(CfdwNode *parent, const char *name)
{
	CfdwSlice slice = {name, strlen(name)};
	CfdwNode *child = cfdw_node_child(parent, slice, -1);
	CfdwNode *twin;

	if (child->loose)
		return child;
	child->folded = cfdw_member_fold(slice, palloc(slice.len));
	twin = find_loose(parent, child->folded);
	child->loose = true;
	if (twin != NULL)
	{
		child->twin = twin->twin;
		twin->twin = child;
	}
	return child;
}

static void
forget_matches(CfdwNode *node)
{
	memset(&node->value, 0, sizeof(CfdwSlice));
	memset(&node->near, 0, sizeof(CfdwSlice));
	memset(&node->rival, 0, sizeof(CfdwSlice));
	for (int i = 0; i < node->count; i++)
		forget_matches(node->children[i]);
}

static void
match_loosely(CfdwNode *node, CfdwSlice name, CfdwSlice value)
{
	if (node->value.data != NULL && node->near.data == NULL)
		return; /* an exact match wins */
	if (node->near.data != NULL && !same(node->near, name))
	{
		node->rival = name;
		return;
	}
	node->near = name;
	node->value = value;
}

static void
look_up(const CfdwNode *parent, CfdwSlice name, CfdwSeen *seen)
{
	char buffer[NAMEDATALEN * 4]; /* a longer name is no column's */

	seen->exact = find_exact(parent, name);
	seen->loose = NULL;
	if ((seen->exact == NULL || !seen->exact->loose) && name.len <= sizeof(buffer))
		seen->loose = find_loose(parent, cfdw_member_fold(name, buffer));
}

static void
match_member(CfdwNode *parent, int64 position, CfdwSlice name, CfdwSlice value)
{
	CfdwSeen once;
	CfdwSeen *seen = &once;

	if (position >= SEEN_MEMBERS || name.len > SEEN_NAME)
		look_up(parent, name, seen);
	else
	{
		seen = &parent->seen[position];
		if (seen->size != name.len + 1 || memcmp(seen->name, name.data, name.len) != 0)
		{
			look_up(parent, name, seen);
			seen->size = name.len + 1;
			memcpy(seen->name, name.data, name.len);
		}
	}

	if (seen->exact != NULL)
		cfdw_node_match(seen->exact, value);
	for (CfdwNode *node = seen->loose; node != NULL; node = node->twin)
		match_loosely(node, name, value);
}

static void
match_element(CfdwNode *parent, int64 index, CfdwSlice value)
{
	for (int i = 0; i < parent->count; i++)
		if (parent->children[i]->index == index)
			cfdw_node_match(parent->children[i], value);
}

void
cfdw_node_match(CfdwNode *node, CfdwSlice json)
{
	CfdwTokens tokens;
	CfdwSlice name = {NULL, 0};
	CfdwSlice value;

	forget_matches(node);
	node->value = json;
	if (node->count == 0 || (json.data[0] != '{' && json.data[0] != '['))
		return;

	cfdw_tokens_open(&tokens, json);
	for (int64 index = 0; cfdw_tokens_next(&tokens, &name, &value); index++)
	{
		if (!tokens.object)
			match_element(node, index, value);
		else if (cfdw_member_name(CurrentMemoryContext, &name))
			match_member(node, index, name, value);
	}
	if (tokens.malformed)
		ereport(ERROR,
				errcode(ERRCODE_INVALID_JSON_TEXT),
				errmsg("record is not valid JSON"));
}

CfdwSlice
cfdw_node_value(const CfdwNode *node, bool loose)
{
	const CfdwSlice missing = {NULL, 0};

	if (!loose && node->near.data != NULL)
		return missing;
	if (loose && node->rival.data != NULL)
		ereport(ERROR,
				errcode(ERRCODE_AMBIGUOUS_COLUMN),
				errmsg("both \"%.*s\" and \"%.*s\" could be \"%s\"",
					   (int) node->near.len, node->near.data, (int) node->rival.len, node->rival.data, node->name.data),
				errhint("Set the column's option \"path\"."));
	return node->value;
}
