/*
 * keys.c
 *	  A set of keys over the server's simplehash.
 */
#include "keys.h"

#include "common/hashfn.h"

typedef struct KeyEntry
{
	const char *key;
	uint32 hash;
	int tally;
	char status;
} KeyEntry;

#define SH_PREFIX          keyhash
#define SH_ELEMENT_TYPE    KeyEntry
#define SH_KEY_TYPE        const char *
#define SH_KEY             key
#define SH_HASH_KEY(tb, k) string_hash(k, SIZE_MAX)
#define SH_EQUAL(tb, a, b) (strcmp(a, b) == 0)
#define SH_STORE_HASH
#define SH_GET_HASH(tb, a) (a)->hash
#define SH_SCOPE           static inline
#ifdef FRONTEND
#include "common/fe_memutils.h"
#include "common/logging.h"
#define SH_RAW_ALLOCATOR pg_malloc0
#endif
#define SH_DECLARE
#define SH_DEFINE
#include "lib/simplehash.h"

struct CfdwKeys
{
	CfdwArena *arena; /* of this set alone: the table and the keys */
	keyhash_hash *table;
};

#ifdef FRONTEND
static void
destroy_table(void *arg)
{
	keyhash_destroy(arg);
}
#endif

static void
create_table(CfdwKeys *keys)
{
#ifdef FRONTEND
	keys->table = keyhash_create(64, NULL);
	cfdw_arena_on_reset(keys->arena, destroy_table, keys->table);
#else
	keys->table = keyhash_create(keys->arena, 64, NULL);
#endif
}

CfdwKeys *
cfdw_keys_new(CfdwArena *arena)
{
	CfdwKeys *keys = cfdw_alloc(arena, sizeof(CfdwKeys));

	keys->arena = cfdw_arena_new(arena, "checkpoint_fdw keys");
	create_table(keys);
	return keys;
}

bool
cfdw_keys_add(CfdwKeys *keys, const char *key)
{
	bool found;
	KeyEntry *entry = keyhash_insert(keys->table, key, &found);

	if (!found)
	{
		entry->key = cfdw_strdup(keys->arena, key);
		entry->tally = 0;
	}
	return !found;
}

int
cfdw_keys_tally(CfdwKeys *keys, const char *key)
{
	cfdw_keys_add(keys, key);
	return ++keyhash_lookup(keys->table, key)->tally;
}

bool
cfdw_keys_has(const CfdwKeys *keys, const char *key)
{
	return keyhash_lookup(keys->table, key) != NULL;
}

int
cfdw_keys_count(const CfdwKeys *keys)
{
	return (int) keys->table->members;
}

void
cfdw_keys_clear(CfdwKeys *keys)
{
	cfdw_arena_reset(keys->arena);
	create_table(keys);
}

void
cfdw_keys_each(CfdwKeys *keys, void (*fn)(const char *key, void *arg), void *arg)
{
	keyhash_iterator iterator;
	KeyEntry *entry;

	keyhash_start_iterate(keys->table, &iterator);
	while ((entry = keyhash_iterate(keys->table, &iterator)) != NULL)
		fn(entry->key, arg);
}
