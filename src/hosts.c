/*
 * hosts.c
 *	  To whom the database server may talk.
 */
#include "hosts.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

/* An IPv4 address is kept as the IPv6 address that is mapped to it. */
typedef struct Address
{
	unsigned char bytes[16];
} Address;

static const unsigned char mapped[12] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};

static void
set_ipv4(Address *address, const void *bytes)
{
	memcpy(address->bytes, mapped, 12);
	memcpy(address->bytes + 12, bytes, 4);
}

/* Read an address, IPv6 in brackets or not.  false: it is a name. */
static bool
parse_address(const char *host, size_t len, Address *address)
{
	char text[64];
	struct in_addr ipv4;

	if (len >= 2 && host[0] == '[' && host[len - 1] == ']')
	{
		host++;
		len -= 2;
	}
	if (len >= sizeof(text))
		return false;
	memcpy(text, host, len);
	text[len] = '\0';
	if (inet_pton(AF_INET, text, &ipv4) == 1)
		set_ipv4(address, &ipv4);
	else if (inet_pton(AF_INET6, text, address->bytes) != 1)
		return false;
	return true;
}

/* The IPv4 address inside of one that translates to it (NAT64, 6to4, IPv4-compatible), or the address itself. */
static Address
untranslated(const Address *address)
{
	static const unsigned char nat64[12] = {0, 0x64, 0xff, 0x9b};
	static const unsigned char compatible[12] = {0};
	const unsigned char *bytes = address->bytes;
	Address result = *address;

	if (memcmp(bytes, nat64, 12) == 0 || memcmp(bytes, compatible, 12) == 0)
		set_ipv4(&result, bytes + 12);
	else if (bytes[0] == 0x20 && bytes[1] == 0x02)
		set_ipv4(&result, bytes + 2);
	return result;
}

/* ---- lists ---- */

/* The next pattern, without blanks around it; false: no more.  Moves *list. */
static bool
next_pattern(const char **list, CfdwSlice *pattern)
{
	const char *start = *list;
	size_t len;

	if (start == NULL)
		return false;
	start += strspn(start, " ");
	len = strcspn(start, ",");
	*list = start[len] == ',' ? start + len + 1 : NULL;
	while (len > 0 && start[len - 1] == ' ')
		len--;
	*pattern = (CfdwSlice){start, len};
	return true;
}

static bool
is_all(const char *list)
{
	return list == NULL || list[strspn(list, " ")] == '\0';
}

bool
cfdw_hosts_is_list(const char *list)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.";
	CfdwSlice pattern;
	Address address;

	if (is_all(list))
		return true;
	while (next_pattern(&list, &pattern))
	{
		size_t start = pattern.len > 2 && pattern.data[0] == '*' && pattern.data[1] == '.' ? 2 : 0;

		if (pattern.len == 0 || pattern.len > 255)
			return false;
		if ((pattern.len == 1 && pattern.data[0] == '*') || parse_address(pattern.data, pattern.len, &address))
			continue;
		for (size_t i = start; i < pattern.len; i++)
			if (strchr(letters, pattern.data[i]) == NULL)
				return false;
	}
	return true;
}

static bool
name_matches(CfdwSlice pattern, const char *host, size_t len)
{
	if (pattern.len == 1 && pattern.data[0] == '*')
		return true;
	if (pattern.data[0] != '*')
		return pattern.len == len && pg_strncasecmp(pattern.data, host, len) == 0;
	/* "*.example.com": at least a letter and ".example.com" */
	return len >= pattern.len && pg_strncasecmp(pattern.data + 1, host + len - (pattern.len - 1), pattern.len - 1) == 0;
}

/* Is this very address in the list? */
static bool
is_listed(const char *list, const Address *address)
{
	CfdwSlice pattern;
	Address listed;

	while (next_pattern(&list, &pattern))
		if (parse_address(pattern.data, pattern.len, &listed) && memcmp(&listed, address, sizeof(listed)) == 0)
			return true;
	return false;
}

static bool
is_allowed(const char *list, const char *host, size_t len)
{
	CfdwSlice pattern;
	Address address;

	if (is_all(list))
		return true;
	if (parse_address(host, len, &address) && is_listed(list, &address))
		return true;
	while (next_pattern(&list, &pattern))
		if (name_matches(pattern, host, len))
			return true;
	return false;
}

/* ---- addresses ---- */

/* Link-local addresses, and those that serve a cloud's metadata elsewhere. */
static bool
is_dangerous(const Address *given)
{
	static const char *const metadata[] = {"fd00:ec2::254", "fd20:ce::254", "100.100.100.200", "168.63.129.16", "192.0.0.192"};
	Address address = untranslated(given);
	const unsigned char *bytes = address.bytes;
	Address other;

	if (memcmp(bytes, mapped, 12) == 0 && bytes[12] == 169 && bytes[13] == 254)
		return true;
	if (bytes[0] == 0xfe && (bytes[1] & 0xc0) == 0x80)
		return true;
	for (int i = 0; i < lengthof(metadata); i++)
		if (parse_address(metadata[i], strlen(metadata[i]), &other) && memcmp(&other, &address, sizeof(other)) == 0)
			return true;
	return false;
}

static bool
is_refused(const char *list, const Address *address)
{
	return is_dangerous(address) && (is_all(list) || !is_listed(list, address));
}

bool
cfdw_hosts_refuse(const char *list, const struct sockaddr *socket_address, char *text, size_t size)
{
	Address address;
	const void *bytes;

	if (socket_address->sa_family == AF_INET)
	{
		bytes = &((const struct sockaddr_in *) socket_address)->sin_addr;
		set_ipv4(&address, bytes);
	}
	else if (socket_address->sa_family == AF_INET6)
	{
		bytes = &((const struct sockaddr_in6 *) socket_address)->sin6_addr;
		memcpy(address.bytes, bytes, 16);
	}
	else
		return false;
	return is_refused(list, &address) && inet_ntop(socket_address->sa_family, bytes, text, (socklen_t) size) != NULL;
}

bool
cfdw_hosts_fail(const char *address, CfdwError *err)
{
	cfdw_fail(err, CFDW_ERR_FORBIDDEN, "address %s is refused: it is link-local, or a cloud's metadata service", address);
	cfdw_hint(err, "A superuser can list the address in the setting checkpoint_fdw.allowed_hosts.");
	return false;
}

bool
cfdw_hosts_check(const char *list, const char *host, CfdwError *err)
{
	size_t len = strlen(host);
	Address address;

	/* the name as it is looked up from the root */
	if (len > 1 && host[len - 1] == '.')
		len--;
	if (!is_allowed(list, host, len))
	{
		cfdw_fail(err, CFDW_ERR_FORBIDDEN, "host \"%.*s\" is not allowed", (int) len, host);
		cfdw_hint(err, "A superuser can add it to the setting checkpoint_fdw.allowed_hosts.");
		return false;
	}
	if (parse_address(host, len, &address) && is_refused(list, &address))
		return cfdw_hosts_fail(host, err);
	return true;
}
