/*
 * url_test.c
 *	  URLs: the examples of RFC 3986, the next URLs of real APIs, hostile ones
 *	  (url_mask_test.c: what messages show of them).
 */
#include "url.h"
#include "unit.h"

static CfdwArena *arena;

static void
test_encode(void)
{
	static const struct
	{
		const char *text;
		bool keep_slash;
		const char *encoded;
	} cases[] = {
		{"", false, ""},
		{"AZaz09-._~", false, "AZaz09-._~"},
		{"a b", false, "a%20b"},
		{"a/b", false, "a%2Fb"},
		{"a/b c", true, "a/b%20c"},
		{"!#$&'()*+,/:;=?@[]", false, "%21%23%24%26%27%28%29%2A%2B%2C%2F%3A%3B%3D%3F%40%5B%5D"},
		{"100%", false, "100%25"},
		{"%2F", false, "%252F"},
		{"\"<>\\^`{|}", false, "%22%3C%3E%5C%5E%60%7B%7C%7D"},
		{"\xC3\xBC\xE2\x82\xAC", false, "%C3%BC%E2%82%AC"},
		{"\xFF\x80\x7F\x01\r\n\t", false, "%FF%80%7F%01%0D%0A%09"},
	};
	CfdwBuf buf;

	for (size_t i = 0; i < lengthof(cases); i++)
	{
		cfdw_buf_init(&buf, arena);
		cfdw_url_encode(&buf, cases[i].text, strlen(cases[i].text), cases[i].keep_slash);
		CHECK_STR(buf.data, cases[i].encoded);
	}
	cfdw_buf_init(&buf, arena);
	cfdw_buf_puts(&buf, "x=");
	cfdw_url_encode(&buf, "a\0b", 3, false);
	CHECK_STR(buf.data, "x=a%00b");
}

static void
test_join(void)
{
	static const char *const cases[][3] = {
		{"https://api.github.com", "/repos/a/b/issues", "https://api.github.com/repos/a/b/issues"},
		{"https://api.github.com/", "/x", "https://api.github.com/x"},
		{"https://h/api/v2///", "/x/", "https://h/api/v2/x/"},
		{"https://h/api/v2/", "", "https://h/api/v2"},
		{"https://h", "", "https://h"},
		{"HTTP://Host:8080/a", "/b?c=1", "HTTP://Host:8080/a/b?c=1"},
		{"http://[::1]:8080", "/x", "http://[::1]:8080/x"},
		{"http://127.0.0.1", "//evil.com/x", "http://127.0.0.1//evil.com/x"},
		{"http://h", "/@evil.com", "http://h/@evil.com"},
		{"http://h", "/\xC3\xBC", "http://h/\xC3\xBC"},
	};

	for (size_t i = 0; i < lengthof(cases); i++)
	{
		CfdwError err;
		char *url = NULL;

		CHECK_CASE(cfdw_url_join(arena, cases[i][0], cases[i][1], &url, &err), cases[i][0]);
		CHECK_STR(url, cases[i][2]);
	}
}

static void
test_join_refused(void)
{
	static const struct
	{
		const char *base;
		const char *endpoint;
		CfdwErrorKind kind;
	} cases[] = {
		{"", "/x", CFDW_ERR_URL},
		{"api.github.com", "/x", CFDW_ERR_URL},
		{"/api", "/x", CFDW_ERR_URL},
		{"//h/api", "/x", CFDW_ERR_URL},
		{"ftp://h", "/x", CFDW_ERR_URL},
		{"file:///etc/passwd", "", CFDW_ERR_URL},
		{"https://", "/x", CFDW_ERR_URL},
		{"https:/h", "/x", CFDW_ERR_URL},
		{"https:///h", "/x", CFDW_ERR_URL},
		{"https://user:pw@h", "/x", CFDW_ERR_URL},
		{"https://@h", "/x", CFDW_ERR_URL},
		{"https://h?a=1", "/x", CFDW_ERR_URL},
		{"https://h/?", "/x", CFDW_ERR_URL},
		{"https://h/#top", "/x", CFDW_ERR_URL},
		{"https://h/#", "/x", CFDW_ERR_URL},
		{"https://h/a b", "/x", CFDW_ERR_URL},
		{"https://h\\x", "/x", CFDW_ERR_URL},
		{" https://h", "/x", CFDW_ERR_URL},
		{"https://h\n", "/x", CFDW_ERR_URL},
		{"https://h:0", "/x", CFDW_ERR_URL},
		{"https://h:65536", "/x", CFDW_ERR_URL},
		{"https://h:http", "/x", CFDW_ERR_URL},
		{"https://h", "x", CFDW_ERR_OPTION},
		{"https://h", "@evil.com/", CFDW_ERR_OPTION},
		{"https://h", ".evil.com/", CFDW_ERR_OPTION},
		{"https://h", ":1234/", CFDW_ERR_OPTION},
		{"https://h", "?a=1", CFDW_ERR_OPTION},
		{"https://h", "/a b", CFDW_ERR_URL},
		{"https://h", "/a\\b", CFDW_ERR_URL},
		{"https://h", "/a\r\nHost: evil", CFDW_ERR_URL},
		{"https://h", "/channels/#general", CFDW_ERR_URL},
	};

	for (size_t i = 0; i < lengthof(cases); i++)
	{
		CfdwError err;
		char *url;

		CHECK_CASE(!cfdw_url_join(arena, cases[i].base, cases[i].endpoint, &url, &err), cases[i].base);
		CHECK_CASE(err.kind == cases[i].kind, cases[i].base);
		CHECK(err.message[0] != '\0' && err.hint[0] != '\0');
		CHECK(strstr(err.detail, "pw") == NULL);
		CHECK_CASE(cases[i].kind != CFDW_ERR_URL || strncmp(err.detail, "The URL is \"", 12) == 0, cases[i].base);
	}
}

static void
test_add_query(void)
{
	static const char *const cases[][3] = {
		{"https://h/x", "a=1&b=2", "https://h/x?a=1&b=2"},
		{"https://h/x", "", "https://h/x"},
		{"https://h/x?y", "a=1", "https://h/x?y&a=1"},
		{"https://h/x?y=1&", "a=1", "https://h/x?y=1&a=1"},
		{"https://h/x?", "a=1", "https://h/x?a=1"},
		{"https://h/x#frag?no", "a=1", "https://h/x?a=1#frag?no"},
		{"https://h/x?y=1#frag", "a=1", "https://h/x?y=1&a=1#frag"},
		{"https://h/x?#frag", "a=1", "https://h/x?a=1#frag"},
		{"https://h", "a=1", "https://h?a=1"},
	};

	for (size_t i = 0; i < lengthof(cases); i++)
		CHECK_STR(cfdw_url_add_query(arena, cases[i][0], cases[i][1]), cases[i][2]);
}

static void
test_params(void)
{
	static const struct
	{
		const char *url;
		const char *name;
		const char *without; /* NULL: the pair is not there */
	} cases[] = {
		{"https://h/x?api_key=s&a=1", "api_key", "https://h/x?a=1"},
		{"https://h/x?a=1&api_key=s", "api_key", "https://h/x?a=1"},
		{"https://h/x?a=1&api_key=s&b=2", "api_key", "https://h/x?a=1&b=2"},
		{"https://h/x?api_key=s", "api_key", "https://h/x"},
		{"https://h/x?api_key=s#f", "api_key", "https://h/x#f"},
		{"https://h/x?api_key=1&api_key=2&api_key", "api_key", "https://h/x"},
		{"https://h/x?api_key", "api_key", "https://h/x"},
		{"https://h/x?api_key=", "api_key", "https://h/x"},
		{"https://h/x?api_key=a=b", "api_key", "https://h/x"},
		{"https://h/x?%61pi%5fkey=s&a=1", "api_key", "https://h/x?a=1"},
		{"https://h/x?api+key=s", "api key", "https://h/x"},
		{"https://h/x?api%20key=s", "api key", "https://h/x"},
		{"https://h/x?page%5Bsize%5D=2&page[size]=3", "page[size]", "https://h/x"},
		{"https://h/x?%C3%BC=1", "\xC3\xBC", "https://h/x"},
		{"https://h/x?%6A%6a%09=1", "jj\t", "https://h/x"},
		{"https://h/x?%zz=1", "%zz", "https://h/x"},
		{"https://h/x?a%4=1&a%=2", "a%4", "https://h/x?a%=2"},
		/* kept byte for byte */
		{"https://h/x?&&b=%7e&k=1&&c=+", "k", "https://h/x?&&b=%7e&&c=+"},
		/* not there */
		{"https://h/x", "api_key", NULL},
		{"https://h/x?", "api_key", NULL},
		{"https://h/x?&", "api_key", NULL},
		{"https://h/x?my_api_key=s", "api_key", NULL},
		{"https://h/x?api_key2=s", "api_key", NULL},
		{"https://h/x?api_ke=s", "api_key", NULL},
		{"https://h/x?API_KEY=s", "api_key", NULL},
		{"https://h/x?a=api_key", "api_key", NULL},
		{"https://h/x?a=1#api_key=s", "api_key", NULL},
		{"https://h/api_key=s?a=1", "api_key", NULL},
		{"https://h/x?api_key%00=s", "api_key", NULL},
		{"https://h/x?api_key%=s", "api_key", NULL},
		{"https://h/x?api_key%4=s", "api_key", NULL},
		{"https://h/x?%zz=1", "api_key", NULL},
	};

	for (size_t i = 0; i < lengthof(cases); i++)
	{
		const char *url = cfdw_strdup(arena, cases[i].url);
		const char *without = cases[i].without != NULL ? cases[i].without : url;

		CHECK_CASE(cfdw_url_has_param(url, cases[i].name) == (cases[i].without != NULL), url);
		CHECK_STR(cfdw_url_without_param(arena, url, cases[i].name), without);
	}
}

/* RFC 3986 5.4, against http://a/b/c/d;p?q; fragments are dropped. */
static void
test_resolve_rfc(void)
{
	static const char *const cases[][2] = {
		{"g", "http://a/b/c/g"},
		{"./g", "http://a/b/c/g"},
		{"g/", "http://a/b/c/g/"},
		{"/g", "http://a/g"},
		{"//g", "http://g"},
		{"?y", "http://a/b/c/d;p?y"},
		{"g?y", "http://a/b/c/g?y"},
		{"#s", "http://a/b/c/d;p?q"},
		{"g#s", "http://a/b/c/g"},
		{"g?y#s", "http://a/b/c/g?y"},
		{";x", "http://a/b/c/;x"},
		{"g;x", "http://a/b/c/g;x"},
		{"g;x?y#s", "http://a/b/c/g;x?y"},
		{"", "http://a/b/c/d;p?q"},
		{".", "http://a/b/c/"},
		{"./", "http://a/b/c/"},
		{"..", "http://a/b/"},
		{"../", "http://a/b/"},
		{"../g", "http://a/b/g"},
		{"../..", "http://a/"},
		{"../../", "http://a/"},
		{"../../g", "http://a/g"},
		{"../../../g", "http://a/g"},
		{"../../../../g", "http://a/g"},
		{"/./g", "http://a/g"},
		{"/../g", "http://a/g"},
		{"g.", "http://a/b/c/g."},
		{".g", "http://a/b/c/.g"},
		{"g..", "http://a/b/c/g.."},
		{"..g", "http://a/b/c/..g"},
		{"./../g", "http://a/b/g"},
		{"./g/.", "http://a/b/c/g/"},
		{"g/./h", "http://a/b/c/g/h"},
		{"g/../h", "http://a/b/c/h"},
		{"g;x=1/./y", "http://a/b/c/g;x=1/y"},
		{"g;x=1/../y", "http://a/b/c/y"},
		{"g?y/./x", "http://a/b/c/g?y/./x"},
		{"g?y/../x", "http://a/b/c/g?y/../x"},
		{"g#s/./x", "http://a/b/c/g"},
		{"g#s/../x", "http://a/b/c/g"},
		/* the errata's and some more corners */
		{"?", "http://a/b/c/d;p?"},
		{"/", "http://a/"},
		{"//g/../x", "http://g/x"},
		{"g//h", "http://a/b/c/g//h"},
		{"g//../h", "http://a/b/c/g/h"},
		{"/a/b/../../..", "http://a/"},
		{"...", "http://a/b/c/..."},
		{"2024:x", "http://a/b/c/2024:x"},
		{"./a:b", "http://a/b/c/a:b"},
	};

	for (size_t i = 0; i < lengthof(cases); i++)
	{
		CfdwError err;
		char *url = NULL;

		CHECK_CASE(cfdw_url_resolve(arena, "http://a/b/c/d;p?q", cfdw_strdup(arena, cases[i][0]), &url, &err), cases[i][0]);
		CHECK_STR(url, cases[i][1]);
	}
}

/* The next URLs that APIs send. */
static void
test_resolve_apis(void)
{
	static const char *const cases[][3] = {
		/* GitHub: another path */
		{"https://api.github.com/repos/a/b/issues?per_page=2", "https://api.github.com/repositories/17/issues?per_page=2&page=2",
		 "https://api.github.com/repositories/17/issues?per_page=2&page=2"},
		/* Salesforce, Twilio: below the host */
		{"https://eu1.salesforce.com/services/data/v58.0/query?q=SELECT", "/services/data/v20.0/query/01gD-2000",
		 "https://eu1.salesforce.com/services/data/v20.0/query/01gD-2000"},
		{"https://api.twilio.com/2010-04-01/Accounts/AC1/Messages.json?PageSize=2", "/2010-04-01/Accounts/AC1/Messages.json?PageSize=2&Page=1&PageToken=PASM1",
		 "https://api.twilio.com/2010-04-01/Accounts/AC1/Messages.json?PageSize=2&Page=1&PageToken=PASM1"},
		/* Twitter v1: a query alone */
		{"https://api.twitter.com/1.1/search/tweets.json?q=x", "?max_id=249279667666817023&q=%23freebandnames&count=4",
		 "https://api.twitter.com/1.1/search/tweets.json?max_id=249279667666817023&q=%23freebandnames&count=4"},
		/* Bitbucket: relative to the path */
		{"https://h/2.0/repositories/x/y", "y?page=2", "https://h/2.0/repositories/x/y?page=2"},
		{"https://h", "items?page=2", "https://h/items?page=2"},
		{"https://h?page=1", "?page=2", "https://h?page=2"},
		/* an absolute one is not rewritten: encoding, dots, empty parts, case and port stay */
		{"https://h/", "HTTPS://H:443/a/../b/%7e%2F/./c?X=%aa&&=&y=a+b", "HTTPS://H:443/a/../b/%7e%2F/./c?X=%aa&&=&y=a+b"},
		{"https://h/", "https://h/x?$skiptoken=RFNwdAIAAQ'!*()$,@:;", "https://h/x?$skiptoken=RFNwdAIAAQ'!*()$,@:;"},
		{"https://h/", "https://h/x?q={\"a\":[1]}|<>^`", "https://h/x?q={\"a\":[1]}|<>^`"},
		{"https://h/", "https://h/\xC3\xBC?q=\xE2\x82\xAC", "https://h/\xC3\xBC?q=\xE2\x82\xAC"},
		{"https://h/", "https://h/x#page2", "https://h/x"},
		{"https://h/", "https://h?x=1", "https://h?x=1"},
		{"https://h/a", "/b/%2e%2e/c?x=%7e", "https://h/b/%2e%2e/c?x=%7e"},
		/* another host or scheme is for same_origin to judge */
		{"https://h/", "http://internal.gitlab:8080/x", "http://internal.gitlab:8080/x"},
		{"https://h/", "//other.example/x", "https://other.example/x"},
		{"http://[::1]:8080/a/b", "c", "http://[::1]:8080/a/c"},
	};

	for (size_t i = 0; i < lengthof(cases); i++)
	{
		CfdwError err;
		char *url = NULL;

		CHECK_CASE(cfdw_url_resolve(arena, cases[i][0], cases[i][1], &url, &err), cases[i][1]);
		CHECK_STR(url, cases[i][2]);
	}
}

static void
test_resolve_hostile(void)
{
	static const struct
	{
		const char *ref;
		CfdwErrorKind kind;
	} cases[] = {
		/* schemes */
		{"ftp://h/x", CFDW_ERR_FORBIDDEN},
		{"file:///etc/passwd", CFDW_ERR_FORBIDDEN},
		{"gopher://h:11211/_stats", CFDW_ERR_FORBIDDEN},
		{"javascript:alert(1)", CFDW_ERR_FORBIDDEN},
		{"data:text/plain,x", CFDW_ERR_FORBIDDEN},
		{"localhost:8080/x", CFDW_ERR_FORBIDDEN},
		{"g:h", CFDW_ERR_FORBIDDEN},
		{"x-y.z:foo", CFDW_ERR_FORBIDDEN},
		{"https+x://h/", CFDW_ERR_FORBIDDEN},
		{"httpsx://h/", CFDW_ERR_FORBIDDEN},
		{"htt://h/", CFDW_ERR_FORBIDDEN},
		/* userinfo */
		{"https://api@evil.com/", CFDW_ERR_FORBIDDEN},
		{"https://user:pw@h/", CFDW_ERR_FORBIDDEN},
		{"https://h@/", CFDW_ERR_FORBIDDEN},
		{"https://@h/", CFDW_ERR_FORBIDDEN},
		{"//user@h/", CFDW_ERR_FORBIDDEN},
		{"https://h:80@evil.com:81/", CFDW_ERR_FORBIDDEN},
		{"https://a@b@c/", CFDW_ERR_FORBIDDEN},
		/* bytes */
		{"\\\\evil.com\\x", CFDW_ERR_FORBIDDEN},
		{"/\\evil.com", CFDW_ERR_FORBIDDEN},
		{"https:\\\\evil.com", CFDW_ERR_FORBIDDEN},
		{"https://h\\@evil.com/", CFDW_ERR_FORBIDDEN},
		{"https://h/a\\..\\b", CFDW_ERR_FORBIDDEN},
		{"/a b", CFDW_ERR_FORBIDDEN},
		{" https://h/", CFDW_ERR_FORBIDDEN},
		{"https://h/ ", CFDW_ERR_FORBIDDEN},
		{"https://h/\r\nX-Evil: 1", CFDW_ERR_FORBIDDEN},
		{"/x\n", CFDW_ERR_FORBIDDEN},
		{"/x\t", CFDW_ERR_FORBIDDEN},
		{"/x\x01", CFDW_ERR_FORBIDDEN},
		{"/x\x7F", CFDW_ERR_FORBIDDEN},
		{"java\nscript:x", CFDW_ERR_FORBIDDEN},
		/* hosts */
		{"https://", CFDW_ERR_URL},
		{"https:///x", CFDW_ERR_URL},
		{"https:/x", CFDW_ERR_URL},
		{"https:x", CFDW_ERR_URL},
		{"https:", CFDW_ERR_URL},
		{"https://?x", CFDW_ERR_URL},
		{"https://#x", CFDW_ERR_URL},
		{"//", CFDW_ERR_URL},
		{"///x", CFDW_ERR_URL},
		{"https://:443/", CFDW_ERR_URL},
		{"https://b\xC3\xBC"
		 "cher.example/",
		 CFDW_ERR_URL},
		{"https://evil.com\xEF\xBC\x8F.h/", CFDW_ERR_URL},
		{"https://h\xE3\x80\x82"
		 "com/",
		 CFDW_ERR_URL},
		{"https://ex%61mple.com/", CFDW_ERR_URL},
		{"https://%68/", CFDW_ERR_URL},
		{"https://h%00.evil.com/", CFDW_ERR_URL},
		{"https://h%2Fevil/", CFDW_ERR_URL},
		{"https://h,evil/", CFDW_ERR_URL},
		{"https://h;evil/", CFDW_ERR_URL},
		{"https://h*/", CFDW_ERR_URL},
		{"https://{host}/", CFDW_ERR_URL},
		/* ports */
		{"https://h:0/", CFDW_ERR_URL},
		{"https://h:00000/", CFDW_ERR_URL},
		{"https://h:65536/", CFDW_ERR_URL},
		{"https://h:99999999999999999999/", CFDW_ERR_URL},
		{"https://h:-1/", CFDW_ERR_URL},
		{"https://h:+80/", CFDW_ERR_URL},
		{"https://h:80x/", CFDW_ERR_URL},
		{"https://h:80:80/", CFDW_ERR_URL},
		/* IPv6 */
		{"https://[::1/", CFDW_ERR_URL},
		{"https://[]/", CFDW_ERR_URL},
		{"https://[::1]x/", CFDW_ERR_URL},
		{"https://[::1]:/x:", CFDW_OK},
		{"https://[::g]/", CFDW_ERR_URL},
		{"https://[1:2]/", CFDW_ERR_URL},
		{"https://[fe80::1%25eth0]/", CFDW_ERR_URL},
		{"https://[fe80::1%eth0]/", CFDW_ERR_URL},
		{"https://::1/", CFDW_ERR_URL},
		{"https://[v1.x]/", CFDW_ERR_URL},
	};

	for (size_t i = 0; i < lengthof(cases); i++)
	{
		CfdwError err = {CFDW_OK};
		char *url;
		bool ok = cfdw_url_resolve(arena, "https://h/api?k=1", cfdw_strdup(arena, cases[i].ref), &url, &err);

		CHECK_CASE(ok == (cases[i].kind == CFDW_OK) && err.kind == cases[i].kind, cases[i].ref);
		if (ok)
			continue;
		CHECK_CASE(strncmp(err.detail, "The URL is \"", 12) == 0, cases[i].ref);
		CHECK_CASE(strpbrk(err.detail, "\r\n\t\x01\x7F\xC3") == NULL, cases[i].ref);
		CHECK_CASE(strstr(err.detail, "pw") == NULL, cases[i].ref);
	}
}

/* An error shows the URL without its query: a secret may have any name there. */
static void
test_error_text(void)
{
	CfdwError err;
	char *url;

	CHECK(!cfdw_url_resolve(arena, "https://h/", "https://user:pw@evil.com/x?mykey=s3cret#s3cret", &url, &err));
	CHECK_STR(err.message, "URL with a user name or a password");
	CHECK_STR(err.detail, "The URL is \"https://***@evil.com/x?...\".");
	CHECK(!cfdw_url_resolve(arena, "https://h/", "/a\nb", &url, &err));
	CHECK_STR(err.detail, "The URL is \"/a%0Ab\".");
	CHECK(!cfdw_url_resolve(arena, "ftp://h/base", "https://h/", &url, &err));
	CHECK_STR(err.detail, "The URL is \"ftp://h/base\".");
	CHECK(!cfdw_url_join(arena, "https://user:p/w@h", "/x", &url, &err));
	CHECK_STR(err.detail, "The URL is \"https://***@h\".");
	CHECK(!cfdw_url_join(arena, "user:secret@h", "/x", &url, &err));
	CHECK(strstr(err.detail, "secret") == NULL);
}

static void
test_same_origin(void)
{
	static const struct
	{
		const char *a;
		const char *b;
		bool same;
	} cases[] = {
		{"https://h/a?b", "https://h/c#d", true},
		{"https://h", "https://h/x", true},
		{"https://h/", "https://h:443/", true},
		{"http://h/", "http://h:80/", true},
		{"https://h:/", "https://h/", true},
		{"https://h:0443/", "https://h/", true},
		{"https://h:1/", "https://h:1/x", true},
		{"https://h:65535/", "https://h:65535/x", true},
		{"HTTPS://API.Example.COM/", "https://api.example.com/", true},
		{"http://[::1]:80/", "http://[0:0:0:0:0:0:0:1]/", true},
		{"http://[ABCD::1]/", "http://[abcd::1]/", true},
		{"https://h/", "http://h/", false},
		{"https://h:80/", "http://h:80/", false},
		{"https://h/", "https://h:8443/", false},
		{"https://h/", "https://h2/", false},
		{"https://h/", "https://a.h/", false},
		{"https://h/", "https://h.evil.com/", false},
		{"https://h/", "https://h./", false},
		{"http://127.0.0.1/", "http://localhost/", false},
		{"http://[::1]/", "http://127.0.0.1/", false},
		/* what cannot be asked has no origin, not even its own */
		{"https://u@h/", "https://u@h/", false},
		{"ftp://h/", "ftp://h/", false},
		{"/x", "/x", false},
		{"", "", false},
		{"https://h:0/", "https://h:0/", false},
		{"https://h/a b", "https://h/a b", false},
		{"https://h\\@evil.com/", "https://evil.com/", false},
	};

	for (size_t i = 0; i < lengthof(cases); i++)
	{
		CHECK_CASE(cfdw_url_same_origin(cases[i].a, cases[i].b) == cases[i].same, cases[i].b);
		CHECK_CASE(cfdw_url_same_origin(cases[i].b, cases[i].a) == cases[i].same, cases[i].b);
	}
}

static void
test_join_messages(void)
{
	static const char *const cases[][3] = {
		{"api.github.com", "/x", "malformed URL: it does not start with http:// or https://"},
		{"https:///x", "/x", "malformed URL: there is no host"},
		{"https://h?a=1", "/x", "base_url has a query or a fragment"},
		{"https://h", "/a#b", "endpoint has a fragment"},
		{"https://h", "x", "endpoint does not start with a slash"},
		{"https://h", "/a b", "URL with a blank, a backslash or a control character"},
	};

	for (size_t i = 0; i < lengthof(cases); i++)
	{
		CfdwError err;
		char *url;

		CHECK(!cfdw_url_join(arena, cases[i][0], cases[i][1], &url, &err));
		CHECK_STR(err.message, cases[i][2]);
	}
}

/* A long name must not be compared by its beginning. */
static void
test_host(void)
{
	static const struct
	{
		const char *url;
		const char *host; /* NULL: none */
	} cases[] = {
		{"http://a.test", "a.test"},
		{"https://A.test:8443/x?y#z", "A.test"},
		{"http://[::1]:80/", "[::1]"},
		{"http://2852039166/", "169.254.169.254"},
		{"http://0xa9fea9fe/", "169.254.169.254"},
		{"http://169.254.43518/", "169.254.169.254"},
		{"http://0251.0376.0251.0376/", "169.254.169.254"},
		{"http://user@a.test/", NULL},
		{"ftp://a.test/", NULL},
		{"/x", NULL},
		{"", NULL},
	};
	char host[256];

	for (int i = 0; i < lengthof(cases); i++)
	{
		CHECK_CASE(cfdw_url_host(cases[i].url, host, sizeof(host)) == (cases[i].host != NULL), cases[i].url);
		if (cases[i].host != NULL)
			CHECK_STR(host, cases[i].host);
	}
	CHECK(!cfdw_url_host("http://a.test", host, 6));
	CHECK(cfdw_url_host("http://a.test", host, 7));
}

static void
test_long_hosts(void)
{
	char *host = cfdw_alloc(arena, 5001);
	CfdwError err;
	char *url;

	memset(host, 'h', 5000);
	for (int len = 254; len <= 257; len++)
	{
		char *a = cfdw_printf(arena, "https://%.*sa/", len, host);
		char *b = cfdw_printf(arena, "https://%.*sb/", len, host);

		CHECK_INT(cfdw_url_same_origin(a, a), len + 1 <= 255);
		CHECK(!cfdw_url_same_origin(a, b));
	}
	CHECK(!cfdw_url_resolve(arena, "https://h/", cfdw_printf(arena, "https://%s/", host), &url, &err));
	CHECK_INT(err.kind, CFDW_ERR_URL);
	CHECK(cfdw_url_resolve(arena, "https://h/", cfdw_printf(arena, "https://h/%s?%s", host, host), &url, &err));
	CHECK_INT(strlen(url), 10 + 5000 + 1 + 5000);
}

int
main(void)
{
	static void (*const tests[])(void) = {
		test_encode, test_join, test_join_refused, test_join_messages, test_add_query, test_params, test_resolve_rfc, test_resolve_apis,
		test_resolve_hostile, test_error_text, test_same_origin, test_host, test_long_hosts};

	for (size_t i = 0; i < lengthof(tests); i++)
	{
		arena = cfdw_arena_new(NULL, "test");
		tests[i]();
		cfdw_arena_free(arena);
	}
	return unit_done("url");
}
