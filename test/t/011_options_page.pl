# doc/options.md against checkpoint_fdw.options(): the same options in the same
# order, with the same types and defaults, and examples that can be created.
#
# For each option the page has a section of its place with a heading
# "### `name`", a line "Type `type`, default `value`, required." and a line
# "Example: `option 'value', ...`".
use strict;
use warnings;

use CheckpointTest;
use PostgreSQL::Test::Utils;
use Test::More;

my $t = CheckpointTest->new('options_page');
my @is = split /\n/, $t->sql(<<'SQL');
SELECT place || ', ' || name || ': ' || type || coalesce(', default ' || "default", '') ||
       CASE WHEN help LIKE '% (required)' THEN ', required' ELSE '' END
FROM checkpoint_fdw.options()
SQL
my @sections = sections(slurp_file("$ENV{TOP}/doc/options.md"));

is_deeply([ map { describe($_) } @sections ], \@is,
	'doc/options.md has the options of checkpoint_fdw.options() in the same order, with type and default');
for my $section (@sections)
{
	my $error = try_example($section);
	is($error, '', "example of $section->{place} option $section->{name}");
}
done_testing();

# place, name and text of each option's section
sub sections
{
	my ($page) = @_;
	my ($place, @sections);
	for my $part (split /^(?=##)/m, $page)
	{
		$place = lc $1 if $part =~ /^## (.*)/;
		my ($name) = $part =~ /^### `(\w+)`/ or next;
		push @sections, { place => $place, name => $name, text => $part =~ s/\s+/ /gr };
	}
	return @sections;
}

sub describe
{
	my ($section) = @_;
	my ($type, $default, $required) = $section->{text} =~ /Type `([^`]+)`(?:, default `([^`]+)`)?(, required)?\./;
	return "$section->{place}, $section->{name}: " . ($type // 'no line "Type `...`"') .
		(defined $default ? ", default $default" : '') . ($required // '');
}

# Make an object with the options of the example, and read from a table; the error, or ''.
sub try_example
{
	my ($section) = @_;
	my ($place, $name) = @$section{qw(place name)};
	my ($example) = $section->{text} =~ /Example: `([^`]+)`/;
	return 'it has no example' unless defined $example;
	return 'it does not set the option' unless $example =~ /\b$name '/;
	my %options = (server => "base_url 'http://127.0.0.1'", 'user mapping' => '', table => "endpoint '/items" . ($name eq 'param' ? "/{repo}'" : "'"), column => '');
	$options{$place} = $example =~ /^(base_url|endpoint) / ? $example : join(', ', grep { $_ ne '' } $options{$place}, $example);
	my ($server, $mapping, $table, $column) = map { $_ eq '' ? '' : "OPTIONS ($_)" } @options{ 'server', 'user mapping', 'table', 'column' };
	my $read = $place eq 'table' || $place eq 'column' ? 'SELECT * FROM example LIMIT 0;' : '';
	my ($status, $out, $error) = $t->{node}->psql('postgres', <<SQL);
BEGIN;
CREATE SERVER example FOREIGN DATA WRAPPER checkpoint_fdw $server;
CREATE USER MAPPING FOR CURRENT_USER SERVER example $mapping;
CREATE FOREIGN TABLE example (id timestamptz $column) SERVER example $table;
$read
ROLLBACK;
SQL
	return $error;
}
