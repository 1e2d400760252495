/*
 * url_mask_test.c
 *	  What messages show of a URL: no secret, on one printable line.
 */
#include "url.h"
#include "unit.h"

static CfdwArena *arena;

static void
test_mask(void)
{
	static const struct
	{
		const char *url;
		const char *secret;
		const char *masked;
	} cases[] = {
		{"https://h/x?a=1&b=2", NULL, "https://h/x?a=1&b=2"},
		{"https://h/x?apiKey=s&a=1", NULL, "https://h/x?apiKey=***&a=1"},
		{"https://h/x?a=1&k=s&k=t", "k", "https://h/x?a=1&k=***&k=***"},
		{"https://h/x?a=1&K=s", "k", "https://h/x?a=1&K=***"},
		{"https://h/x?a=1&my%2Dkey=s", "my-key", "https://h/x?a=1&my%2Dkey=***"},
		{"https://h/x?%C3%BC=s", "\xC3\xBC", "https://h/x?%C3%BC=***"},
		{"https://h/x?ks=1&k2=1", "k", "https://h/x?ks=1&k2=1"},
		/* names that look secret */
		{"?token=s", NULL, "?token=***"},
		{"?key=s", NULL, "?key=***"},
		{"?KEY=s", NULL, "?KEY=***"},
		{"?secret=s", NULL, "?secret=***"},
		{"?password=s", NULL, "?password=***"},
		{"?signature=s", NULL, "?signature=***"},
		{"?sig=s", NULL, "?sig=***"},
		{"?access_token=s", NULL, "?access_token=***"},
		{"?api_key=s", NULL, "?api_key=***"},
		{"?api-key=s", NULL, "?api-key=***"},
		{"?apikey=s", NULL, "?apikey=***"},
		{"?hapikey=s", NULL, "?hapikey=***"},
		{"?client_secret=s", NULL, "?client_secret=***"},
		{"?clientSecret=s", NULL, "?clientSecret=***"},
		{"?refresh_token=s", NULL, "?refresh_token=***"},
		{"?private_token=s", NULL, "?private_token=***"},
		{"?client_assertion=s", NULL, "?client_assertion=***"},
		{"?X-Amz-Signature=s&X-Amz-Credential=s&X-Amz-Security-Token=s&X-Amz-Date=d", NULL, "?X-Amz-Signature=***&X-Amz-Credential=***&X-Amz-Security-Token=***&X-Amz-Date=d"},
		{"?auth%5Btoken%5D=s", NULL, "?auth%5Btoken%5D=***"},
		{"?access%5Ftoken=s", NULL, "?access%5Ftoken=***"},
		{"?%61%63cess_token=s", NULL, "?%61%63cess_token=***"},
		{"?%74%6F%6b%65n=s", NULL, "?%74%6F%6b%65n=***"},
		/* tokens of pages and syncs are worth seeing */
		{"?page_token=t&nextToken=t&syncToken=t&$skiptoken=t&continuation-token=t&keys=t&keyword=t&monkey=t&cursor=t", NULL,
		 "?page_token=t&nextToken=t&syncToken=t&$skiptoken=t&continuation-token=t&keys=t&keyword=t&monkey=t&cursor=t"},
		/* nothing of the value is left, whatever is in it */
		{"?token=a=b=c&x=1", NULL, "?token=***&x=1"},
		{"?token=a;b&x=1", NULL, "?token=***&x=1"},
		{"?token=a?b&x=1", NULL, "?token=***&x=1"},
		{"?token=a#b&x=1", NULL, "?token=***&x=1"},
		{"?token=", NULL, "?token=***"},
		{"?token", NULL, "?token"},
		{"?a=1;token=s", NULL, "?a=1;token=***"},
		{"?u=/x?token=s", NULL, "?u=/x?token=***"},
		{"https://h/x#access_token=s&y=1", NULL, "https://h/x#access_token=***&y=1"},
		{"https://h/x?y=1#token=s", NULL, "https://h/x?y=1#token=***"},
		/* userinfo, also where it is misspelt */
		{"https://user:pw@h/x", NULL, "https://***@h/x"},
		{"https://tok@h", NULL, "https://***@h"},
		{"//user:pw@h/x", NULL, "//***@h/x"},
		{"https://u:p@w@h/x", NULL, "https://***@h/x"},
		{"https://u:p/w@h/x", NULL, "https://***@h/x"},
		{"https://u:123/4@h/x", NULL, "https://***@h/x"},
		{"https://h:80/users/x", NULL, "https://h:80/users/x"},
		{"https:///u:p@h/x", NULL, "https://***@h/x"},
		{"https:/u:p@h/x", NULL, "https:***@h/x"},
		{"https:\\\\u:p@h/x", NULL, "https:***@h/x"},
		{"pw@h/x", NULL, "***@h/x"},
		{"https://discord.com/api/users/@me/guilds?after=1", NULL, "https://discord.com/api/users/@me/guilds?after=1"},
		{"/users/@me?x=a@b", NULL, "/users/@me?x=a@b"},
		{"https://h/x?mail=a@b", NULL, "https://h/x?mail=a@b"},
		/* one printable line */
		{"https://h/a\r\nb?c=\x1B[0m\xFF", NULL, "https://h/a%0D%0Ab?c=%1B[0m%FF"},
		{"https://h/\xC3\xBC", NULL, "https://h/%C3%BC"},
		{"https://h/a b?c=d e", NULL, "https://h/a b?c=d e"},
		{"", NULL, ""},
		{"?", NULL, "?"},
		{"&=", "", "&="},
		{"https://h/x?=s", NULL, "https://h/x?=s"},
	};

	for (size_t i = 0; i < lengthof(cases); i++)
		CHECK_STR(cfdw_url_mask(arena, cfdw_strdup(arena, cases[i].url), cases[i].secret), cases[i].masked);
}

int
main(void)
{
	arena = cfdw_arena_new(NULL, "test");
	test_mask();
	cfdw_arena_free(arena);
	return unit_done("url_mask");
}
