/*
 * secret.c
 *	  The secrets that requests carry, and text without them.
 */
#include "secret.h"

#define MIN_BYTES      4
#define MIN_WORD_BYTES 8

typedef struct Spelling
{
	const char *text;
	size_t len;
	bool any_case; /* the digits of percent-encoding may be in any case */
} Spelling;

struct CfdwSecrets
{
	CfdwArena *arena;
	int count;
	int cap;
	Spelling *items;
};

CfdwSecrets *
cfdw_secrets_new(CfdwArena *arena)
{
	CfdwSecrets *secrets = cfdw_alloc(arena, sizeof(CfdwSecrets));

	secrets->arena = arena;
	return secrets;
}

static void
add_spelling(CfdwSecrets *secrets, const char *text, size_t len, bool any_case)
{
	if (len < MIN_BYTES)
		return;
	for (int i = 0; i < secrets->count; i++)
		if (secrets->items[i].len == len && memcmp(secrets->items[i].text, text, len) == 0)
			return;
	if (secrets->count == secrets->cap)
	{
		int cap = Max(8, 2 * secrets->cap);
		Spelling *items = cfdw_alloc(secrets->arena, sizeof(Spelling) * cap);

		if (secrets->count > 0)
			memcpy(items, secrets->items, sizeof(Spelling) * secrets->count);
		secrets->items = items;
		secrets->cap = cap;
	}
	secrets->items[secrets->count++] = (Spelling){cfdw_strndup(secrets->arena, text, len), len, any_case};
}

static bool
is_unreserved(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || (c != '\0' && strchr("-._~", c) != NULL);
}

/* Percent-encoded; a blank is "+" in a form. */
static void
add_encoded(CfdwSecrets *secrets, const char *text, bool form)
{
	static const char digits[] = "0123456789ABCDEF";
	CfdwBuf out;

	cfdw_buf_init(&out, secrets->arena);
	for (const char *c = text; *c != '\0'; c++)
	{
		if (is_unreserved(*c) || (form && *c == ' '))
			cfdw_buf_putc(&out, *c == ' ' ? '+' : *c);
		else
		{
			cfdw_buf_putc(&out, '%');
			cfdw_buf_putc(&out, digits[(unsigned char) *c >> 4]);
			cfdw_buf_putc(&out, digits[(unsigned char) *c & 15]);
		}
	}
	add_spelling(secrets, out.data, out.len, true);
}

/* As the inside of a JSON string; some writers escape "/" too. */
static void
add_quoted(CfdwSecrets *secrets, const char *text, const char *escaped)
{
	CfdwBuf out;

	cfdw_buf_init(&out, secrets->arena);
	for (const char *c = text; *c != '\0'; c++)
	{
		if (strchr(escaped, *c) != NULL)
			cfdw_buf_putc(&out, '\\');
		cfdw_buf_putc(&out, *c);
	}
	add_spelling(secrets, out.data, out.len, false);
}

static void
add_spellings(CfdwSecrets *secrets, const char *text)
{
	add_spelling(secrets, text, strlen(text), false);
	add_encoded(secrets, text, false);
	add_encoded(secrets, text, true);
	add_quoted(secrets, text, "\"\\");
	add_quoted(secrets, text, "\"\\/");
}

void
cfdw_secrets_add(CfdwSecrets *secrets, const char *text)
{
	const char *last_word;

	if (text == NULL)
		return;
	add_spellings(secrets, text);
	last_word = strrchr(text, ' ');
	if (last_word != NULL && strlen(last_word + 1) >= MIN_WORD_BYTES)
		add_spellings(secrets, last_word + 1);
}

/* The longest secret that begins at this place, or 0. */
static size_t
secret_at(const CfdwSecrets *secrets, const char *at, size_t left)
{
	size_t longest = 0;

	for (int i = 0; i < secrets->count; i++)
	{
		const Spelling *item = &secrets->items[i];

		if (item->len > longest && item->len <= left &&
			(item->any_case ? pg_strncasecmp(item->text, at, item->len) : memcmp(item->text, at, item->len)) == 0)
			longest = item->len;
	}
	return longest;
}

CfdwSlice
cfdw_secrets_mask(const CfdwSecrets *secrets, CfdwArena *arena, CfdwSlice text)
{
	bool found = false;
	size_t shown = 0; /* up to here it is in out */
	CfdwBuf out;

	if (secrets == NULL || secrets->count == 0)
		return text;
	cfdw_buf_init(&out, arena);
	for (size_t i = 0; i < text.len;)
	{
		size_t len = secret_at(secrets, text.data + i, text.len - i);

		if (len == 0)
		{
			i++;
			continue;
		}
		found = true;
		cfdw_buf_add(&out, text.data + shown, i - shown);
		cfdw_buf_puts(&out, "***");
		i += len;
		shown = i;
	}
	if (!found)
		return text;
	cfdw_buf_add(&out, text.data + shown, text.len - shown);
	return (CfdwSlice){out.data, out.len};
}

const char *
cfdw_secrets_mask_string(const CfdwSecrets *secrets, CfdwArena *arena, const char *text)
{
	/* both the text itself and what is made of it end with a NUL */
	return cfdw_secrets_mask(secrets, arena, (CfdwSlice){text, strlen(text)}).data;
}
