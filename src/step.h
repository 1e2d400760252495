/*
 * step.h
 *	  Where a page is asked (a step), and what a walk asks with every page (a
 *	  question).
 */
#ifndef CFDW_STEP_H
#define CFDW_STEP_H

#include "error.h"

/* Where a page is asked. */
typedef enum CfdwStepKind
{
	CFDW_STEP_FIRST,  /* the walk's first request */
	CFDW_STEP_CURSOR, /* cursor, header_cursor, keyset */
	CFDW_STEP_URL,    /* next_url, link_header; absolute, without the secret parameter */
	CFDW_STEP_NUMBER  /* offset, page_number */
} CfdwStepKind;

typedef struct CfdwStep
{
	CfdwStepKind kind;
	const char *text; /* CURSOR: JSON text of the value; URL: the URL */
	int64 number;     /* NUMBER */
} CfdwStep;

/* What a walk asks with every request that is built here; a URL from a response has it already. */
typedef struct CfdwQuestion
{
	const char *since;      /* {since}, timestamp_param; NULL: none */
	const char *until;      /* {until}, until_param; NULL: none */
	bool numeric;           /* the two are JSON numbers */
	const char *sync_token; /* {sync_token}, sync_token_param: JSON text of the token; NULL: none */
} CfdwQuestion;

/* A cursor, given as JSON text, as the text that fills {cursor}; NULL for null.  A number keeps its digits. */
extern bool cfdw_step_cursor_text(CfdwArena *arena, const char *json, char **out, CfdwError *err);

extern CfdwQuestion cfdw_question_copy(CfdwArena *arena, const CfdwQuestion *question);
extern bool cfdw_question_equal(const CfdwQuestion *a, const CfdwQuestion *b);

extern CfdwStep cfdw_step_copy(CfdwArena *arena, const CfdwStep *step);
extern bool cfdw_step_equal(const CfdwStep *a, const CfdwStep *b);

#endif /* CFDW_STEP_H */
