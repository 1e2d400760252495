/*
 * lexer.h
 *	  The server's JSON parser (common/jsonapi.h) as this extension uses it:
 *	  one face for its versions, names read from the raw text, and words for
 *	  its errors.
 *
 * Lexers here do not de-escape, so that they are fast, allocate nothing
 * while they run and pass lone surrogates and \u0000 on to whoever decodes.
 */
#ifndef CFDW_LEXER_H
#define CFDW_LEXER_H

#include "error.h"

#include "common/jsonapi.h"

/*
 * What an action returns.  From PostgreSQL 16 on it can stop the parser;
 * before, the lexer is told that its input ends here, which is an error to
 * the parser.
 */
#if PG_VERSION_NUM >= 160000
typedef JsonParseErrorType CfdwVerdict;
#define CFDW_GO_ON     JSON_SUCCESS
#define CFDW_HALT(lex) JSON_SEM_ACTION_FAILED
#else
typedef void CfdwVerdict;
#define CFDW_GO_ON     ((void) 0)
#define CFDW_HALT(lex) ((void) ((lex)->input_length = (int) ((lex)->token_terminator - (lex)->input)))
#endif

/* Before the first lexer on a body: no 2 GB, which is too much for it, and no NUL, which it takes behind a backslash. */
extern bool cfdw_lexer_check(CfdwSlice body, CfdwError *err);
/* The text has been checked, is a part of what has been, and lives longer. */
extern JsonLexContext *cfdw_lexer_new(CfdwSlice text);
extern void cfdw_lexer_free(JsonLexContext *lex);

/* Before the parser runs: make the document the current token (any scalar but null passes for a string). */
extern void cfdw_lexer_peek(JsonLexContext *lex);
/* Is the current token a bracket that opens? */
extern bool cfdw_lexer_at_container(const JsonLexContext *lex);
/* In object_field_start: the name of the member as the text has it, quotes included. */
extern CfdwSlice cfdw_lexer_name(const JsonLexContext *lex);

typedef enum CfdwUnescaped
{
	CFDW_UNESCAPED,
	CFDW_ESCAPED_NUL,      /* \u0000: no text can hold it */
	CFDW_ESCAPED_SURROGATE /* half of a surrogate pair */
} CfdwUnescaped;

/* De-escape the bytes between the quotes of a string that a lexer has passed into out, which holds as many; no terminator. */
extern CfdwUnescaped cfdw_unescape(CfdwSlice inner, char *out, size_t *len);

/* Names are JSON strings that a lexer has passed.  A lone surrogate is U+FFFD. */
extern bool cfdw_name_is(CfdwSlice quoted, const char *name, size_t len);
/* The name itself; a slice of quoted if it has no backslash. */
extern CfdwSlice cfdw_name_unescape(CfdwArena *arena, CfdwSlice quoted);
/* Append "/name" as a JSON Pointer writes it. */
extern void cfdw_name_to_pointer(CfdwBuf *buf, const char *name);

/* "an object", "a string" …, by the first byte of a value. */
extern const char *cfdw_lexer_kind(char first);
extern const char *cfdw_skip_blanks(const char *at, const char *end);
/* The text without blanks around it. */
extern CfdwSlice cfdw_trim_blanks(CfdwSlice text);
/* At most max bytes of a text for a message: one line, valid UTF-8, "..." if there is more. */
extern char *cfdw_excerpt(CfdwArena *arena, CfdwSlice text, size_t max);

/*
 * CFDW_ERR_CUT for text that is empty or cut, CFDW_ERR_JSON for all else that
 * the parser did not like: HTML, text behind the document, or what was
 * expected where.  text is what the
 * lexer was given, body the response that it is a part of; a line says which
 * part (0: all).
 */
extern bool cfdw_lexer_fail(CfdwArena *scratch, const JsonLexContext *lex, JsonParseErrorType code,
							CfdwSlice text, CfdwSlice body, int line, CfdwError *err);

/* For a HINT: JSON Pointers to the first arrays of a valid body, quoted, with commas between; "" if there are none. */
extern char *cfdw_lexer_arrays(CfdwArena *scratch, CfdwSlice body);

#endif /* CFDW_LEXER_H */
