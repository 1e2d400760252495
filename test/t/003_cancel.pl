# A statement can be ended in every phase of a request: cancel,
# statement_timeout and pg_terminate_backend do not wait for the network, and
# leave target and checkpoint alone.
use strict;
use warnings;

use CheckpointTest;
use IO::Socket::INET;
use List::Util qw(max);
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(sleep time);

my $shim = PostgreSQL::Test::Utils::tempdir() . '/slow_dns.so';
PostgreSQL::Test::Utils::system_or_bail('gcc', '-shared', '-fPIC', '-o', $shim, "$ENV{TOP}/test/t/slow_dns.c", '-ldl');
my $t = CheckpointTest->new('cancel', env => { LD_PRELOAD => $shim });

# A listener that accepts nobody, its queue full: connecting to it never ends.
my $listener = IO::Socket::INET->new(LocalAddr => '127.0.0.1', Listen => 1) or die "listen: $!";
my @queue = map { IO::Socket::INET->new(PeerAddr => '127.0.0.1', PeerPort => $listener->sockport, Blocking => 0) } 1 .. 4;
sleep 0.1;

my %base_url = (
	connecting => 'http://127.0.0.1:' . $listener->sockport,
	'looking up a name' => 'http://slow.test',
	'server silent' => $t->{url},
	'server drips' => $t->{url},
	'server silent in the body' => $t->{url});
my %step = (
	'server silent' => { json => [], hold => \1 },
	'server drips' => { body => '[' . ' ' x 10000 . ']', drip => { bytes => 1, ms => 50 } },
	'server silent in the body' => { json => CheckpointTest::records(1, 50), hold_after => 100 });
my @phases = sort keys %base_url;

my $server = 'a';
my %table;
for my $phase (@phases)
{
	$table{$phase} = "items_$server";
	$t->sql(<<SQL);
CREATE SERVER $server FOREIGN DATA WRAPPER checkpoint_fdw OPTIONS (base_url '$base_url{$phase}');
CREATE FOREIGN TABLE items_$server (id int OPTIONS (key 'true')) SERVER $server OPTIONS (endpoint '/items', checkpoint 'cursor', pagination 'link_header');
SQL
	$server++;
}
$t->sql('CREATE TABLE target (id int)');

# What ends the statement, and the SQLSTATE it then has; each gives back the moment of its wish.
my %enders = (
	cancel => [ '57014', sub { $t->sql("SELECT pg_cancel_backend($_[0]{pid})"); return time } ],
	terminate => [ '57P01', sub { $t->sql("SELECT pg_terminate_backend($_[0]{pid})"); return time } ],
	statement_timeout => [ '57014', sub { return $_[0]{started} + 0.5 } ]);

my @latencies;
for my $phase (@phases)
{
	for my $ender (sort keys %enders)
	{
		my ($sqlstate, $end) = @{ $enders{$ender} };
		my $timeout = $ender eq 'statement_timeout' ? '500ms' : '0';
		$t->api(POST => '/_clear');
		$t->api(POST => '/_rule', { path => '/items', script => [ $step{$phase} ] }) if $step{$phase};

		my $run = $t->start_sql("SET statement_timeout = '$timeout'; INSERT INTO target SELECT * FROM $table{$phase}");
		$run->{started} = time;
		sleep 0.3;
		my $wish = $end->($run);
		my (undef, $error) = $t->finish($run);
		my $latency = max(0, $run->{ended} - $wish);
		push @latencies, sprintf '%s, %s: %d ms', $phase, $ender, 1000 * $latency;
		like($error, qr/$sqlstate/, "$phase: $ender ends it with $sqlstate");
		cmp_ok($latency, '<', 5, "$phase: $ender ends it at once");
		is($t->sql("SELECT count(*), (SELECT count(*) FROM checkpoint_fdw.checkpoint) FROM target"), '0|0',
			"$phase: after $ender target and checkpoint are as before");
	}
}
diag(join "\n", 'time from the wish to the end of the session', @latencies);

# The same session goes on after a cancel.
$t->api(POST => '/_clear');
$t->api(POST => '/_rule', { path => '/items', script => [ { json => [], hold => \1 }, { json => CheckpointTest::records(1, 3) } ] });
my $run = $t->start_sql(<<SQL);
\\set ON_ERROR_STOP 0
SET statement_timeout = '300ms';
INSERT INTO target SELECT * FROM $table{'server silent'};
SET statement_timeout = 0;
INSERT INTO target SELECT * FROM $table{'server silent'};
SELECT count(*) FROM target
SQL
my ($out) = $t->finish($run);
is($out, "3\n", 'after a cancel the session loads as ever');

done_testing();
