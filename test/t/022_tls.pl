# Certificates: a private issuer, an expired one, one for another host; client
# certificates; and a proxy, which sees nothing of what is inside.
use strict;
use warnings;

use CheckpointTest;
use IO::Select;
use IO::Socket::INET;
use PostgreSQL::Test::Utils;
use Test::More;

plan skip_all => 'the openssl program is missing' if system('openssl version >/dev/null 2>&1') != 0;

my $proxy;
my $dir = PostgreSQL::Test::Utils::tempdir();

sub run_openssl
{
	my @command = ('openssl', @_);
	my ($out, $error) = run_command(\@command);
	-f $command[-1] or BAIL_OUT("@command: $error");
}

# A certificate with its key in one file; days may be negative.
sub make_cert
{
	my ($name, $issuer, $names, $days) = @_;
	append_to_file("$dir/$name.ext", "subjectAltName=$names\nbasicConstraints=CA:FALSE\n");
	run_openssl(qw(req -newkey rsa:2048 -nodes -subj), "/CN=$name", '-keyout', "$dir/$name.key", '-out', "$dir/$name.csr");
	run_openssl(qw(x509 -req -in), "$dir/$name.csr", '-CA', "$dir/$issuer.crt", '-CAkey', "$dir/$issuer.key", '-CAcreateserial',
		'-days', $days, '-extfile', "$dir/$name.ext", '-out', "$dir/$name.crt");
	append_to_file("$dir/$name.pem", slurp_file("$dir/$name.crt") . slurp_file("$dir/$name.key"));
	return "$dir/$name.pem";
}

for my $issuer (qw(ca other_ca))
{
	run_openssl(qw(req -x509 -newkey rsa:2048 -nodes -days 10 -subj), "/CN=$issuer", '-keyout', "$dir/$issuer.key", '-out', "$dir/$issuer.crt");
}
# proxies of the environment have no say
my $t = CheckpointTest->new('tls', env => { map { $_ => 'http://127.0.0.1:1' } qw(http_proxy https_proxy HTTPS_PROXY all_proxy ALL_PROXY) });
my $here = 'IP:127.0.0.1,DNS:localhost';
my %url = (
	good => CheckpointTest::start_api('good', '--cert', make_cert('good', 'ca', $here, 10)),
	expired => CheckpointTest::start_api('expired', '--cert', make_cert('expired', 'ca', $here, -1)),
	wrong_host => CheckpointTest::start_api('wrong_host', '--cert', make_cert('wrong_host', 'ca', 'DNS:example.com', 10)),
	other_issuer => CheckpointTest::start_api('other_issuer', '--cert', make_cert('other_issuer', 'other_ca', $here, 10)),
	with_client => CheckpointTest::start_api('with_client', '--cert', "$dir/good.pem", '--client-ca', "$dir/ca.crt"));
my $client = make_cert('client', 'ca', 'DNS:client', 10);
my $stranger = make_cert('stranger', 'other_ca', 'DNS:stranger', 10);
# the server's process reads them
chmod 0644, glob("$dir/*");
chmod 0755, $dir;

for my $name (sort keys %url)
{
	$t->sql(<<SQL);
CREATE SERVER $name FOREIGN DATA WRAPPER checkpoint_fdw OPTIONS (base_url '$url{$name}', ca_file '$dir/ca.crt', max_retries '1', auth 'bearer');
CREATE USER MAPPING FOR CURRENT_USER SERVER $name OPTIONS (token 'canary');
CREATE FOREIGN TABLE $name (id int) SERVER $name OPTIONS (endpoint '/items');
SQL
}

# Records of a table of one record, or the error.  The servers speak https, so the record is the 404 that they all give.
sub ask
{
	my ($table) = @_;
	my ($status, $out, $error) = $t->{node}->psql('postgres', "SELECT * FROM $table", extra_params => [ '-v', 'VERBOSITY=verbose' ]);
	return $error =~ /status 404/ ? 'an answer' : $error;
}

# ---- the server's certificate
is(ask('good'), 'an answer', 'a certificate of the issuer in ca_file');
like(ask('expired'), qr/08001: certificate of the server is not trusted.*expired/s, 'an expired certificate is refused');
like(ask('wrong_host'), qr/08001: certificate of the server is not trusted.*127\.0\.0\.1/s, 'one for another host is refused');
like(ask('other_issuer'), qr/08001: certificate of the server is not trusted/, 'one of another issuer is refused');
unlike(ask($_), qr/It was asked|canary/, "$_: refused at once") for qw(expired wrong_host other_issuer);

$t->sql('ALTER SERVER good OPTIONS (DROP ca_file)');
like(ask('good'), qr/08001: certificate of the server is not trusted/, "without ca_file the system's issuers count");
$t->sql("ALTER SERVER good OPTIONS (ADD ca_file '$dir/other_ca.crt')");
like(ask('good'), qr/08001: certificate of the server is not trusted/, 'a changed ca_file counts for a kept connection, too');
$t->sql("ALTER SERVER good OPTIONS (SET ca_file '$dir/nothing.crt')");
like(ask('good'), qr/08001: trusted certificates cannot be read.*ca_file/s, 'a missing ca_file');
$t->sql("ALTER SERVER good OPTIONS (SET ca_file '$dir/ca.crt', SET base_url '" . $url{good} =~ s/127\.0\.0\.1/localhost/r . "')");
is(ask('good'), 'an answer', 'the other name of the certificate');

# plain HTTP to a TLS port, TLS to a plain one
$t->sql("ALTER SERVER good OPTIONS (SET base_url '" . $url{good} =~ s/https/http/r . "', SET max_retries '0')");
like(ask('good'), qr/0800\d: |HV000: /, 'http to a port that speaks https');
$t->sql("ALTER SERVER good OPTIONS (SET base_url '" . $t->{url} =~ s/http/https/r . "')");
like(ask('good'), qr/08001: TLS handshake with the server failed/, 'https to a port that speaks http');

# ---- client certificates
like(ask('with_client'), qr/0800\d: /, 'a server that wants a client certificate gets none');
$t->sql("ALTER USER MAPPING FOR CURRENT_USER SERVER with_client OPTIONS (ADD client_cert '$client')");
is(ask('with_client'), 'an answer', 'it gets one, the key in the same file');
$t->sql("ALTER USER MAPPING FOR CURRENT_USER SERVER with_client OPTIONS (SET client_cert '$dir/client.crt', ADD client_key '$dir/client.key')");
is(ask('with_client'), 'an answer', 'it gets one, the key in a file of its own');
$t->sql("ALTER USER MAPPING FOR CURRENT_USER SERVER with_client OPTIONS (SET client_key '$dir/stranger.key')");
like(ask('with_client'), qr/08001: client certificate cannot be used.*client_key/s, 'a key of another certificate');
$t->sql("ALTER USER MAPPING FOR CURRENT_USER SERVER with_client OPTIONS (SET client_cert '$stranger', DROP client_key)");
like(ask('with_client'), qr/0800\d: /, 'a certificate of another issuer is refused by the server');
$t->sql("ALTER USER MAPPING FOR CURRENT_USER SERVER with_client OPTIONS (SET client_cert '$dir/nothing.pem')");
like(ask('with_client'), qr/08001: client certificate cannot be used/, 'a missing file');

# ---- a proxy
$proxy = start_proxy();
$t->sql("ALTER SERVER wrong_host OPTIONS (SET base_url '$url{with_client}', ADD proxy '$proxy->{url}')");
$t->sql("ALTER USER MAPPING FOR CURRENT_USER SERVER wrong_host OPTIONS (ADD client_cert '$client')");
is(ask('wrong_host'), 'an answer', 'https through a proxy');
my $seen = slurp_file($proxy->{log});
my ($port) = $url{with_client} =~ /(\d+)$/;
like($seen, qr/^CONNECT 127\.0\.0\.1:$port HTTP/, 'the proxy was asked for a tunnel');
unlike($seen, qr/canary|Authorization|items/i, '... and saw nothing else');
$t->sql("ALTER SERVER wrong_host OPTIONS (SET base_url '$t->{url}')");
$t->api(POST => '/_rule', { path => '/items', script => [ { json => [ { id => 1 } ] } ] });
is($t->sql('SELECT * FROM wrong_host'), '1', 'http through a proxy');
like(slurp_file($proxy->{log}), qr{^GET \Q$t->{url}\E/items HTTP}m, '... which was asked for the whole URL');
$t->sql("ALTER SERVER wrong_host OPTIONS (SET base_url 'http://169.254.169.254')");
like(ask('wrong_host'), qr/42501: address 169\.254\.169\.254 is refused/, 'an address that is refused is not asked of a proxy either');
$t->sql("ALTER SERVER wrong_host OPTIONS (SET proxy 'http://127.0.0.1:1', SET max_retries '0')");
like(ask('wrong_host'), qr/42501/, 'a proxy that is not there is not asked about it');
$t->sql("ALTER SERVER wrong_host OPTIONS (SET base_url '$t->{url}')");
like(ask('wrong_host'), qr/08001: could not connect to the server/, 'a proxy that is not there');

done_testing();

END
{
	local $?;
	kill 'KILL', $proxy->{pid} if $proxy;
}

# A proxy in a process of its own: its URL, and the file of what it was asked.
sub start_proxy
{
	my $listener = IO::Socket::INET->new(LocalAddr => '127.0.0.1', Listen => 10) or die "listen: $!";
	my $log = "$dir/proxy.log";
	append_to_file($log, '');
	my $parent = $$;
	my $pid = fork // die "fork: $!";
	if ($pid == 0)
	{
		$SIG{PIPE} = 'IGNORE';
		close STDOUT;
		close STDERR;
		while (kill 0, $parent)
		{
			next unless IO::Select->new($listener)->can_read(0.5);
			eval { serve_proxy(scalar $listener->accept, $log) };
		}
		POSIX::_exit(0);
	}
	return { url => 'http://127.0.0.1:' . $listener->sockport, log => $log, pid => $pid };
}

sub serve_proxy
{
	my ($client, $log) = @_;
	my $head = '';
	while ($head !~ /\r\n\r\n/)
	{
		sysread($client, $head, 4096, length $head) or return;
	}
	append_to_file($log, $head);
	my ($connect, $host, $port) = $head =~ m{^(CONNECT |\S+ http://)(127\.0\.0\.1):(\d+)} or return;
	my $server = IO::Socket::INET->new(PeerAddr => $host, PeerPort => $port) or return;
	if ($connect eq 'CONNECT ')
	{
		syswrite $client, "HTTP/1.1 200 OK\r\nX-Proxy: 1\r\n\r\n";
	}
	else
	{
		syswrite $server, $head =~ s{http://[^/]+}{}r;
	}
	my %peer = ($client => $server, $server => $client);
	my $both = IO::Select->new($client, $server);
	while (1)
	{
		my @ready = $both->can_read(30) or return;
		for my $from (@ready)
		{
			sysread($from, my $data, 65536) or return;
			syswrite $peer{$from}, $data;
		}
	}
}
