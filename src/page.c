/*
 * page.c
 *	  Where the records of a body start and end, found by the server's own
 *	  JSON parser in one walk.
 *
 * The parser calls back at each member and each element.  lex_level, the
 * number of containers around it, tells almost always that it is of no
 * concern: only the children of one container are (Walk.open), the deepest
 * that the records path has led into so far.  No scalar callback is set, so
 * the parser allocates nothing.
 *
 * What the path leads to is noted as targets (an array of records, a single
 * record, or neither); records, envelope and errors follow from that list.
 */
#include "page.h"
#include "lexer.h"

#ifdef FRONTEND
#define SCRATCH_PARENT NULL
#else
#define SCRATCH_PARENT CurrentMemoryContext
#endif

#define MAX_ITEMS 10000000 /* records, and values that a wildcard led to */

typedef enum TargetKind
{
	TARGET_ARRAY,   /* its elements are records */
	TARGET_SINGLE,  /* is a record */
	TARGET_NOTHING, /* null, or nothing for a wildcard to match: no records */
	TARGET_SCALAR   /* no place for records: an error */
} TargetKind;

/* A value that the records path led to. */
typedef struct Target
{
	TargetKind kind;
	bool dropped; /* a later member of the same name took its place */
	int count;    /* of its records */
	const char *start;
	const char *end;
	CfdwSlice key; /* of its records */
} Target;

/* A member on the path, kept to find those that a later one replaces. */
typedef struct Member
{
	const char *object; /* where its object starts */
	CfdwSlice name;
	int order;
	int first; /* targets [first, last) are inside */
	int last;
} Member;

/* A container on the path. */
typedef struct Level
{
	const char *start;
	CfdwSlice key; /* the open member, if a wildcard matched it */
	int member;    /* the last that matched, or -1 */
} Level;

typedef struct Walk
{
	JsonLexContext *lex;
	CfdwArena *scratch;
	const CfdwPointer *path;
	bool plain;        /* the value at its end is wanted, whatever it is */
	int open;          /* lex_level of the children of concern; -1: none are */
	bool in_array;     /* they are records */
	bool in_single;    /* one of them, now open, is a record */
	int64 index;       /* of the next element */
	const char *start; /* of the record that is open */
	Level *levels;
	Target *targets;
	int ntargets;
	Member *members;
	int nmembers;
	CfdwSlice *records;
	int nrecords;
	bool too_deep;
	bool too_many;
} Walk;

static const CfdwSlice no_name = {NULL, 0};

/* Does the path go on into this member (or, without a name, element)? */
static bool
segment_takes(const CfdwSegment *segment, CfdwSlice quoted, int64 index)
{
	if (segment->wildcard)
		return true;
	if (quoted.data == NULL)
		return segment->index == index;
	return cfdw_name_is(quoted, segment->name, segment->len);
}

/* ---- the walk ---- */

/* Room for one item more: the array doubles whenever its count is a power of two. */
static void *
room(CfdwArena *arena, void *items, int count, size_t size)
{
	void *bigger;

	if (count < 16 ? count > 0 : (count & (count - 1)) != 0)
		return items;
	bigger = cfdw_alloc(arena, size * Max(16, (size_t) count * 2));
	if (count > 0)
		memcpy(bigger, items, size * (size_t) count);
	return bigger;
}

static void
add_record(Walk *walk, const char *start, const char *end)
{
	walk->records = room(walk->scratch, walk->records, walk->nrecords, sizeof(CfdwSlice));
	walk->records[walk->nrecords++] = (CfdwSlice){start, end - start};
	walk->targets[walk->ntargets - 1].count++;
}

/* The innermost member that a wildcard matched in the first so many steps. */
static CfdwSlice
key_of(const Walk *walk, int steps)
{
	while (--steps >= 0)
	{
		if (walk->levels[steps].key.data != NULL)
			return walk->levels[steps].key;
	}
	return no_name;
}

static void
add_target(Walk *walk, TargetKind kind, int steps)
{
	walk->targets = room(walk->scratch, walk->targets, walk->ntargets, sizeof(Target));
	walk->targets[walk->ntargets++] = (Target){.kind = kind, .start = walk->lex->token_start, .key = key_of(walk, steps)};
	walk->in_array = kind == TARGET_ARRAY;
	walk->in_single = kind == TARGET_SINGLE;
}

static void
add_member(Walk *walk, Level *level, CfdwSlice quoted)
{
	Member member = {.object = level->start, .order = walk->nmembers, .first = walk->ntargets, .last = walk->ntargets};

	member.name = cfdw_name_unescape(walk->scratch, quoted);
	walk->members = room(walk->scratch, walk->members, walk->nmembers, sizeof(Member));
	walk->members[walk->nmembers] = member;
	level->member = walk->nmembers++;
}

/* From now on the children of the current value are those of concern. */
static void
descend(Walk *walk, int steps)
{
	walk->levels[steps] = (Level){.start = walk->lex->token_start, .member = -1};
	walk->open = steps + 1;
	walk->index = 0;
}

static bool
is_empty_container(const JsonLexContext *lex)
{
	const char *end = lex->input + lex->input_length;
	const char *at = cfdw_skip_blanks(lex->token_start + 1, end);

	return at < end && (*at == ']' || *at == '}');
}

/* The current value is where the first so many steps of the path lead. */
static void
reach(Walk *walk, int steps)
{
	const JsonLexContext *lex = walk->lex;
	const CfdwPointer *path = walk->path;
	int left = path->count - steps;
	bool next_each = left > 0 && path->segments[steps].wildcard;
	bool each = path->count > 0 && path->segments[path->count - 1].wildcard;

	if (left == 0 && (each || walk->plain || lex->token_type == JSON_TOKEN_OBJECT_START))
		add_target(walk, TARGET_SINGLE, steps);
	else if (lex->token_type == JSON_TOKEN_ARRAY_START && left == (each ? 1 : 0))
	{
		descend(walk, steps);
		add_target(walk, TARGET_ARRAY, steps);
	}
	else if (cfdw_lexer_at_container(lex))
	{
		descend(walk, steps);
		if (next_each && is_empty_container(lex))
			add_target(walk, TARGET_NOTHING, steps);
	}
	else if (left == 0 || next_each)
		add_target(walk, lex->token_type == JSON_TOKEN_NULL ? TARGET_NOTHING : TARGET_SCALAR, steps);
}

/* A child of concern starts: a record, a step on the path, or neither. */
static bool
enter(Walk *walk, CfdwSlice quoted)
{
	int steps = walk->open;
	Level *level = &walk->levels[steps - 1];
	const CfdwSegment *segment;

	walk->too_many = Max(walk->nrecords, Max(walk->ntargets, walk->nmembers)) >= MAX_ITEMS;
	if (walk->too_many)
		return false;
	if (walk->in_array)
	{
		walk->start = walk->lex->token_start;
		return true;
	}
	segment = &walk->path->segments[steps - 1];
	if (!segment_takes(segment, quoted, walk->index++))
		return true;
	level->key = segment->wildcard ? quoted : no_name;
	if (quoted.data != NULL)
		add_member(walk, level, quoted);
	reach(walk, steps);
	return true;
}

/* The container of the children of concern has ended; it was itself one. */
static void
ascend(Walk *walk, const char *end)
{
	if (walk->in_array)
		walk->targets[walk->ntargets - 1].end = end;
	walk->in_array = false;
	walk->open--;
	walk->index = PG_INT64_MIN; /* if in an array: no later element has the index asked for */
}

static void
leave(Walk *walk)
{
	const char *end = walk->lex->prev_token_terminator;
	Level *level;

	if (walk->lex->lex_level < walk->open)
		ascend(walk, end);
	else if (walk->in_array)
	{
		add_record(walk, walk->start, end);
		return;
	}
	else if (walk->in_single)
	{
		Target *target = &walk->targets[walk->ntargets - 1];

		add_record(walk, target->start, end);
		target->end = end;
		walk->in_single = false;
	}
	if (walk->open == 0)
		return;
	level = &walk->levels[walk->open - 1];
	if (level->member >= 0)
		walk->members[level->member].last = walk->ntargets;
}

static bool
is_too_deep(Walk *walk)
{
	/* it stays: before PostgreSQL 16 the parser calls once more on its way out */
	walk->too_deep |= walk->lex->lex_level >= CFDW_MAX_DEPTH && cfdw_lexer_at_container(walk->lex);
	return walk->too_deep;
}

static CfdwVerdict
element_start(void *state, bool isnull)
{
	Walk *walk = state;

	if (is_too_deep(walk) || (walk->lex->lex_level == walk->open && !enter(walk, no_name)))
		return CFDW_HALT(walk->lex);
	return CFDW_GO_ON;
}

static CfdwVerdict
member_start(void *state, char *fname, bool isnull)
{
	Walk *walk = state;

	if (is_too_deep(walk) || (walk->lex->lex_level == walk->open && !enter(walk, cfdw_lexer_name(walk->lex))))
		return CFDW_HALT(walk->lex);
	return CFDW_GO_ON;
}

static CfdwVerdict
element_end(void *state, bool isnull)
{
	Walk *walk = state;

	if (walk->lex->lex_level <= walk->open)
		leave(walk);
	return CFDW_GO_ON;
}

static CfdwVerdict
member_end(void *state, char *fname, bool isnull)
{
	return element_end(state, isnull);
}

/* Parse one document; line is 0 or its number in the body. */
static bool
run_parser(Walk *walk, CfdwSlice text, CfdwSlice body, int line, CfdwError *err)
{
	JsonSemAction actions = {.semstate = walk, .object_field_start = member_start, .object_field_end = member_end, .array_element_start = element_start, .array_element_end = element_end};
	JsonParseErrorType code = pg_parse_json(walk->lex, &actions);

	if (walk->too_deep)
		return cfdw_fail(err, CFDW_ERR_LIMIT, "response body is nested more than %d levels deep", CFDW_MAX_DEPTH);
	if (walk->too_many)
		return cfdw_fail(err, CFDW_ERR_LIMIT, "response body has more than %d records", MAX_ITEMS);
	return code == JSON_SUCCESS || cfdw_lexer_fail(walk->scratch, walk->lex, code, text, body, line, err);
}

/* ---- from the targets to the page ---- */

static bool
same_member(const Member *a, const Member *b)
{
	return a->object == b->object && a->name.len == b->name.len && memcmp(a->name.data, b->name.data, a->name.len) == 0;
}

/* Equal members side by side, in the order of the text. */
static int
compare_members(const void *left, const void *right)
{
	const Member *a = left;
	const Member *b = right;
	int order;

	if (a->object != b->object)
		return a->object < b->object ? -1 : 1;
	if (a->name.len != b->name.len)
		return a->name.len < b->name.len ? -1 : 1;
	order = memcmp(a->name.data, b->name.data, a->name.len);
	return order != 0 ? order : a->order - b->order;
}

/* Of duplicate members the last wins: drop what was found in the others. */
static void
drop_replaced(Walk *walk)
{
	if (walk->nmembers > 1)
		qsort(walk->members, walk->nmembers, sizeof(Member), compare_members);
	for (int i = 0; i + 1 < walk->nmembers; i++)
	{
		const Member *member = &walk->members[i];

		if (!same_member(member, member + 1))
			continue;
		for (int t = member->first; t < member->last; t++)
			walk->targets[t].dropped = true;
	}
}

static void
cut_envelope(const Walk *walk, CfdwArena *arena, CfdwPage *page)
{
	const char *at = page->body.data;
	CfdwBuf buf;

	cfdw_buf_init(&buf, arena);
	for (int i = 0; i < walk->ntargets; i++)
	{
		const Target *target = &walk->targets[i];

		if (target->end == NULL)
			continue;
		cfdw_buf_add(&buf, at, target->start - at);
		cfdw_buf_puts(&buf, target->kind == TARGET_ARRAY ? "[]" : "null");
		at = target->end;
	}
	cfdw_buf_add(&buf, at, page->body.data + page->body.len - at);
	page->envelope = buf.data;
	page->envelope_len = buf.len;
}

static void
take_records(const Walk *walk, CfdwArena *arena, CfdwPage *page)
{
	const CfdwSlice *record = walk->records;

	page->records = cfdw_alloc(arena, sizeof(CfdwSlice) * Max(walk->nrecords, 1));
	page->keys = cfdw_alloc(arena, sizeof(CfdwSlice) * Max(walk->nrecords, 1));
	for (int t = 0; t < walk->ntargets; t++)
	{
		const Target *target = &walk->targets[t];

		for (int i = 0; i < target->count; i++, record++)
		{
			if (target->dropped)
				continue;
			page->records[page->count] = *record;
			page->keys[page->count++] = target->key;
		}
	}
}

/* ---- errors of shape ---- */

static char *
path_text(CfdwArena *scratch, const CfdwPointer *path)
{
	CfdwBuf buf;

	cfdw_buf_init(&buf, scratch);
	for (int i = 0; i < path->count; i++)
		cfdw_name_to_pointer(&buf, path->segments[i].name);
	return buf.data;
}

static bool
fail_no_array(CfdwArena *scratch, CfdwSlice body, CfdwError *err)
{
	CfdwSlice text = cfdw_trim_blanks(body);
	char *arrays = cfdw_lexer_arrays(scratch, body);

	cfdw_fail(err, CFDW_ERR_SHAPE, "response body is %s, not an array of records", cfdw_lexer_kind(*text.data));
	cfdw_detail(err, "It starts with: %s", cfdw_excerpt(scratch, text, 200));
	if (*arrays != '\0')
		cfdw_hint(err, "Set records_path to where the records are. The body has arrays at %s.", arrays);
	else if (*text.data == '{')
		cfdw_hint(err, "If the body is one record itself, set records_path to ''.");
	return false;
}

static bool
fail_missing(CfdwArena *scratch, const CfdwPointer *path, CfdwSlice body, CfdwError *err)
{
	CfdwSlice text = cfdw_trim_blanks(body);
	char *arrays = cfdw_lexer_arrays(scratch, body);

	cfdw_fail(err, CFDW_ERR_MISSING, "response body has nothing at records_path \"%s\"", path_text(scratch, path));
	cfdw_detail(err, "It starts with: %s", cfdw_excerpt(scratch, text, 200));
	if (*text.data == '[')
		cfdw_hint(err, "The body is an array itself. If its elements are the records, drop records_path.");
	else if (*arrays != '\0')
		cfdw_hint(err, "The body has arrays at %s. If the API leaves the member out when there are no records, set on_missing_records to 'empty'.", arrays);
	else
		cfdw_hint(err, "If the API leaves the member out when there are no records, set on_missing_records to 'empty'.");
	return false;
}

static bool
fail_scalar(CfdwArena *scratch, const CfdwPointer *path, CfdwSlice body, const Target *target, CfdwError *err)
{
	CfdwSlice rest = {target->start, body.data + body.len - target->start};

	cfdw_fail(err, CFDW_ERR_SHAPE, "records_path \"%s\" leads to %s, not to records", path_text(scratch, path), cfdw_lexer_kind(*target->start));
	cfdw_detail(err, "The text there is: %s", cfdw_excerpt(scratch, rest, 60));
	return false;
}

static bool
check_targets(const Walk *walk, const CfdwPageSpec *spec, CfdwSlice body, CfdwError *err)
{
	bool any = false;

	if (!spec->has_path && (walk->ntargets == 0 || walk->targets[0].kind != TARGET_ARRAY))
		return fail_no_array(walk->scratch, body, err);
	for (int i = 0; i < walk->ntargets; i++)
	{
		const Target *target = &walk->targets[i];

		if (!target->dropped && target->kind == TARGET_SCALAR)
			return fail_scalar(walk->scratch, walk->path, body, target, err);
		any |= !target->dropped;
	}
	return any || spec->missing_is_empty || fail_missing(walk->scratch, walk->path, body, err);
}

/* ---- the contract ---- */

static bool
walk_document(Walk *walk, CfdwSlice body, CfdwError *err)
{
	CfdwSlice text = cfdw_trim_blanks(body);
	bool ok;

	walk->levels = cfdw_alloc(walk->scratch, sizeof(Level) * ((size_t) walk->path->count + 1));
	walk->lex = cfdw_lexer_new(text);
	cfdw_lexer_peek(walk->lex); /* the parser does not call back for the document itself */
	reach(walk, 0);
	ok = run_parser(walk, text, body, 0, err);
	if (ok)
		leave(walk);
	cfdw_lexer_free(walk->lex);
	return ok;
}

static bool
parse_document(CfdwArena *arena, CfdwArena *scratch, const CfdwPageSpec *spec, CfdwPage *page, CfdwError *err)
{
	static const CfdwPointer whole = {0};
	Walk walk = {.scratch = scratch, .path = spec->has_path ? &spec->records_path : &whole};

	if (!walk_document(&walk, page->body, err))
		return false;
	drop_replaced(&walk);
	if (!check_targets(&walk, spec, page->body, err))
		return false;
	take_records(&walk, arena, page);
	cut_envelope(&walk, arena, page);
	return true;
}

static bool
parse_line(Walk *walk, CfdwSlice line, CfdwSlice body, int number, CfdwError *err)
{
	bool ok;

	walk->lex = cfdw_lexer_new(line);
	ok = run_parser(walk, line, body, number, err);
	cfdw_lexer_free(walk->lex);
	if (ok)
		add_record(walk, line.data, line.data + line.len);
	return ok;
}

static bool
parse_lines(CfdwArena *arena, CfdwArena *scratch, CfdwPage *page, CfdwError *err)
{
	const char *end = page->body.data + page->body.len;
	const char *next;
	int number = 1;
	Target all = {.kind = TARGET_ARRAY};
	Walk walk = {.scratch = scratch, .open = -1, .targets = &all, .ntargets = 1};

	for (const char *at = page->body.data; at < end; at = next, number++)
	{
		const char *stop = memchr(at, '\n', end - at);
		CfdwSlice line;

		next = stop != NULL ? stop + 1 : end;
		if (stop == NULL)
			stop = end;
		line = cfdw_trim_blanks((CfdwSlice){at, stop - at});
		walk.too_many = walk.nrecords >= MAX_ITEMS;
		if (line.len > 0 && !parse_line(&walk, line, page->body, number, err))
			return false;
	}
	take_records(&walk, arena, page);
	page->envelope = cfdw_strdup(arena, "null");
	page->envelope_len = strlen(page->envelope);
	return true;
}

bool
cfdw_page_parse(CfdwArena *arena, const CfdwPageSpec *spec, CfdwSlice body, CfdwPage *out, CfdwError *err)
{
	CfdwArena *scratch;
	bool ok;

	memset(out, 0, sizeof(*out));
	if (body.len >= 3 && memcmp(body.data, "\xef\xbb\xbf", 3) == 0)
	{
		body.data += 3;
		body.len -= 3;
	}
	out->body = body;
	if (!cfdw_lexer_check(body, err))
		return false;
	if (!spec->ndjson && cfdw_trim_blanks(body).len == 0)
		return cfdw_fail(err, CFDW_ERR_CUT, "response body is empty");
	scratch = cfdw_arena_new(arena, "checkpoint_fdw page");
	ok = spec->ndjson ? parse_lines(arena, scratch, out, err) : parse_document(arena, scratch, spec, out, err);
	cfdw_arena_free(scratch);
	return ok;
}

bool
cfdw_page_find(CfdwSlice record, const CfdwPointer *pointer, CfdwSlice *out)
{
	CfdwArena *scratch = cfdw_arena_new(SCRATCH_PARENT, "checkpoint_fdw find");
	Walk walk = {.scratch = scratch, .path = pointer, .plain = true};
	CfdwError ignored;

	*out = no_name;
	if (cfdw_lexer_check(record, &ignored) && walk_document(&walk, record, &ignored))
	{
		drop_replaced(&walk);
		for (int i = 0; i < walk.ntargets; i++)
		{
			if (!walk.targets[i].dropped)
				*out = (CfdwSlice){walk.targets[i].start, walk.targets[i].end - walk.targets[i].start};
		}
	}
	cfdw_arena_free(scratch);
	return out->data != NULL;
}
