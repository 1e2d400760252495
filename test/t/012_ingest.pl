# CALL ingest and CALL run where SQL tests do not reach: killed backends, several
# sessions at once, cancel requests, and messages that show times.
use strict;
use warnings;

use CheckpointTest;
use Test::More;
use Time::HiRes qw(sleep);

# To repeat a run: SEED=… test/run tap 012_ingest
my $seed = $ENV{SEED} // int(rand(1_000_000));
srand($seed);
note("SEED=$seed");

my $t = CheckpointTest->new('ingest');

$t->sql('ALTER DATABASE postgres SET checkpoint_fdw.batch_history = 100000');    # the log is compared with the rows
$t->sql(<<'SQL');
CREATE FOREIGN TABLE items (id int OPTIONS (key 'true')) SERVER api
  OPTIONS (endpoint '/items', params 'limit=10', records_path '/data', cursor_path '/next_cursor', cursor_param 'cursor', checkpoint 'cursor');
CREATE FOREIGN TABLE pages (id int OPTIONS (key 'true')) SERVER api
  OPTIONS (endpoint '/items/page', params 'per_page=10', records_path '/data', page_param 'page', checkpoint 'offset');
CREATE FOREIGN TABLE known (id int OPTIONS (key 'true')) SERVER api
  OPTIONS (endpoint '/items', params 'limit=10', records_path '/data', cursor_path '/next_cursor', cursor_param 'cursor', checkpoint 'keys');
CREATE FOREIGN TABLE changes (id int OPTIONS (key 'true'), at timestamptz) SERVER api
  OPTIONS (endpoint '/items', params 'limit=10', records_path '/data', cursor_path '/next_cursor', cursor_param 'cursor',
           checkpoint 'timestamp', timestamp_column 'at', timestamp_param 'since');
CREATE FOREIGN TABLE sorted (id int OPTIONS (key 'true'), at timestamptz) SERVER api
  OPTIONS (endpoint '/items', params 'limit=10', records_path '/data', cursor_path '/next_cursor', cursor_param 'cursor',
           checkpoint 'timestamp', timestamp_column 'at', timestamp_param 'since', record_order 'asc');
CREATE TABLE target (id int, at timestamptz);
CREATE TABLE poison (id int);
CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF EXISTS (SELECT FROM poison WHERE poison.id = NEW.id) THEN
    RAISE EXCEPTION 'no %', NEW.id;
  END IF;
  RETURN NEW;
END $$;
SQL

my @sources = ('items', 'pages', 'known', 'changes', 'sorted');

# Records with up to 25 a second.
sub serve
{
	my ($count) = @_;
	my $second = 0;
	my @records = map { $second++ if rand() < 0.04; { id => $_, at => sprintf('2024-01-01T00:%02d:%02dZ', $second / 60, $second % 60) } } 1 .. $count;
	$t->api(POST => '/_clear');
	$t->api(POST => '/_collection', { name => 'items', records => \@records, filter => { column => 'at', since => 'since', order => 'asc' } });
	$t->sql("TRUNCATE target; SELECT checkpoint_fdw.reset(t) FROM unnest('{" . join(',', @sources) . "}'::regclass[]) t");
}

sub loaded
{
	return $t->sql("SELECT count(*) || ' rows, ' || count(DISTINCT id) || ' ids up to ' || coalesce(max(id), 0) FROM target");
}

sub state
{
	return $t->sql("SELECT (SELECT count(*) FROM target) || ' rows, ' || coalesce(sum(records), 0) || ' in the log' FROM checkpoint_fdw.batches");
}

sub requests
{
	return scalar(split /\n/, $t->api(GET => '/_log?path=/items'));
}

# ---- a walk of 1,000 pages in batches of 10, killed 20 times
{
	my $ingest = "CALL checkpoint_fdw.ingest('items', 'target', batch_pages => 10)";
	my ($exact, $before) = (0, 0);

	serve(10_000);
	$t->api(POST => '/_rule', { path => '/items', always => { delay => 3 } });
	for my $round (1 .. 20)
	{
		my $victim = $t->start_sql("SET client_min_messages = warning; $ingest");
		$t->wait_for('/items', $before + 1 + int(rand(50)));
		sleep(rand(0.01));
		$t->kill_backend($victim->{pid});
		$t->finish($victim);
		$before = requests();
		my ($rows, $in_log) = state() =~ /\d+/g;
		$exact++ if $rows == $in_log && loaded() eq "$rows rows, $rows ids up to $rows";
	}
	is($exact, 20, "killed 20 times (SEED=$seed): rows and position go together each time");
	cmp_ok($t->sql('SELECT count(*) FROM target'), '<', 10_000, 'the walk was killed before its end');
	$t->api(DELETE => '/_rule');
	$t->sql($ingest);
	is(loaded(), '10000 rows, 10000 ids up to 10000', 'the next call goes on, and ends exact');
	note("asked " . requests() . " times for 1000 pages");
}

# ---- a crash after batch 3: three batches are there, and the next call goes on with the fourth
{
	serve(100);
	$t->api(POST => '/_rule', { path => '/items', at => { 7 => { hold => \1 } } });
	my $victim = $t->start_sql("CALL checkpoint_fdw.ingest('items', 'target', batch_pages => 2, idempotence_key => 'once')");
	$t->wait_for('/items', 7);
	CheckpointTest::until_true('three batches', sub { $t->sql('SELECT count(*) FROM checkpoint_fdw.batches') == 3 });
	$t->kill_backend($victim->{pid});
	$t->finish($victim);
	is(loaded(), '60 rows, 60 ids up to 60', 'a crash after batch 3 leaves three batches');
	is($t->sql('SELECT count(*) FROM checkpoint_fdw.completed_call'), 0, 'the call that crashed is not completed');
	$t->api(DELETE => '/_rule');
	$t->api(DELETE => '/_log');
	$t->sql("CALL checkpoint_fdw.ingest('items', 'target', batch_pages => 2, idempotence_key => 'once')");
	is(loaded(), '100 rows, 100 ids up to 100', 'the same call again loads the rest');
	is(requests(), 4, 'and asks for the rest only');
	$t->sql("CALL checkpoint_fdw.ingest('items', 'target', idempotence_key => 'once')");
	is(requests(), 4, 'a third time it asks nothing');
}

# ---- two at once
for my $case ([ 'ingest', "CALL checkpoint_fdw.ingest('items', 'target', batch_pages => 1)" ],
	[ 'run', "CALL checkpoint_fdw.run('INSERT INTO target (id) SELECT i.id FROM items i WHERE NOT EXISTS (SELECT FROM target t WHERE t.id = i.id)', batch_pages => 1)" ],
	[ 'MERGE', "CALL checkpoint_fdw.run('MERGE INTO target t USING items i ON i.id = t.id WHEN NOT MATCHED THEN INSERT (id) VALUES (i.id)', batch_pages => 1)" ])
{
	my ($name, $call) = @$case;
	serve(500);
	my @loads = map { $t->start_sql("SET client_min_messages = warning; $call") } 1, 2, 3;
	my @errors = map { ($t->finish($_))[1] } @loads;
	is(join('', @errors), '', "$name three times at once: no error");
	is(loaded(), '500 rows, 500 ids up to 500', "$name three times at once: every record once");
}

# ---- another session has the stream: wait, error, skip
{
	serve(30);
	my $other = $t->start_sql("BEGIN; INSERT INTO target SELECT id FROM items LIMIT 5; SELECT pg_advisory_lock(1); SELECT pg_sleep(600)");
	CheckpointTest::until_true('the other session', sub { $t->sql("SELECT count(*) FROM pg_locks WHERE locktype = 'advisory'") });
	my $asked = requests();
	my ($out, $error) = $t->finish($t->start_sql("SET checkpoint_fdw.on_busy = error; CALL checkpoint_fdw.ingest('items', 'target', idempotence_key => 'busy')"));
	like($error, qr/ERROR:  55P03: the checkpoint of foreign table "items" is in use by another session/, 'on_busy error: 55P03');
	($out, $error) = $t->finish($t->start_sql("SET checkpoint_fdw.on_busy = skip; CALL checkpoint_fdw.ingest('items', 'target', idempotence_key => 'busy')"));
	like($error, qr/NOTICE: .* another session loads foreign table "items"; nothing was read/, 'on_busy skip: a NOTICE');
	unlike($error, qr/ERROR/, 'on_busy skip: no error');
	is(requests(), $asked, 'neither asks anything');
	is($t->sql("SELECT count(*) FROM checkpoint_fdw.completed_call WHERE key = 'busy'"), 0, 'a skipped call is not completed');
	my $waiting = $t->start_sql("CALL checkpoint_fdw.ingest('items', 'target')");
	CheckpointTest::until_true('a wait', sub { $t->sql("SELECT count(*) FROM pg_locks WHERE NOT granted AND pid = $waiting->{pid}") });
	$t->sql("SELECT pg_terminate_backend($other->{pid})");
	$t->finish($other);
	($out, $error) = $t->finish($waiting);
	unlike($error, qr/ERROR/, 'wait: no error');
	is(loaded(), '30 rows, 30 ids up to 30', 'wait: every record once');
	is($t->sql("SELECT failures FROM checkpoint_fdw.status"), 0, 'a busy stream has not failed');
}

# ---- cancel and timeouts end a call; what was committed stays, and nothing of the batch
{
	my $call = "CALL checkpoint_fdw.ingest('items', 'target', batch_pages => 1, on_error => 'reject')";
	serve(50);
	$t->api(POST => '/_rule', { path => '/items', at => { 3 => { hold => \1 } } });
	my $load = $t->start_sql($call);
	$t->wait_for('/items', 3);
	$t->sql("SELECT pg_cancel_backend($load->{pid})");
	my ($out, $error) = $t->finish($load);
	like($error, qr/ERROR:  57014/, 'a cancel request ends the call');
	is(loaded(), '20 rows, 20 ids up to 20', 'two batches stay');
	$t->api(POST => '/_rule', { path => '/items', at => { 1 => { hold => \1 } } });
	($out, $error) = $t->finish($t->start_sql("SET statement_timeout = 300; $call"));
	like($error, qr/ERROR:  57014/, 'statement_timeout ends the call');
	is(loaded(), '20 rows, 20 ids up to 20', 'two batches stay');
	is($t->sql('SELECT count(*) FROM checkpoint_fdw.rejected'), 0, 'nothing was rejected for that');
	$t->api(DELETE => '/_rule');
	$t->sql($call);
	is(loaded(), '50 rows, 50 ids up to 50', 'the next call goes on');
}

# ---- what a call says
{
	serve(25);
	my ($out, $error) = $t->finish($t->start_sql("CALL checkpoint_fdw.ingest('items', 'target', batch_pages => 2)"));
	like($error, qr/NOTICE: .* public\.items, batch \d+: 2 pages, 20 records\nDETAIL:  \d+ records\/s; 20 records so far\./, 'NOTICE of the first batch');
	like($error, qr/NOTICE: .* public\.items, batch \d+: 1 pages, 5 records\nDETAIL:  \d+ records\/s; 25 records so far\./, 'NOTICE of the second');
	serve(25);
	$t->sql('TRUNCATE poison; INSERT INTO poison VALUES (12); CREATE TRIGGER refuse BEFORE INSERT ON target FOR EACH ROW EXECUTE FUNCTION refuse()');
	($out, $error) = $t->finish($t->start_sql("CALL checkpoint_fdw.ingest('items', 'target')"));
	like($error, qr/ERROR:  P0001: no 12\nCONTEXT:  PL\/pgSQL function refuse\(\) line \d+ at RAISE\nSQL statement "INSERT INTO public\.target/, 'an error comes out with its own context');
	$t->api(POST => '/_rule', { path => '/items', always => { json => { data => [ { id => 'x' } ] } } });
	($out, $error) = $t->finish($t->start_sql("CALL checkpoint_fdw.ingest('items', 'target')"));
	like($error, qr/CONTEXT:  column "id" of record 1: "x"\n.*page 1 of foreign table "items"/s, 'page and record are in it');
	$t->api(DELETE => '/_rule');
}

# ---- rows that the target refuses, anywhere: all others are loaded, and they are kept
for my $round (1 .. 20)
{
	my $source = $sources[ $round % @sources ];
	my $count = 1 + int(rand(120));
	my @poison = grep { rand() < (0.01, 0.1, 0.6)[ $round % 3 ] } 1 .. $count;
	my $pages = 1 + int(rand(6));
	my $conflict = ('error', 'nothing')[ $round % 2 ];

	serve($count);
	$t->sql('TRUNCATE poison; INSERT INTO poison SELECT unnest(ARRAY[' . join(',', @poison) . ']::int[])');
	$t->sql("CALL checkpoint_fdw.ingest('$source', 'target', batch_pages => $pages, conflict => '$conflict', on_error => 'reject')");
	my $good = $count - @poison;
	my $result = $t->sql(<<SQL);
SELECT (SELECT count(*) || ' loaded, ' || count(DISTINCT id) || ' ids' FROM target) || ', ' ||
       (SELECT coalesce(string_agg(record::json ->> 'id', ' ' ORDER BY id), '') FROM checkpoint_fdw.rejected) || ', ' ||
       (SELECT sum(records) || ' in the log, ' || sum(rejected) || ' rejected there' FROM checkpoint_fdw.batches)
SQL
	my $expected = "$good loaded, $good ids, @poison, $good in the log, " . @poison . ' rejected there';
	is($result, $expected, "$source, $count records, batches of $pages pages, " . @poison . " of them refused (SEED=$seed)");
}

done_testing();
