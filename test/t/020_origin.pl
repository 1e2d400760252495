# Credentials never leave the origin of base_url: whatever a link or a redirect
# says, a second listener sees nobody, unless next_url_origin trusts it.
use strict;
use warnings;

use CheckpointTest;
use IO::Select;
use IO::Socket::INET;
use PostgreSQL::Test::Utils;
use Test::More;

my $t = CheckpointTest->new('origin');
my ($api_port) = $t->{url} =~ /(\d+)$/;
my $silent = IO::Socket::INET->new(LocalAddr => '127.0.0.1', Listen => 10) or die "listen: $!";
my $port = $silent->sockport;
my $visitors = IO::Select->new($silent);

# How each server authenticates, and what the API must see of it.
my %auths = (
	bearer => [ "auth 'bearer'", "token 'canary'", 'Authorization=Bearer canary' ],
	basic => [ "auth 'basic'", "username 'u', password 'canary'", 'Authorization=Basic dTpjYW5hcnk=' ],
	key => [ "auth 'api_key', api_key_name 'X-API-Key'", "api_key 'canary'", 'X-API-Key=canary' ],
	query => [ "auth 'api_key', api_key_name 'key', api_key_location 'query'", "api_key 'canary'", 'key=canary' ],
	headers => [ "auth 'none'", q(headers '{"Cookie": "canary", "X-Secret": "canary"}'), 'Cookie=canary X-Secret=canary' ]);
for my $auth (sort keys %auths)
{
	my ($server, $mapping) = @{ $auths{$auth} };
	$t->sql(<<SQL);
CREATE SERVER $auth FOREIGN DATA WRAPPER checkpoint_fdw OPTIONS (base_url '$t->{url}', request_timeout '1 s', max_retries '0', $server);
CREATE USER MAPPING FOR CURRENT_USER SERVER $auth OPTIONS ($mapping);
CREATE FOREIGN TABLE link_$auth (id int) SERVER $auth OPTIONS (endpoint '/items', pagination 'link_header');
CREATE FOREIGN TABLE next_$auth (id int) SERVER $auth OPTIONS (endpoint '/items', next_url_path '/next', records_path '/data');
CREATE FOREIGN TABLE redirect_$auth (id int) SERVER $auth OPTIONS (endpoint '/items');
SQL
}

# The answer that leads to a URL.
my %leads = (
	link => sub { return { json => [ { id => 1 } ], headers => { Link => "<$_[0]>; rel=\"next\"" } } },
	next => sub { return { json => { data => [ { id => 1 } ], next => $_[0] } } },
	redirect => sub { return { status => 302, headers => { Location => $_[0] } } });

sub log_of
{
	return $t->api(GET => '/_log?take&headers=Authorization,X-API-Key,Cookie,X-Secret') =~ s/\n$//r;
}

# Read a table whose API leads to a URL: the error, and the requests that the API saw.
sub follow
{
	my ($table, $way, $url, @more) = @_;
	$t->api(POST => '/_clear');
	$t->api(POST => '/_rule', { path => '/items', script => [ $leads{$way}->($url), @more ] });
	my ($status, $out, $error) = $t->{node}->psql('postgres', "SELECT id FROM $table", extra_params => [ '-v', 'VERBOSITY=verbose' ]);
	return ($error, log_of(), $out);
}

my @hostile = (
	"http://127.0.0.1:$port/steal",
	"http://localhost:$port/steal",
	"http://127.1:$port/steal",
	"http://2130706433:$port/steal",
	"//127.0.0.1:$port/steal",
	"///127.0.0.1:$port/steal",
	"https://127.0.0.1:$port/steal",
	"https://127.0.0.1:$api_port/steal",
	"HTTP://127.0.0.1:$port",
	"http:127.0.0.1:$port/steal",
	"http:\\\\127.0.0.1:$port/steal",
	"/\\127.0.0.1:$port/steal",
	"\\\\127.0.0.1:$port/steal",
	"http://127.0.0.1:$api_port\@127.0.0.1:$port/steal",
	"http://127.0.0.1:$api_port:pw\@127.0.0.1:$port/steal",
	"http://127.0.0.1:$port\\\@127.0.0.1:$api_port/steal",
	"http://127.0.0.1:$port#\@127.0.0.1:$api_port/steal",
	"http://127.0.0.1:$port?\@127.0.0.1:$api_port/steal",
	"http://127.0.0.1%3A$port/steal",
	"http://127\x{3002}0\x{3002}0\x{3002}1:$port/steal",
	"http://\x{2460}27.0.0.1:$port/steal",
	"http://[::ffff:127.0.0.1]:$port/steal",
	"http://127.0.0.1:$port /steal",
	"ftp://127.0.0.1:$port/steal",
	"gopher://127.0.0.1:$port/steal");

for my $way (sort keys %leads)
{
	for my $url (@hostile)
	{
		# header values are sent as they are
		my $bytes = $url;
		utf8::encode($bytes) if $way ne 'next';
		my ($error, $log) = follow("${way}_bearer", $way, $bytes);
		my $shown = $url =~ s/([^ -~])/sprintf '\\x{%x}', ord $1/ger;
		if ($url =~ m{^///})
		{
			# an empty host, or a path by another reading: in both cases nobody else is asked
			like($error . $log, qr/22023|42501|steal/, "$way to $shown: stays");
		}
		else
		{
			like($error, qr/ERROR: +(42501|22023): /, "$way to $shown: refused");
			is($log, 'GET /items Authorization=Bearer canary', "$way to $shown: one request, to the API");
		}
		unlike($error, qr/canary/, "$way to $shown: no secret in the error");
		ok(!$visitors->can_read(0), "$way to $shown: nobody comes to the other listener");
	}
}
for my $auth (sort keys %auths)
{
	my $seen = $auth eq 'query' ? 'GET /items?key=canary' : "GET /items $auths{$auth}[2]";
	for my $way (sort keys %leads)
	{
		my ($error, $log) = follow("${way}_$auth", $way, "http://127.0.0.1:$port/steal");
		like($error, qr/42501: the (next page|redirect) is at another origin/, "$way, auth $auth: refused");
		is($log, $seen, "$way, auth $auth: one request, to the API");
		unlike($error, qr/canary/, "$way, auth $auth: no secret in the error");
		ok(!$visitors->can_read(0), "$way, auth $auth: nobody comes to the other listener");
	}
}

# Within the origin the credentials go along, and the URL byte for byte.
for my $auth (sort keys %auths)
{
	my ($url, $seen) = ("$t->{url}/to/../there?b=%7e&a=|", "GET /to/../there?b=%7e&a=|");
	my $credentials = $auth eq 'query' ? '&key=canary' : " $auths{$auth}[2]";
	for my $way (sort keys %leads)
	{
		$t->api(POST => '/_clear');
		$t->api(POST => '/_rule', { path => '/to/../there', script => [ { json => $way eq 'next' ? { data => [ { id => 2 } ] } : [ { id => 2 } ] } ] });
		$t->api(POST => '/_rule', { path => '/items', script => [ $leads{$way}->($url) ] });
		is($t->sql("SELECT string_agg(id::text, ' ') FROM ${way}_$auth"), $way eq 'redirect' ? '2' : '1 2', "$way within the origin, auth $auth: the records");
		like(log_of(), qr/\n\Q$seen$credentials\E$/, "$way within the origin, auth $auth: the request");
	}
}

# rewrite: asked at the API, wherever a link leads
$t->sql("ALTER SERVER bearer OPTIONS (ADD next_url_origin 'rewrite')");
for my $way (sort keys %leads)
{
	my (undef, $log) = follow("${way}_bearer", $way, "https://127.0.0.1:$port/items?p=%32",
		{ json => $way eq 'next' ? { data => [] } : [] });
	is($log, "GET /items Authorization=Bearer canary\nGET /items?p=%32 Authorization=Bearer canary", "rewrite, $way: asked at the API");
	ok(!$visitors->can_read(0), "rewrite, $way: nobody comes to the other listener");
}

# a list: the other API is trusted with the credentials, a third one is not
my $other = CheckpointTest::start_api('other');
$t->sql("ALTER SERVER bearer OPTIONS (SET next_url_origin '$other, http://localhost:1')");
$t->api(POST => "$other/_rule", { path => '/there', script => [ { json => [ { id => 2 } ] } ], repeat => \1 });
my (undef, $log, $out) = follow('link_bearer', 'link', "$other/there");
is($out, "1\n2", 'list: the records of both');
is($t->api(GET => "$other/_log?take&headers=Authorization"), "GET /there Authorization=Bearer canary\n", 'list: the request to the other API');
my ($error) = follow('link_bearer', 'link', "http://127.0.0.1:$port/steal");
like($error, qr/42501: the next page is at another origin/, 'list: another one is refused');
ok(!$visitors->can_read(0), 'list: nobody comes to the listener that is not listed');

done_testing();
