# Whom the database server may talk to: checkpoint_fdw.allowed_hosts on every
# hop, and addresses that are refused whatever name leads to them.
use strict;
use warnings;

use CheckpointTest;
use PostgreSQL::Test::Utils;
use Test::More;

my $shim = PostgreSQL::Test::Utils::tempdir() . '/slow_dns.so';
PostgreSQL::Test::Utils::system_or_bail('gcc', '-shared', '-fPIC', '-o', $shim, "$ENV{TOP}/test/t/slow_dns.c", '-ldl');
my $t = CheckpointTest->new('hosts', env => { LD_PRELOAD => $shim });
my ($api_port) = $t->{url} =~ /(\d+)$/;

$t->sql(<<SQL);
CREATE SERVER here FOREIGN DATA WRAPPER checkpoint_fdw
  OPTIONS (base_url '$t->{url}', next_url_origin 'http://localhost:$api_port, http://metadata.test, http://169.254.77.77', max_retries '0');
CREATE SERVER away FOREIGN DATA WRAPPER checkpoint_fdw OPTIONS (base_url 'http://metadata.test', max_retries '0', connect_timeout '500ms');
CREATE FOREIGN TABLE linked (id int) SERVER here OPTIONS (endpoint '/items', pagination 'link_header');
CREATE FOREIGN TABLE metadata (id int) SERVER away OPTIONS (endpoint '/latest');
CREATE ROLE reader LOGIN;
GRANT USAGE ON FOREIGN SERVER here TO reader;
GRANT SELECT ON linked, metadata TO reader;
SQL

# The error of a statement after some settings, and the requests that the API saw.
sub fails
{
	my ($sql, %options) = @_;
	my ($status, $out, $error) = $t->{node}->psql('postgres', $sql,
		extra_params => [ '-v', 'VERBOSITY=verbose', '-U', $options{user} // 'postgres' ]);
	return ($error, $t->api(GET => '/_log?take'));
}

sub leads_to
{
	my ($step) = @_;
	$t->api(POST => '/_clear');
	$t->api(POST => '/_rule', { path => '/items', script => [ $step ] });
}

# ---- refused addresses
my $refused = qr/42501: address \S+ is refused: it is link-local, or a cloud's metadata service/;
for my $host (qw(metadata.test 169.254.77.77 169.254.169.254 2852039166 0xa9fea9fe [fe80::1] [fd00:ec2::254] [::ffff:169.254.169.254] 100.100.100.200))
{
	$t->sql("ALTER SERVER away OPTIONS (SET base_url 'http://$host')");
	my ($error) = fails('SELECT * FROM metadata');
	like($error, $refused, "$host is refused");
	($error) = fails("SET checkpoint_fdw.allowed_hosts = '*, metadata.test'; SELECT * FROM metadata");
	like($error, $refused, "$host is refused if the name is allowed");
}
$t->sql("ALTER SERVER away OPTIONS (SET base_url 'http://metadata.test')");
my ($error) = fails("SET checkpoint_fdw.allowed_hosts = '*, 169.254.77.77'; SELECT * FROM metadata");
like($error, qr/08001: could not connect to the server: Connection refused/, 'an address that is listed is connected to');

leads_to({ status => 307, headers => { Location => 'http://metadata.test/latest' } });
($error, my $log) = fails('SELECT * FROM linked');
like($error, $refused, 'a redirect to a name of such an address is refused');
is($log, "GET /items\n", '... after the one request');
leads_to({ json => [], headers => { Link => '<http://169.254.77.77/latest>; rel="next"' } });
($error) = fails('SELECT * FROM linked');
like($error, $refused, 'so is a link to it');

# ---- allowed hosts
leads_to({ json => [ { id => 1 } ] });
is($t->sql("SET checkpoint_fdw.allowed_hosts = 'api.example.com, 127.0.0.1'; SELECT * FROM linked"), '1', 'the host is listed');
for my $list ("'api.example.com'", "'localhost'", "'127.0.0.2'", "'*.0.0.2'")
{
	$t->api(POST => '/_clear');
	($error, $log) = fails("SET checkpoint_fdw.allowed_hosts = $list; SELECT * FROM linked");
	like($error, qr/42501: host "127\.0\.0\.1" is not allowed.*URL: \Q$t->{url}\E.*allowed_hosts/s, "not in the list $list");
	is($log, '', '... and not asked');
}
for my $step ({ status => 302, headers => { Location => "http://localhost:$api_port/there" } },
	{ json => [], headers => { Link => "<http://localhost:$api_port/there>; rel=\"next\"" } })
{
	leads_to($step);
	($error, $log) = fails("SET checkpoint_fdw.allowed_hosts = '127.0.0.1'; SELECT * FROM linked");
	like($error, qr/42501: host "localhost" is not allowed/, 'not in the list: where a link or a redirect leads');
	is($log, "GET /items\n", '... and not asked');
}

# ---- nobody gets around it
sub configure
{
	my ($list) = @_;
	$t->{node}->append_conf('postgresql.conf', "checkpoint_fdw.allowed_hosts = '$list'\n");
	$t->{node}->reload;
	CheckpointTest::until_true('the new setting', sub { $t->sql('SHOW checkpoint_fdw.allowed_hosts') eq $list });
}
configure('api.example.com');
my $denied = qr/42501: host "127\.0\.0\.1" is not allowed/;
$t->api(POST => '/_clear');
for my $sql ('SELECT * FROM linked', "SET checkpoint_fdw.allowed_hosts = '*'; SELECT * FROM linked",
	"SELECT count(*) FROM checkpoint_fdw.options(); SET checkpoint_fdw.allowed_hosts = '*'; SELECT * FROM linked",
	"SET checkpoint_fdw.allowed_hosts = '*'; RESET checkpoint_fdw.allowed_hosts; SELECT * FROM linked",
	"BEGIN; SET LOCAL checkpoint_fdw.allowed_hosts = '*'; SELECT * FROM linked")
{
	($error, $log) = fails($sql, user => 'reader');
	like($error, $sql =~ /options/ ? qr/42501: permission denied to set parameter/ : $denied, "an ordinary user: $sql");
	is($log, '', '... and not asked');
}
leads_to({ json => [ { id => 1 } ] });
is($t->sql("SET checkpoint_fdw.allowed_hosts = '*'; SELECT * FROM linked"), '1', 'a superuser, before the library is loaded');
leads_to({ json => [ { id => 1 } ] });
is($t->sql("LOAD 'checkpoint_fdw'; SET checkpoint_fdw.allowed_hosts = '*'; SELECT * FROM linked"), '1', 'a superuser, afterwards');

# a list that is none must not mean all
configure('https://api.example.com');
$t->api(POST => '/_clear');
for my $user (qw(postgres reader))
{
	($error, $log) = fails('SELECT * FROM linked', user => $user);
	like($error, qr/22023: invalid value for parameter "checkpoint_fdw.allowed_hosts"/, "a wrong list in postgresql.conf is an error for $user");
	is($log, '', '... and nobody is asked');
}
($error) = fails("LOAD 'checkpoint_fdw'; SET checkpoint_fdw.allowed_hosts = 'https://api.example.com'");
like($error, qr/22023: invalid value for parameter "checkpoint_fdw.allowed_hosts"/, 'a wrong list in SET');

done_testing();
