/*
 * secret_test.c
 *	  Text without secrets.
 */
#include "secret.h"
#include "unit.h"

static CfdwArena *arena;
static CfdwSecrets *secrets;

static const char *
mask(const char *text)
{
	return cfdw_secrets_mask_string(secrets, arena, text);
}

static void
test_mask(void)
{
	cfdw_secrets_add(secrets, "s3cret");
	cfdw_secrets_add(secrets, "Bot abc/d=\"e");
	cfdw_secrets_add(secrets, "abc");
	cfdw_secrets_add(secrets, "canary header");
	cfdw_secrets_add(secrets, "");
	cfdw_secrets_add(secrets, NULL);
	CHECK_STR(mask(""), "");
	CHECK_STR(mask("nothing abc s3cre 3cret"), "nothing abc s3cre 3cret");
	CHECK_STR(mask("s3cret"), "***");
	CHECK_STR(mask("<s3crets3cret> S3CRET s3s3cret"), "<******> S3CRET s3***");
	CHECK_STR(mask("Bot abc/d=\"e."), "***.");
	CHECK_STR(mask("bot abc/d=\"e."), "bot ***.");
	CHECK_STR(mask("x=abc%2Fd%3D%22e&y"), "x=***&y");
	CHECK_STR(mask("x=abc%2fd%3D%22e&y"), "x=***&y");
	CHECK_STR(mask("x=Bot%20abc%2Fd%3d%22e&y"), "x=***&y");
	CHECK_STR(mask("header words"), "header words");
	CHECK_STR(mask("canary header"), "***");
	CHECK_STR(mask("x=Bot+abc%2Fd%3D%22e&y"), "x=***&y");
	CHECK_STR(mask("x=Bot%20abc%2Fd%3D%22e&y"), "x=***&y");
	CHECK_STR(mask("{\"k\":\"abc/d=\\\"e\"}"), "{\"k\":\"***\"}");
	CHECK_STR(mask("{\"k\":\"abc\\/d=\\\"e\"}"), "{\"k\":\"***\"}");
}

/* The longest one counts, whatever the order. */
static void
test_longest(void)
{
	cfdw_secrets_add(secrets, "abcd");
	cfdw_secrets_add(secrets, "abcdefgh");
	cfdw_secrets_add(secrets, "abcdef");
	CHECK_STR(mask("abcd abcde abcdef abcdefg abcdefgh"), "*** ***e *** ***g ***");
}

/* Bytes that are no text, up to the end of a slice. */
static void
test_slice(void)
{
	static const char bytes[] = "a\0s3cret\0s3cre";
	CfdwSlice masked;

	cfdw_secrets_add(secrets, "s3cret");
	masked = cfdw_secrets_mask(secrets, arena, (CfdwSlice){bytes, sizeof(bytes) - 1});
	CHECK_INT(masked.len, 11);
	CHECK(memcmp(masked.data, "a\0***\0s3cre", 11) == 0);
	masked = cfdw_secrets_mask(secrets, arena, (CfdwSlice){bytes, 7});
	CHECK(masked.data == bytes && masked.len == 7);
	masked = cfdw_secrets_mask(NULL, arena, (CfdwSlice){bytes, sizeof(bytes) - 1});
	CHECK(masked.data == bytes);
}

static void
test_many(void)
{
	for (int i = 0; i < 100; i++)
		cfdw_secrets_add(secrets, cfdw_printf(arena, "secret/%03d", i));
	for (int i = 0; i < 100; i++)
	{
		CHECK_STR(mask(cfdw_printf(arena, "<secret/%03d>", i)), "<***>");
		CHECK_STR(mask(cfdw_printf(arena, "<secret%%2F%03d>", i)), "<***>");
	}
}

int
main(void)
{
	static void (*const tests[])(void) = {test_mask, test_longest, test_slice, test_many};

	for (int i = 0; i < lengthof(tests); i++)
	{
		arena = cfdw_arena_new(NULL, "test");
		secrets = cfdw_secrets_new(arena);
		tests[i]();
		cfdw_arena_free(arena);
	}
	return unit_done("secret");
}
