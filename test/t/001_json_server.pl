# A server that nobody here wrote: json-server, over the languages of ISO 639-3,
# paged by link headers and by offsets.
use strict;
use warnings;

use CheckpointTest;
use JSON::PP;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

plan skip_all => 'json-server cannot be had: npm is missing or cannot install it' unless $ENV{JSON_SERVER} && -f $ENV{JSON_SERVER};

my $languages = decode_json(slurp_file('/usr/share/iso-codes/json/iso_639-3.json'))->{'639-3'};
my @records = map { { id => $_->{alpha_3}, name => $_->{name}, type => $_->{type} } } @$languages;

my $dir = PostgreSQL::Test::Utils::tempdir();
append_to_file("$dir/db.json", encode_json({ languages => \@records }));
my $port = PostgreSQL::Test::Cluster::get_free_port();
CheckpointTest::start_program('node', $ENV{JSON_SERVER}, '--quiet', '--host', '127.0.0.1', '--port', $port, "$dir/db.json");

my $t = CheckpointTest->new('json_server');
my $url = "http://127.0.0.1:$port";
CheckpointTest::until_true('json-server', sub { $t->{http}->get("$url/languages/aaa")->{success} });

$t->sql(<<SQL);
CREATE SERVER json_server FOREIGN DATA WRAPPER checkpoint_fdw OPTIONS (base_url '$url');
CREATE FOREIGN TABLE by_link (id text OPTIONS (key 'true'), name text, type text) SERVER json_server
  OPTIONS (endpoint '/languages', params '_page=1&_limit=100', pagination 'link_header', checkpoint 'cursor');
CREATE FOREIGN TABLE by_offset (id text OPTIONS (key 'true'), name text, type text) SERVER json_server
  OPTIONS (endpoint '/languages', offset_param '_start', limit_param '_limit', page_size '100', checkpoint 'offset');
CREATE TABLE from_by_link (id text, name text, type text);
CREATE TABLE from_by_offset (id text, name text, type text);
SQL

# Load once through both; the ids of the new rows of each.
sub load
{
	return map { $t->sql("WITH new AS (INSERT INTO from_$_ SELECT * FROM $_ RETURNING id) SELECT count(*), count(DISTINCT id) FROM new") } qw(by_link by_offset);
}

my $all = @records;
is_deeply([ load() ], [ "$all|$all", "$all|$all" ], "first load: all $all languages once");
is_deeply([ load() ], [ '0|0', '0|0' ], 'nothing new');

$t->api(POST => "$url/languages", { id => $_, name => "local $_", type => 'S' }) for qw(qaa qab qac);
is_deeply([ load() ], [ '3|3', '3|3' ], 'three records added: three rows');
$t->api(POST => "$url/languages", { id => sprintf('q%03d', $_), name => "local $_", type => 'S' }) for 1 .. 120;
is_deeply([ load() ], [ '120|120', '120|120' ], 'more than a page added: exactly these');

my $expected = join "\n", sort(map({ $_->{id} } @records), qw(qaa qab qac), map { sprintf 'q%03d', $_ } 1 .. 120);
is($t->sql("SELECT id FROM from_$_ ORDER BY id COLLATE \"C\""), $expected, "$_: every id once") for qw(by_link by_offset);

done_testing();
