# The sessions of README.md: its sql blocks are run in order by one psql, and
# each must print the text block that follows it.  src/README.md explains the
# modules that there are, and no page names a file that there is not.
use strict;
use warnings;

use CheckpointTest;
use IPC::Run;
use JSON::PP;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $page = slurp_file("$ENV{TOP}/README.md");

# The page was written over the first 7,910 languages, which is all of them in one version of iso-codes.
my $address = '127.0.0.1:8639';
my $file = '/usr/share/iso-codes/json/iso_639-3.json';
my $count = 7910;

my @blocks;
while ($page =~ /^```sql\n(.*?)^```\n(?:\n^```text\n(.*?)^```\n)?/msg)
{
	my ($sql, $text, $before) = ($1, $2, substr($page, 0, $-[0]));
	push @blocks, { sql => $sql, text => $text, line => 1 + $before =~ tr/\n// };
}
my ($arguments) = $page =~ /^python3 test\/api\/server\.py (.*) &$/m;
cmp_ok(scalar @blocks, '>', 5, 'README.md has sql blocks');
ok($arguments, 'and says how to start the sample API');

my %layers = map { $_ => 1 } map { split ' ', s/^\d//r } grep { /^\d/ } split /\n/, slurp_file("$ENV{TOP}/test/lint/layers");
my %explained = map { $_ => 1 } map { /`(\w+)`/g } slurp_file("$ENV{TOP}/src/README.md") =~ /^\| ((?:`\w+`(?:, )?)+) \|/mg;
is(join(' ', sort grep { !$explained{$_} } keys %layers), '', 'src/README.md explains each module of test/lint/layers');

for my $name (qw(README.md CHANGELOG.md doc/options.md doc/guarantee.md src/README.md test/README.md))
{
	my ($dir) = $name =~ m{^(.*/)?};
	my $text = slurp_file("$ENV{TOP}/$name") =~ s/^```.*?^```//msgr;
	my @files = map { ($dir // '') . $_ } $text =~ /\]\(([^):#]+)(?:#[^)]*)?\)/g;
	push @files, $text =~ m{`((?:test|src|doc|sql)/[\w/]+\.\w+)`}g if $name !~ /^(src|test)/;
	push @files, map { "test/$_" } $text =~ m{`((?:t|sql|unit|isolation|lint)/[\w/]+\.\w+)`}g if $name =~ /^src/;
	is(join(' ', grep { !-e "$ENV{TOP}/$_" } @files), '', "$name names files that exist");
}

my $t = CheckpointTest->new('readme');
my $port = PostgreSQL::Test::Cluster::get_free_port();
start_sample_api();
$t->sql('CREATE DATABASE readme');
my @printed = run_blocks();
is(scalar @printed, scalar @blocks, 'all blocks have been run');

for my $i (0 .. $#blocks)
{
	my ($block, $printed) = ($blocks[$i], $printed[$i]);
	if (defined $block->{text})
	{
		is($printed, $block->{text}, "README.md, line $block->{line}");
	}
	else
	{
		unlike($printed, qr/^(ERROR|WARNING|psql:)/m, "README.md, line $block->{line}");
	}
}
done_testing();

# As README.md says, but for the port, and with a file of a known length.
sub start_sample_api
{
	my $languages = decode_json(slurp_file($file))->{'639-3'};
	my $dir = PostgreSQL::Test::Utils::tempdir();
	plan(skip_all => "$file has less than $count languages") if @$languages < $count;
	append_to_file("$dir/languages.json", JSON::PP->new->utf8->canonical->encode({ '639-3' => [ @$languages[ 0 .. $count - 1 ] ] }));
	$arguments =~ s/8639/$port/;
	$arguments =~ s/\Q$file\E/$dir\/languages.json/;
	$arguments =~ tr/'//d;
	CheckpointTest::start_program('python3', "$ENV{TOP}/test/api/server.py", split ' ', $arguments);
	CheckpointTest::until_true('the sample API', sub { $t->{http}->get("http://127.0.0.1:$port/languages?limit=1")->{success} });
}

# One session; a line that no statement prints comes after each block.
sub run_blocks
{
	my $end = '---- end of a block ----';
	local $ENV{PGTZ} = 'UTC';
	my $input = join '', map { "$_->{sql}\n\\echo $end\n" } @blocks;
	my ($out, $status) = ('', 0);
	$input =~ s/\Q$address\E/127.0.0.1:$port/g;
	IPC::Run::run([ 'psql', '-X', '-P', 'pager=off', '-d', $t->{node}->connstr('readme') ], '<', \$input, '>&', \$out);
	$out =~ s/127\.0\.0\.1:$port/$address/g;
	return map { s/\n+\z/\n/r } split /^\Q$end\E\n/m, $out;
}
