/*
 * hosts_test.c
 *	  Which hosts and addresses may be asked.
 */
#include "hosts.h"
#include "unit.h"

#include <arpa/inet.h>
#include <sys/socket.h>

#define LIST "api.example.com, *.example.org ,10.1.2.3,::1,169.254.169.254"

static void
test_names(void)
{
	static const struct
	{
		const char *list;
		const char *host;
		bool allowed;
	} cases[] = {
		{NULL, "anything.test", true},
		{"", "anything.test", true},
		{"  ", "anything.test", true},
		{"*", "anything.test", true},
		{"nothing.test, *", "anything.test", true},
		{LIST, "api.example.com", true},
		{LIST, "API.Example.COM", true},
		{LIST, "api.example.com.", true},
		{LIST, "api.example.com.evil.test", false},
		{LIST, "xapi.example.com", false},
		{LIST, "sub.api.example.com", false},
		{LIST, "example.com", false},
		{LIST, "a.example.org", true},
		{LIST, "a.b.EXAMPLE.org.", true},
		{LIST, "example.org", false},
		{LIST, ".example.org", false},
		{LIST, "aexample.org", false},
		{LIST, "a.example.orgs", false},
		{LIST, "10.1.2.3", true},
		{LIST, "10.1.2.30", false},
		{LIST, "10.1.2.4", false},
		{LIST, "[::1]", true},
		{LIST, "[0:0:0:0:0:0:0:1]", true},
		{LIST, "[::ffff:10.1.2.3]", true},
		{LIST, "[::2]", false},
		{LIST, "169.254.169.254", true},
		{LIST, "", false},
		{LIST, ".", false},
		{"*.1.2.3", "10.1.2.3", true}, /* a pattern is text */
	};

	for (int i = 0; i < lengthof(cases); i++)
	{
		CfdwError err = {CFDW_OK};

		CHECK_CASE(cfdw_hosts_check(cases[i].list, cases[i].host, &err) == cases[i].allowed, cases[i].host);
		CHECK_INT(err.kind, cases[i].allowed ? CFDW_OK : CFDW_ERR_FORBIDDEN);
	}
}

static void
test_lists(void)
{
	static const char *const good[] = {"", " ", "*", "a", "a.b,c", "*.a", "10.0.0.1", "::1", "[::1]", "fe80::1", LIST};
	static const char *const bad[] = {",", "a,", ",a", "a,,b", "a b", "http://a", "a:80", "a/b", "*a", "a.*", "*.*", "*.", "a*", "10.0.0.0/8", "[::1", "::1::", "\xc3\xa4.test"};

	CHECK(cfdw_hosts_is_list(NULL));
	for (int i = 0; i < lengthof(good); i++)
		CHECK_CASE(cfdw_hosts_is_list(good[i]), good[i]);
	for (int i = 0; i < lengthof(bad); i++)
		CHECK_CASE(!cfdw_hosts_is_list(bad[i]), bad[i]);
}

static bool
refuse(const char *list, const char *address)
{
	struct sockaddr_in ipv4 = {.sin_family = AF_INET};
	struct sockaddr_in6 ipv6 = {.sin6_family = AF_INET6};
	char text[64] = "";
	bool refused;

	if (inet_pton(AF_INET, address, &ipv4.sin_addr) == 1)
		refused = cfdw_hosts_refuse(list, (struct sockaddr *) &ipv4, text, sizeof(text));
	else
	{
		CHECK(inet_pton(AF_INET6, address, &ipv6.sin6_addr) == 1);
		refused = cfdw_hosts_refuse(list, (struct sockaddr *) &ipv6, text, sizeof(text));
	}
	if (refused)
		CHECK_STR(text, address);
	return refused;
}

static void
test_addresses(void)
{
	static const char *const dangerous[] = {
		"169.254.169.254", "169.254.0.0", "169.254.255.255", "169.254.170.2", "100.100.100.200", "168.63.129.16", "192.0.0.192",
		"fe80::1", "febf::1", "fd00:ec2::254", "fd20:ce::254", "::ffff:169.254.169.254", "64:ff9b::a9fe:a9fe", "2002:a9fe:a9fe::1", "::169.254.169.254"};
	static const char *const harmless[] = {
		"127.0.0.1", "10.0.0.1", "192.168.1.1", "169.253.255.255", "169.255.0.0", "100.100.100.201", "0.0.0.0",
		"::1", "::", "fec0::1", "fe7f::1", "fd00::1", "2001:db8::1", "::ffff:127.0.0.1", "64:ff9b::a00:1", "2002:a00:1::1"};

	for (int i = 0; i < lengthof(dangerous); i++)
	{
		CHECK_CASE(refuse(NULL, dangerous[i]), dangerous[i]);
		CHECK_CASE(refuse("*", dangerous[i]), dangerous[i]);
		CHECK_CASE(refuse("10.0.0.1, metadata.google.internal, *.internal", dangerous[i]), dangerous[i]);
		CHECK_CASE(!refuse(dangerous[i], dangerous[i]), dangerous[i]);
	}
	for (int i = 0; i < lengthof(harmless); i++)
	{
		CHECK_CASE(!refuse(NULL, harmless[i]), harmless[i]);
		CHECK_CASE(!refuse("10.9.9.9", harmless[i]), harmless[i]); /* the name is what counts there */
	}
}

/* An address in the URL is judged before there is a connection: a proxy would make it. */
static void
test_address_as_host(void)
{
	CfdwError err;

	CHECK(!cfdw_hosts_check(NULL, "169.254.169.254", &err));
	CHECK_INT(err.kind, CFDW_ERR_FORBIDDEN);
	CHECK_STR(err.message, "address 169.254.169.254 is refused: it is link-local, or a cloud's metadata service");
	CHECK(!cfdw_hosts_check("*", "[fe80::1]", &err));
	CHECK(!cfdw_hosts_check("*", "[::ffff:169.254.169.254]", &err));
	CHECK(cfdw_hosts_check("169.254.169.254", "[::ffff:169.254.169.254]", &err));
	CHECK(cfdw_hosts_check("*, FE80:0::1", "[fe80::1]", &err));
}

int
main(void)
{
	test_names();
	test_lists();
	test_addresses();
	test_address_as_host();
	return unit_done("hosts");
}
