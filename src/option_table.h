/*
 * option_table.h
 *	  The one table of options, and how it is searched.  Filling structs,
 *	  checking values, listing and hints all walk it.
 */
#ifndef CFDW_OPTION_TABLE_H
#define CFDW_OPTION_TABLE_H

#include "option.h"

typedef enum CfdwOptionPlace
{
	CFDW_PLACE_SERVER,
	CFDW_PLACE_MAPPING,
	CFDW_PLACE_TABLE,
	CFDW_PLACE_COLUMN
} CfdwOptionPlace;

#define CFDW_PLACE_COUNT (CFDW_PLACE_COLUMN + 1)

/* What a value looks like, and with it the type of its field. */
typedef enum CfdwOptionKind
{
	CFDW_KIND_TEXT,        /* char *: anything */
	CFDW_KIND_LINE,        /* char *: no control characters (part of a header) */
	CFDW_KIND_HEADER_NAME, /* char *: RFC 9110 token */
	CFDW_KIND_WORD,        /* char *: one of words */
	CFDW_KIND_PATH,        /* char *: JSON pointer or SQL/JSON path */
	CFDW_KIND_FLAG,        /* char *: a path, "!" before it inverts */
	CFDW_KIND_POINTER,     /* char *: JSON pointer, "*" allowed */
	CFDW_KIND_BASE_URL,    /* char *: http or https, without parameters */
	CFDW_KIND_URL,         /* char *: http or https */
	CFDW_KIND_FILE,        /* char *: absolute path on the database server */
	CFDW_KIND_ENDPOINT,    /* char *: path and query of a URL, template */
	CFDW_KIND_QUERY,       /* char *: query string as a person writes it, template */
	CFDW_KIND_PARAM,       /* char *: name of a placeholder that is not a built-in one */
	CFDW_KIND_HEADERS,     /* char *: JSON object of strings */
	CFDW_KIND_FORMAT,      /* char *: one of words, or a to_char pattern */
	CFDW_KIND_TIMEZONE,    /* char *: name of a time zone */
	CFDW_KIND_SPAN,        /* char *: an interval without months of at least min microseconds; or an integer */
	CFDW_KIND_ORIGINS,     /* char *: same, rewrite, or a list of origins */
	CFDW_KIND_STATUSES,    /* char *: HTTP statuses with commas between them */
	CFDW_KIND_ENUM,        /* number: value of one of words */
	CFDW_KIND_BOOL,        /* number */
	CFDW_KIND_INTEGER,     /* number from min to max */
	CFDW_KIND_DURATION,    /* number of milliseconds from min to max; a plain number is seconds */
	CFDW_KIND_SIZE         /* number of bytes from min to max */
} CfdwOptionKind;

typedef struct CfdwOptionWord
{
	const char *word; /* NULL: end of the list */
	int value;
} CfdwOptionWord;

typedef struct CfdwOptionDef
{
	const char *name;
	CfdwOptionPlace place;
	CfdwOptionKind kind;
	size_t offset; /* into CfdwOptions, at column CfdwColumnOptions */
	size_t size;   /* of the field */
	const CfdwOptionWord *words;
	int64 min;
	int64 max;
	const char *default_text; /* NULL: none */
	bool required;
	bool secret;                /* only in a user mapping, and never shown */
	bool superuser;             /* only superusers may set it: it makes the server read a file, or talk to somebody else */
	bool may_be_empty;          /* '' is a value */
	CfdwPaginationKind implies; /* what it makes of pagination, if that is not given */
	int fits;                   /* kinds of pagination it works with, a bit each; 0: it does not depend */
	bool in_fingerprint;        /* gives a position its meaning */
	const char *help;
} CfdwOptionDef;

#define CFDW_PAGINATION_BIT(kind) (1 << (kind))

/* pagination and checkpoint while nobody has given or inferred them; between parsing and checking only */
#define CFDW_PAGINATION_UNKNOWN (-1)
#define CFDW_MODE_UNKNOWN       (-1)

extern const CfdwOptionDef cfdw_option_table[];
extern const int cfdw_option_count;
extern const CfdwOptionWord cfdw_pagination_words[];
extern const CfdwOptionWord cfdw_format_words[];

/* "server", "user mapping", "table", "column" */
extern const char *cfdw_place_name(CfdwOptionPlace place);

/* The option of this name at this place; raises, with a hint, if there is none. */
extern const CfdwOptionDef *cfdw_option_find(CfdwOptionPlace place, const char *name);
/* The same without raising: NULL. */
extern const CfdwOptionDef *cfdw_option_lookup(CfdwOptionPlace place, const char *name);

/* The word of a value, the entry of a word (any case, NULL: none), all words: "a, b, c". */
extern const char *cfdw_word_of(const CfdwOptionWord *words, int value);
extern const CfdwOptionWord *cfdw_word_find(const CfdwOptionWord *words, const char *text);
extern char *cfdw_words_listed(const CfdwOptionWord *words);

/*
 * The candidate nearest to a misspelt word: feed all candidates, then read
 * best (NULL: none is near).
 */
typedef struct CfdwNearest
{
	const char *wanted;
	const char *best;
	int distance; /* of best, or the first that is too far */
} CfdwNearest;

extern CfdwNearest cfdw_nearest_to(const char *wanted);
extern void cfdw_nearest_feed(CfdwNearest *nearest, const char *candidate);

#endif /* CFDW_OPTION_TABLE_H */
