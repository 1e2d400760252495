# What other sessions see of a running statement: checkpoint_fdw.progress,
# pg_stat_progress_copy and the wait event.
use strict;
use warnings;

use CheckpointTest;
use Test::More;

my $t = CheckpointTest->new('progress');
my $new_events = $t->sql("SELECT current_setting('server_version_num')::int >= 170000") eq 't';

$t->sql(<<SQL);
CREATE FOREIGN TABLE items (id int OPTIONS (key 'true')) SERVER api
  OPTIONS (endpoint '/items', params 'limit=10', records_path '/data', cursor_path '/next_cursor', cursor_param 'cursor', checkpoint 'cursor');
CREATE FOREIGN TABLE others (id int) SERVER api OPTIONS (endpoint '/others', records_path '/data');
CREATE TABLE target (id int);
CREATE FUNCTION slot(source regclass) RETURNS text LANGUAGE sql AS
  'SELECT format(\$\$%s pages, %s records of %s\$\$, pages, records, foreign_table) FROM checkpoint_fdw.progress WHERE foreign_table = source';
SQL

# Serve 25 items, and hold the answer to request k.
sub hold
{
	my ($k) = @_;
	$t->api(POST => '/_clear');
	$t->api(POST => '/_collection', { name => 'items', records => CheckpointTest::records(1, 25) });
	$t->api(POST => '/_collection', { name => 'others', records => CheckpointTest::records(1, 3) });
	$t->api(POST => '/_rule', { path => '/items', at => { $k => { hold => \1 } } });
	$t->sql("SELECT checkpoint_fdw.reset('items')");
}

# Start a statement and wait until it waits for the answer that is held, all records before it used.
sub start_held
{
	my ($k, $sql) = @_;
	hold($k);
	my $run = $t->start_sql($sql);
	$t->wait_for('/items', $k);
	my $shown = sprintf '%d pages, %d records of items', $k - 1, 10 * ($k - 1);
	CheckpointTest::until_true("'$shown'", sub { $t->sql("SELECT slot('items')") eq $shown });
	return $run;
}

sub wait_event
{
	my ($run) = @_;
	return $t->sql("SELECT wait_event_type || ' ' || wait_event FROM pg_stat_activity WHERE pid = $run->{pid}");
}

sub release
{
	my ($run) = @_;
	$t->api(POST => '/_release', {});
	return $t->finish($run);
}

# ---- a load
my $load = start_held(3, 'INSERT INTO target SELECT * FROM items');
is($t->sql("SELECT count(*) FROM checkpoint_fdw.progress p JOIN pg_stat_activity a USING (pid) WHERE p.pid = $load->{pid} AND a.query LIKE 'INSERT%'"),
	1, 'a load shows itself with its backend');
is($t->sql("SELECT relid::regclass, command, type, tuples_processed, bytes_processed > 0 FROM pg_stat_progress_copy WHERE pid = $load->{pid}"),
	'items|COPY FROM|CALLBACK|20|t', 'also in pg_stat_progress_copy');
is($t->sql("SELECT bytes = (SELECT bytes_processed FROM pg_stat_progress_copy WHERE pid = $load->{pid}) FROM checkpoint_fdw.progress"),
	't', 'and both say the same of its bytes');
is(wait_event($load), $new_events ? 'Extension CheckpointFdwResponse' : 'Extension Extension', 'it waits for the API');
is($t->sql(<<SQL), '0', 'a role without pg_read_all_stats does not see it');
CREATE ROLE stranger;
SET ROLE stranger;
SELECT count(*) FROM checkpoint_fdw.progress;
SQL
$t->sql('CREATE DATABASE elsewhere TEMPLATE template0');
is($t->{node}->safe_psql('elsewhere', 'CREATE EXTENSION checkpoint_fdw; SELECT count(*) FROM checkpoint_fdw.progress'),
	'0', 'nor does another database');
release($load);
is($t->sql('SELECT count(*) FROM target'), 25, 'the load went on');
is($t->sql('SELECT count(*) FROM pg_stat_progress_copy'), 0, 'and shows nothing afterwards');

# ---- pages without news: nothing is handed up, but they count
hold(3);
$t->sql("ALTER FOREIGN TABLE items OPTIONS (SET checkpoint 'keys')");
$t->api(POST => '/_rule', { path => '/items', at => { 5 => { hold => \1 } } });
$t->sql('INSERT INTO target SELECT * FROM items');
$load = $t->start_sql('INSERT INTO target SELECT * FROM items');
CheckpointTest::until_true("pages without news", sub { $t->sql("SELECT slot('items')") eq '1 pages, 0 records of items' });
pass('pages count although nothing of them is handed up');
release($load);
$t->sql("ALTER FOREIGN TABLE items OPTIONS (SET checkpoint 'cursor')");

# ---- between two attempts
hold(2);
$t->api(POST => '/_rule', { path => '/items', script => [ { status => 503, headers => { 'Retry-After' => '30' } } ] });
$load = $t->start_sql('SELECT count(*) FROM items');
my $backoff = $new_events ? 'Extension CheckpointFdwBackoff' : 'Extension Extension';
CheckpointTest::until_true($backoff, sub { wait_event($load) eq $backoff });
$t->sql("SELECT pg_cancel_backend($load->{pid})");
$t->finish($load);
pass('it waits to ask again');

# ---- before the first answer
$load = start_held(1, 'SELECT count(*) FROM items');
is($t->sql("SELECT slot('items')"), '0 pages, 0 records of items', 'reading without loading is shown, too, from the first request on');
release($load);

# ---- after an error the place is free again in the same session
$load = start_held(2, <<SQL);
\\set ON_ERROR_STOP 0
SET statement_timeout = '1s';
SELECT count(*) FROM items;
SELECT 'busy ' || count(*) FROM pg_stat_progress_copy WHERE pid = pg_backend_pid()
SQL
my ($out, $error) = $t->finish($load);
like($error, qr/57014/, 'a statement that is cancelled');
is($out, "busy 0\n", 'leaves nothing behind');
$t->api(POST => '/_release', {});

# ---- a backend has one place: COPY keeps it
hold(2);
$load = $t->start_sql('COPY (SELECT * FROM items) TO STDOUT');
$t->wait_for('/items', 2);
CheckpointTest::until_true('COPY', sub { $t->sql("SELECT command || ' ' || tuples_processed FROM pg_stat_progress_copy") eq 'COPY TO 10' });
is($t->sql('SELECT count(*) FROM checkpoint_fdw.progress'), 0, 'COPY shows its own progress');
release($load);

# ---- the scan that comes after another one
$load = start_held(2, 'SELECT * FROM (SELECT id FROM others UNION ALL SELECT id FROM items) u');
pass('a scan shows itself when the one before it has ended');
release($load);

# ---- a scan that is stopped early
$load = start_held(2, 'SELECT count(*) FROM (SELECT * FROM items LIMIT 15) i; SELECT count(*) FROM pg_stat_progress_copy; SELECT 1');
($out) = release($load);
is($out, "15\n0\n1\n", 'a scan that is stopped early shows nothing afterwards');

# ---- a subtransaction that is rolled back clears the place, which is then taken again
$t->sql(<<SQL);
CREATE FUNCTION fail(id int) RETURNS int LANGUAGE plpgsql AS \$\$
BEGIN
  RAISE EXCEPTION 'no';
EXCEPTION WHEN OTHERS THEN
  RETURN id;
END \$\$;
SQL
$load = start_held(3, 'INSERT INTO target SELECT fail(id) FROM items');
pass('progress is shown again after a subtransaction was rolled back');
release($load);

done_testing();
