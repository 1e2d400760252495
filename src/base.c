/*
 * base.c
 *	  Arenas over memory contexts (server) or malloc (plain programs), and
 *	  growing buffers.
 */
#include "base.h"

#ifdef FRONTEND

typedef struct Chunk
{
	struct Chunk *next;
	max_align_t memory[];
} Chunk;

typedef struct Callback
{
	struct Callback *next;
	void (*fn)(void *arg);
	void *arg;
} Callback;

struct CfdwArena
{
	CfdwArena *parent;
	CfdwArena *children;
	CfdwArena *sibling;
	Chunk *chunks;
	Callback *callbacks;
};

static void *
checked_calloc(size_t size)
{
	void *memory = calloc(1, size);

	if (memory == NULL)
	{
		fprintf(stderr, "out of memory\n");
		abort();
	}
	return memory;
}

CfdwArena *
cfdw_arena_new(CfdwArena *parent, const char *name)
{
	CfdwArena *arena = checked_calloc(sizeof(CfdwArena));

	(void) name;
	arena->parent = parent;
	if (parent != NULL)
	{
		arena->sibling = parent->children;
		parent->children = arena;
	}
	return arena;
}

void
cfdw_arena_reset(CfdwArena *arena)
{
	while (arena->children != NULL)
		cfdw_arena_free(arena->children);
	while (arena->callbacks != NULL)
	{
		Callback *callback = arena->callbacks;

		arena->callbacks = callback->next;
		callback->fn(callback->arg);
		free(callback);
	}
	while (arena->chunks != NULL)
	{
		Chunk *chunk = arena->chunks;

		arena->chunks = chunk->next;
		free(chunk);
	}
}

void
cfdw_arena_free(CfdwArena *arena)
{
	cfdw_arena_reset(arena);
	if (arena->parent != NULL)
	{
		CfdwArena **link = &arena->parent->children;

		while (*link != arena)
			link = &(*link)->sibling;
		*link = arena->sibling;
	}
	free(arena);
}

void
cfdw_arena_on_reset(CfdwArena *arena, void (*fn)(void *arg), void *arg)
{
	Callback *callback = checked_calloc(sizeof(Callback));

	callback->fn = fn;
	callback->arg = arg;
	callback->next = arena->callbacks;
	arena->callbacks = callback;
}

void *
cfdw_alloc(CfdwArena *arena, size_t size)
{
	Chunk *chunk = checked_calloc(sizeof(Chunk) + size);

	chunk->next = arena->chunks;
	arena->chunks = chunk;
	return chunk->memory;
}

#else /* in the server */

#include "utils/memutils.h"

CfdwArena *
cfdw_arena_new(CfdwArena *parent, const char *name)
{
	/* AllocSetContextCreate insists on a literal; all names here are string constants */
	return AllocSetContextCreateInternal(parent, name, ALLOCSET_DEFAULT_SIZES);
}

void
cfdw_arena_reset(CfdwArena *arena)
{
	MemoryContextReset(arena);
}

void
cfdw_arena_free(CfdwArena *arena)
{
	MemoryContextDelete(arena);
}

void
cfdw_arena_on_reset(CfdwArena *arena, void (*fn)(void *arg), void *arg)
{
	MemoryContextCallback *callback = MemoryContextAlloc(arena, sizeof(MemoryContextCallback));

	callback->func = fn;
	callback->arg = arg;
	MemoryContextRegisterResetCallback(arena, callback);
}

void *
cfdw_alloc(CfdwArena *arena, size_t size)
{
	return MemoryContextAllocZero(arena, size);
}

#endif

char *
cfdw_strndup(CfdwArena *arena, const char *s, size_t len)
{
	char *copy = cfdw_alloc(arena, len + 1);

	memcpy(copy, s, len);
	return copy;
}

char *
cfdw_strdup(CfdwArena *arena, const char *s)
{
	return cfdw_strndup(arena, s, strlen(s));
}

char *
cfdw_printf(CfdwArena *arena, const char *fmt, ...)
{
	va_list args;
	char *out;
	int len;

	va_start(args, fmt);
	len = vsnprintf(NULL, 0, fmt, args);
	va_end(args);
	out = cfdw_alloc(arena, (size_t) len + 1);
	va_start(args, fmt);
	vsnprintf(out, (size_t) len + 1, fmt, args);
	va_end(args);
	return out;
}

void
cfdw_buf_init(CfdwBuf *buf, CfdwArena *arena)
{
	buf->arena = arena;
	buf->cap = 128;
	buf->len = 0;
	buf->data = cfdw_alloc(arena, buf->cap);
}

void
cfdw_buf_add(CfdwBuf *buf, const char *data, size_t len)
{
	if (buf->len + len + 1 > buf->cap)
	{
		size_t cap = Max(buf->cap * 2, buf->len + len + 1);
		char *bigger = cfdw_alloc(buf->arena, cap);

		memcpy(bigger, buf->data, buf->len);
		buf->data = bigger;
		buf->cap = cap;
	}
	if (len > 0)
		memcpy(buf->data + buf->len, data, len);
	buf->len += len;
	buf->data[buf->len] = '\0';
}

void
cfdw_buf_puts(CfdwBuf *buf, const char *s)
{
	cfdw_buf_add(buf, s, strlen(s));
}

void
cfdw_buf_putc(CfdwBuf *buf, char c)
{
	cfdw_buf_add(buf, &c, 1);
}
