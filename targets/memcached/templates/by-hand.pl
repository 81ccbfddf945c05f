#!/usr/bin/perl
# Plays the requests of this folder on a memcached: in every serial order, then all clients at once,
# over and over, and tells outcomes (replies, and what the keys hold afterwards) that no serial order
# gives. An order counts also where one client had its reply before another sent its request. Needs
# Perl alone, and a memcached that nobody else uses.
#
#   perl by-hand.pl SOCKET [TIMES]        exit status: 1 if there was such an outcome, else 0
#
# {cas} in a request is the unique number that its client was last given for the key, else 0. In what
# is printed unique numbers are #1, #2 ... in the order in which they appear, and seconds are told in
# steps of ten, for the server's clock goes on.
use strict;
use warnings;
use IO::Select;
use IO::Socket::UNIX;
use List::Util ();

my $most_orders = 5000;
my %length_at = (set => 4, add => 4, replace => 4, append => 4, prepend => 4, cas => 4, ms => 2);
my %values = map { $_ => 1 } qw(get gets gat gats);
my %keyless = map { $_ => 1 } qw(flush_all stats version verbosity mn);
my ($socket, $times) = @ARGV;
die "usage: perl by-hand.pl SOCKET [TIMES]\n" unless defined $socket;
$times = 1000 unless defined $times;
my $folder = $0 =~ m{^(.*)/} ? $1 : '.';

# A request: its line, its data (none: undef), its command and words.
sub requests_of {
  my ($name) = @_;
  open(my $file, '<:raw', "$folder/$name") or return [];
  local $/;
  my $bytes = <$file>;
  my @requests;
  while (defined $bytes && $bytes =~ s/^(.*?)\r\n//s) {
    my @words = split ' ', $1;
    my %request = (line => $1, words => \@words, command => $words[0]);
    if (my $at = $length_at{$words[0]}) {
      $request{data} = substr($bytes, 0, $words[$at], '');
      $bytes =~ s/^\r\n//;
    }
    my $meta = $words[0] =~ /^m[gsdae]$/;
    $request{binary} = $meta && grep { $_ eq 'b' } @words[2 .. $#words];
    $request{quiet} = $meta && grep { $_ eq 'q' } @words[2 .. $#words];
    push @requests, \%request;
  }
  return \@requests;
}

sub keys_of {
  my ($request) = @_;
  my @words = @{$request->{words}};
  return () if $keyless{$words[0]};
  return @words[($words[0] =~ /^gats?$/ ? 2 : 1) .. $#words] if $values{$words[0]};
  return ($words[1]);
}

sub connection {
  my ($name) = @_;
  my $handle = IO::Socket::UNIX->new(Peer => $socket) or die "cannot connect to $socket: $!\n";
  return {name => $name, handle => $handle, bytes => '', unique => {}};
}

sub send_request {
  my ($client, $request) = @_;
  my ($key) = keys_of($request);
  my $unique = defined $key ? $client->{unique}{$key} || 0 : 0;
  (my $line = $request->{line}) =~ s/\{cas\}/$unique/;
  my $bytes = "$line\r\n";
  $bytes .= "$request->{data}\r\n" if defined $request->{data};
  $bytes .= "mn\r\n" if $request->{quiet};
  defined syswrite($client->{handle}, $bytes) or die "the server is gone: $!\n";
}

# How many of these bytes are the reply; 0: it is not complete.
sub reply_size {
  my ($bytes, $request) = @_;
  my $at = 0;
  while ((my $end = index($bytes, "\r\n", $at)) >= 0) {
    my $line = substr($bytes, $at, $end - $at);
    $at = $end + 2;
    $at += $1 + 2 if $line =~ /^VALUE \S+ \d+ (\d+)/ || $line =~ /^VA (\d+)/;
    return 0 if $at > length $bytes;
    my $more = $values{$request->{command}} || $request->{command} eq 'stats'
      ? $line !~ /^(END|RESET|OK|(CLIENT_|SERVER_)?ERROR.*)$/
      : $request->{quiet} && $line ne 'MN';
    return $at unless $more;
  }
  return 0;
}

# The reply if it is complete. What it says of unique numbers the client keeps.
sub take_reply {
  my ($client, $request) = @_;
  my $size = reply_size($client->{bytes}, $request) or return undef;
  my $reply = substr($client->{bytes}, 0, $size, '');
  my ($key) = keys_of($request);
  while ($reply =~ /^VALUE (\S+) \d+ \d+ (\d+)/mg) { $client->{unique}{$1} = $2 }
  $client->{unique}{$key} = $1 if $reply =~ /^(?:HD|VA \d+).*? c([1-9]\d*)/;
  return $reply;
}

sub receive {
  my ($client) = @_;
  sysread($client->{handle}, $client->{bytes}, 65536, length $client->{bytes})
    or die "the server closed a connection\n";
}

sub ask {
  my ($client, $request) = @_;
  send_request($client, $request);
  while (1) {
    my $reply = take_reply($client, $request);
    return $reply if defined $reply;
    receive($client);
  }
}

sub ask_line {
  my ($client, $line) = @_;
  my @words = split ' ', $line;
  return ask($client, {line => $line, words => \@words, command => $words[0]});
}

opendir(my $listing, $folder) or die "cannot list $folder: $!\n";
my @names = sort map { /^client-(.+)\.txt$/ ? $1 : () } readdir $listing;
my @clients = map { connection($_) } @names;
my $own = connection('');
$_->{requests} = requests_of("client-$_->{name}.txt") for @clients;
$_->{setup} = requests_of("setup-$_->{name}.txt") for @clients;
my $setup = requests_of('setup.txt');
my %binary;
my @keys = do {
  my %seen;
  for my $request (@$setup, map { (@{$_->{setup}}, @{$_->{requests}}) } @clients) {
    for my $key (keys_of($request)) {
      $seen{$key} = 1;
      $binary{$key} = 1 if $request->{binary};
    }
  }
  sort keys %seen;
};

sub prepare {
  ask_line($own, 'flush_all');
  $own->{unique} = {};
  ask($own, $_) for @$setup;
  for my $client (@clients) {
    $client->{unique} = {};
    $client->{replies} = [];
    ask($client, $_) for @{$client->{setup}};
  }
}

sub in_tens {
  my ($seconds, $up) = @_;
  return '>2147483647' if $seconds > 2147483647;  # below zero, in 32 bits
  return int(($seconds + ($up ? 9 : 0)) / 10) * 10;
}

# Replies and state as text; equal texts are equal outcomes.
sub outcome {
  my @told;
  for my $client (@clients) {
    for my $i (0 .. $#{$client->{replies}}) {
      push @told, [$client->{name} . ($i + 1) . ": $client->{requests}[$i]{line}",
                   $client->{replies}[$i]];
    }
  }
  for my $key (@keys) {
    my $get = $binary{$key} ? "mg $key b f v c" : "gets $key";
    push @told, ["afterwards $get", ask_line($own, $get)];
    my $lifetime = "mg $key t u" . ($binary{$key} ? ' b' : '');
    my $reply = ask_line($own, $lifetime);
    push @told, ["afterwards $lifetime", $reply] unless $reply =~ /^ERROR/;
  }
  my %names;
  my $name = sub {
    my ($number) = @_;
    my $next = '#' . (1 + keys %names);
    return $names{$number} ||= $next;
  };
  my $text = '';
  for my $one (@told) {
    my ($what, $reply) = @$one;
    $reply =~ s/^(VALUE \S+ \d+ \d+) (\d+)/"$1 " . $name->($2)/mge;
    $reply =~ s/^((?:HD|VA \d+|EX|NS|NF)\b.*? c)(\d+)/$1 . $name->($2)/e;
    $reply =~ s/^(ME .* cas=)(\d+)/$1 . $name->($2)/e;
    $reply =~ s/^((?:HD|VA \d+).*? t)(\d+)/$1 . in_tens($2, 1)/e;
    $reply =~ s/^((?:HD|VA \d+).*? l)(\d+)/$1 . in_tens($2, 0)/e;
    $reply =~ s/^(ME .*exp=)(\d+)/$1 . in_tens($2, 1)/e;
    $reply =~ s/^(ME .* la=)(\d+)/$1 . in_tens($2, 0)/e;
    $reply =~ s/\r\n$//;
    $reply =~ s/\r\n/ | /g;
    $text .= "  $what -> $reply\n";
  }
  return $text;
}

sub play_in_order {
  my ($order) = @_;
  prepare();
  for my $client (map { $clients[$_] } @$order) {
    push @{$client->{replies}}, ask($client, $client->{requests}[@{$client->{replies}}]);
  }
  return outcome();
}

sub play_at_once {
  prepare();
  my $select = IO::Select->new;
  my %of;
  for my $client (List::Util::shuffle(@clients)) {
    next unless @{$client->{requests}};
    $select->add($client->{handle});
    $of{fileno $client->{handle}} = $client;
    send_request($client, $client->{requests}[0]);
    for (my $pause = int rand 500; $pause > 0; --$pause) { }
  }
  while ($select->count) {
    for my $handle ($select->can_read) {
      my $client = $of{fileno $handle};
      receive($client);
      my $done = @{$client->{replies}};
      my $reply = take_reply($client, $client->{requests}[$done]);
      next unless defined $reply;
      push @{$client->{replies}}, $reply;
      if ($done + 1 < @{$client->{requests}}) {
        send_request($client, $client->{requests}[$done + 1]);
      } else {
        $select->remove($handle);
      }
    }
  }
  return outcome();
}

# All serial orders, as lists of clients.
my @orders;
sub orders_from {
  my ($order, @left) = @_;
  return if @orders > $most_orders;
  my $more = 0;
  for my $i (0 .. $#left) {
    next unless $left[$i];
    $more = 1;
    my @then = @left;
    --$then[$i];
    orders_from([@$order, $i], @then);
  }
  push @orders, $order unless $more;
}
orders_from([], map { scalar @{$_->{requests}} } @clients);
die "more than $most_orders serial orders\n" if @orders > $most_orders;

my %serial;
for my $order (@orders) {
  my %count;
  my $name = join ' ', map { $clients[$_]{name} . ++$count{$_} } @$order;
  push @{$serial{play_in_order($order)}}, $name;
}
for my $outcome (sort { $serial{$a}[0] cmp $serial{$b}[0] } keys %serial) {
  print "In the order ", join(', or ', @{$serial{$outcome}}), ":\n$outcome";
}
my %seen;
++$seen{play_at_once()} for 1 .. $times;
my $wrong = 0;
for my $outcome (sort { $seen{$b} <=> $seen{$a} } keys %seen) {
  if (my $as = $serial{$outcome}) {
    print "At once, $seen{$outcome} of $times times: as in the order $as->[0]\n";
  } else {
    print "At once, $seen{$outcome} of $times times: AS IN NO SERIAL ORDER\n$outcome";
    $wrong = 1;
  }
}
exit $wrong;
