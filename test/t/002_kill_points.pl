# A load is killed at many points: its backend, and the whole server.  The next
# run must leave every record there exactly once.
use strict;
use warnings;

use CheckpointTest;
use Test::More;

my $t = CheckpointTest->new('kill_points');

$t->sql(<<'SQL');
CREATE FOREIGN TABLE items (id int OPTIONS (key 'true')) SERVER api
  OPTIONS (endpoint '/items', params 'limit=10', records_path '/data', cursor_path '/next_cursor', cursor_param 'cursor', checkpoint 'cursor');
CREATE TABLE target (id int);

-- Where a load stops: at a row, when its rows are in, or at its commit.
CREATE TABLE stop_at (place text);
INSERT INTO stop_at VALUES ('');
CREATE FUNCTION stop_here() RETURNS trigger LANGUAGE plpgsql AS $$
<<stop_here>>
DECLARE
  place text := TG_ARGV[0];
BEGIN
  IF place = 'row' THEN
    place := 'row ' || NEW.id;
  END IF;
  PERFORM pg_advisory_xact_lock_shared(1) FROM stop_at WHERE stop_at.place = stop_here.place;
  RETURN NEW;
END $$;
CREATE TRIGGER stop_at_row BEFORE INSERT ON target FOR EACH ROW EXECUTE FUNCTION stop_here('row');
CREATE TRIGGER stop_at_end AFTER INSERT ON target FOR EACH STATEMENT EXECUTE FUNCTION stop_here('end');
CREATE CONSTRAINT TRIGGER stop_at_commit AFTER INSERT ON target DEFERRABLE INITIALLY DEFERRED
  FOR EACH ROW EXECUTE FUNCTION stop_here('commit');
SQL

my $load = 'INSERT INTO target SELECT * FROM items';

sub state
{
	my ($consumer) = @_;
	return $t->sql(<<SQL);
SELECT count(*) || ' rows, ' || count(DISTINCT id) || ' ids up to ' || coalesce(max(id), 0),
       coalesce((SELECT position::text FROM checkpoint_fdw.checkpoint WHERE consumer = '$consumer'), 'no checkpoint')
FROM target
SQL
}

# Start a load that stops at a place, kill with $kill, check, and run again.
sub kill_at
{
	my ($place, $loaded, $what, $kill) = @_;
	my $consumer = "$what killed at $place after $loaded";
	my $set = "SET checkpoint_fdw.consumer = '$consumer'";
	my $blocker;

	$t->api(POST => '/_clear');
	$t->api(POST => '/_collection', { name => 'items', records => CheckpointTest::records(1, $loaded) });
	$t->sql("TRUNCATE target; UPDATE stop_at SET place = ''");
	$t->sql("$set; $load") if $loaded;
	my $before = state($consumer);
	$t->api(POST => '/_collection', { name => 'items', append => CheckpointTest::records($loaded + 1, 120) });
	$t->api(DELETE => '/_log');

	if ($place =~ /^request (\d+)/)
	{
		$t->api(POST => '/_rule', { path => '/items', at => { $1 => { hold => \1 } } });
	}
	else
	{
		$t->sql("UPDATE stop_at SET place = '$place'");
		$blocker = $t->start_sql("SELECT pg_advisory_lock(1); SELECT pg_sleep(600)");
		wait_for_lock('advisory', 1);
	}
	my $victim = $t->start_sql("$set; $load");
	$blocker ? wait_for_lock('advisory', 0) : $t->wait_for('/items', $1);

	$kill->($victim);
	$t->finish($_) for grep { $_ } $victim, $blocker;
	$t->api(DELETE => '/_rule');
	is(state($consumer), $before, "$consumer: nothing stays of the killed load");
	$t->sql("UPDATE stop_at SET place = ''; $set; $load");
	like(state($consumer), qr/^120 rows, 120 ids up to 120\|/, "$consumer: every record once after the next run");
}

# An advisory lock that is granted (1) or awaited (0).
sub wait_for_lock
{
	my ($type, $granted) = @_;
	CheckpointTest::until_true('a lock', sub {
		$t->sql("SELECT count(*) FROM pg_locks WHERE locktype = '$type' AND granted = ($granted = 1)") > 0 });
}

sub kill_backend { $t->kill_backend($_[0]{pid}) }

my @first_load = ((map { "request $_" } 1 .. 12), (map { "row $_" } 1, 2, 10, 11, 57, 119, 120), 'end', 'commit');
my @second_load = ('request 1', 'request 2', 'request 7', 'row 61', 'row 100', 'end', 'commit');

kill_at($_, 0, 'backend', \&kill_backend) for @first_load;
kill_at($_, 60, 'backend', \&kill_backend) for @second_load;
kill_at($_, 0, 'server', sub { $t->crash_server }) for 'request 1', 'request 8', 'row 57', 'end', 'commit';
kill_at($_, 60, 'server', sub { $t->crash_server }) for 'request 3', 'row 61', 'commit';

done_testing();
