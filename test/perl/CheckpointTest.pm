# A cluster with the extension and a scripted API server beside it, for TAP tests.
#
#     my $t = CheckpointTest->new('name');
#     $t->api(POST => '/_rule', { path => '/x', script => [ ... ] });
#     my $load = $t->start_sql('INSERT ...');     # runs in the background
#     $t->wait_for('/x', 3);                      # the API has been asked 3 times
#     $t->kill_backend($load->{pid});
#     my ($out, $error) = $t->finish($load);
package CheckpointTest;

use strict;
use warnings;

use HTTP::Tiny;
use IPC::Run;
use JSON::PP;
use POSIX ();
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(sleep time);

my @children;

sub new
{
	my ($class, $name, %options) = @_;
	my $self = bless { node => PostgreSQL::Test::Cluster->new($name), http => HTTP::Tiny->new(timeout => 60) }, $class;
	my $node = $self->{node};
	$node->init;
	$node->append_conf('postgresql.conf', <<CONF);
restart_after_crash = on
max_prepared_transactions = 10
log_min_messages = warning
CONF
	{
		local %ENV = (%ENV, %{ $options{env} // {} });
		$node->start;
	}
	$self->{url} = start_api();
	PostgreSQL::Test::Utils::system_or_bail('psql', '-X', '-q', '-v', 'ON_ERROR_STOP=1', '-v', "api_url=$self->{url}",
		'-d', $node->connstr('postgres'), '-f', "$ENV{TOP}/test/api/setup.sql");
	return $self;
}

# Run a program until the test ends; what it prints is dropped.
sub start_program
{
	my @command = @_;
	my $pid = fork // die "fork: $!";
	if ($pid == 0)
	{
		open STDOUT, '>', '/dev/null';
		open STDERR, '>', '/dev/null';
		exec @command or POSIX::_exit(127);
	}
	push @children, $pid;
	return $pid;
}

# Start an API server; gives back its URL.  A second one needs a name.
sub start_api
{
	my ($name, @options) = @_;
	my $file = PostgreSQL::Test::Utils::tempdir() . '/' . ($name // 'api') . '.port';
	start_program('python3', "$ENV{TOP}/test/api/server.py", '--port-file', $file, @options);
	until_true("API server", sub { -f $file });
	chomp(my $port = PostgreSQL::Test::Utils::slurp_file($file));
	return (grep({ $_ eq '--cert' } @options) ? 'https' : 'http') . "://127.0.0.1:$port";
}

sub until_true
{
	my ($what, $condition) = @_;
	my $end = time + 60;
	while (!$condition->())
	{
		BAIL_OUT("timed out waiting for $what") if time > $end;
		sleep 0.02;
	}
}

# One request to the API server or, with a whole URL, to another; gives back the body.
sub api
{
	my ($self, $method, $where, $data) = @_;
	my $url = $where =~ /^http:/ ? $where : $self->{url} . $where;
	my %options;
	%options = (content => encode_json($data), headers => { 'Content-Type' => 'application/json' }) if defined $data;
	my $response = $self->{http}->request($method, $url, \%options);
	die "$method $url: $response->{status} $response->{content}" unless $response->{success};
	return $response->{content};
}

# Records {"id": first} to {"id": last}.
sub records
{
	my ($first, $last) = @_;
	return [ map { { id => $_ } } $first .. $last ];
}

sub wait_for
{
	my ($self, $path, $count) = @_;
	$self->api(GET => "/_wait?path=$path&count=$count&timeout=60");
}

sub sql
{
	my ($self, $sql) = @_;
	return $self->{node}->safe_psql('postgres', $sql);
}

# Start a statement in a session of its own; {pid} is its backend.
sub start_sql
{
	my ($self, $sql) = @_;
	my $run = { in => "SELECT pg_backend_pid();\n$sql;\n", out => '', error => '' };
	$run->{handle} = IPC::Run::start(
		[ 'psql', '-XAtq', '-v', 'ON_ERROR_STOP=1', '-v', 'VERBOSITY=verbose', '-d', $self->{node}->connstr('postgres'), '-f', '-' ],
		'<', \$run->{in}, '>', \$run->{out}, '2>', \$run->{error});
	until_true("a session", sub { $run->{handle}->pump_nb; $run->{out} =~ /^\d+\n/ });
	$run->{out} =~ s/^(\d+)\n//;
	$run->{pid} = $1;
	return $run;
}

# Wait for its end; gives back output and error text, and notes the time of the end in {ended}.
sub finish
{
	my ($self, $run) = @_;
	$run->{handle}->finish;
	$run->{ended} = time;
	return ($run->{out}, $run->{error});
}

# kill -9 of a backend, and wait for the restart of the server that follows.
sub kill_backend
{
	my ($self, $pid) = @_;
	my $life = "SELECT pid FROM pg_stat_activity WHERE backend_type = 'checkpointer'";
	my $before = $self->sql($life);
	kill 'KILL', $pid;
	until_true("a restart", sub {
		my ($status, $out) = $self->{node}->psql('postgres', $life, stderr => \my $ignored);
		return $status == 0 && $out =~ /^\d+$/ && $out != $before;
	});
}

# kill -9 of the postmaster, and a start once its children have gone.
sub crash_server
{
	my ($self) = @_;
	$self->{node}->kill9;
	until_true("a restart", sub {
		$self->{node}{_pid} = undef;    # a failed start leaves the old one there
		$self->{node}->start(fail_ok => 1);
	});
}

END
{
	my $status = $?;
	kill 'TERM', @children if @children;
	$? = $status;
}

1;
