# Rows and position of a prepared transaction stay together, also over a crash
# of the server between PREPARE and COMMIT.
use strict;
use warnings;

use CheckpointTest;
use Test::More;

my $t = CheckpointTest->new('prepared_tx');
$t->sql(<<'SQL');
CREATE FOREIGN TABLE items (id int OPTIONS (key 'true')) SERVER api
  OPTIONS (endpoint '/items', params 'limit=10', records_path '/data', cursor_path '/next_cursor', cursor_param 'cursor', checkpoint 'cursor');
CREATE TABLE target (id int);
SQL
$t->api(POST => '/_collection', { name => 'items', records => CheckpointTest::records(1, 25) });

sub load { $t->sql('INSERT INTO target SELECT * FROM items') }

sub prepare { $t->sql("BEGIN; INSERT INTO target SELECT * FROM items; PREPARE TRANSACTION 'load'") }

sub state
{
	return $t->sql("SELECT count(*), count(DISTINCT id), (SELECT count(*) FROM checkpoint_fdw.checkpoint) FROM target");
}

prepare();
is(state(), '0|0|0', 'prepared: neither rows nor checkpoint yet');
$t->sql("ROLLBACK PREPARED 'load'");
load();
is(state(), '25|25|1', 'rolled back: the next load reads everything');

$t->api(POST => '/_collection', { name => 'items', append => CheckpointTest::records(26, 40) });
prepare();
$t->crash_server;
is(state(), '25|25|1', 'prepared, server killed: nothing of it to be seen');

# A load that meets the prepared one waits for it, and then goes on after it.
$t->api(DELETE => '/_log');
my $waiting = $t->start_sql("SET application_name = 'waiting'; INSERT INTO target SELECT * FROM items");
CheckpointTest::until_true('a lock wait',
	sub { $t->sql("SELECT count(*) FROM pg_stat_activity WHERE application_name = 'waiting' AND wait_event_type = 'Lock'") == 1 });
is($t->api(GET => '/_log'), '', 'a second load waits before its first request');
$t->sql("COMMIT PREPARED 'load'");
is(($t->finish($waiting))[1], '', 'the second load ends well');
is(state(), '40|40|1', 'committed: every record once, from both loads');

done_testing();
