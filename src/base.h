/*
 * base.h
 *	  The ground below every module: one include for backend and frontend,
 *	  arenas (lifetimes), slices and growing buffers.
 *
 * Everything below the layer line (see README.md) is written against this
 * file alone, so that the same source is a part of the server and, compiled
 * with -DFRONTEND, a plain program under sanitizers.
 *
 * An arena is a lifetime: in the server it is a memory context, outside a
 * list of malloc'ed chunks.  Memory is never freed one piece at a time; the
 * arena is reset or freed as a whole.  What libcurl or json-c allocate is
 * tied to an arena by cfdw_arena_on_reset, because EndForeignScan is not
 * called when a statement fails.
 */
#ifndef CFDW_BASE_H
#define CFDW_BASE_H

#ifdef FRONTEND
#include "postgres_fe.h"
typedef struct CfdwArena CfdwArena;
#else
#include "postgres.h"
#include "utils/palloc.h"
typedef struct MemoryContextData CfdwArena;
#endif

#if PG_VERSION_NUM >= 180000 && !defined(pg_attribute_noreturn)
#define pg_attribute_noreturn() __attribute__((noreturn))
#endif

/* Create an arena below parent (NULL outside the server: a root).  name must be a string constant. */
extern CfdwArena *cfdw_arena_new(CfdwArena *parent, const char *name);
/* Run the reset callbacks, newest first, then give back all memory of the arena and its children. */
extern void cfdw_arena_reset(CfdwArena *arena);
/* As reset, and the arena itself is gone. */
extern void cfdw_arena_free(CfdwArena *arena);
/* Call fn(arg) once, at the next reset or free of the arena.  fn must not fail. */
extern void cfdw_arena_on_reset(CfdwArena *arena, void (*fn)(void *arg), void *arg);

/* Zeroed memory.  Never returns NULL: out of memory is raised by the server, outside it the program ends. */
extern void *cfdw_alloc(CfdwArena *arena, size_t size);
extern char *cfdw_strdup(CfdwArena *arena, const char *s);
extern char *cfdw_strndup(CfdwArena *arena, const char *s, size_t len);
extern char *cfdw_printf(CfdwArena *arena, const char *fmt, ...) pg_attribute_printf(2, 3);

/* Bytes that somebody else owns; not terminated. */
typedef struct CfdwSlice
{
	const char *data;
	size_t len;
} CfdwSlice;

/* A growing string, always terminated by a NUL beyond len. */
typedef struct CfdwBuf
{
	CfdwArena *arena;
	char *data;
	size_t len;
	size_t cap;
} CfdwBuf;

extern void cfdw_buf_init(CfdwBuf *buf, CfdwArena *arena);
extern void cfdw_buf_add(CfdwBuf *buf, const char *data, size_t len);
extern void cfdw_buf_puts(CfdwBuf *buf, const char *s);
extern void cfdw_buf_putc(CfdwBuf *buf, char c);

#endif /* CFDW_BASE_H */
