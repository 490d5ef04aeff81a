import { isThrough, perl } from './case.ts';
import type { EscapeCase } from './case.ts';
import { SECRET } from './world.ts';

const resources: EscapeCase[] = [
  {
    name: 'allocates too much memory in one process',
    without: ['memory-limit'],
    program: 'perl',
    request: () => ({ limits: { memoryMb: 40 } }),
    attack: () => perl('my $x = "a" x 120_000_000; print "through"'),
    harmed: isThrough,
  },
  {
    name: 'allocates too much memory in many processes',
    without: ['memory-limit'],
    program: 'perl',
    request: () => ({ limits: { memoryMb: 40 } }),
    attack: () =>
      perl(
        'for (1..6) { if (!fork) { my $x = "a" x 20_000_000; sleep 1; exit 7 } } my $n = 0; while (wait > 0) { $n++ if $? >> 8 == 7 } print "through" if $n == 6',
      ),
    harmed: isThrough,
  },
  {
    name: 'fills the memory with files in /tmp',
    without: ['memory-limit'],
    request: () => ({ limits: { memoryMb: 40 } }),
    attack: () => 'head -c 120000000 /dev/zero > /tmp/big && echo through',
    harmed: isThrough,
  },
  {
    name: 'fills the memory with files in /dev/shm',
    without: ['memory-limit'],
    request: () => ({ limits: { memoryMb: 40 } }),
    attack: () => 'head -c 120000000 /dev/zero > /dev/shm/big && echo through',
    harmed: isThrough,
  },
  {
    name: 'forks without end',
    without: ['process-limit'],
    request: () => ({ limits: { processes: 20 } }),
    attack: () =>
      perl(
        'my $n = 0; for (1..80) { my $pid = fork; last unless defined $pid; if (!$pid) { sleep 5; exit } $n++ } print "through" if $n == 80; kill 9, -getpgrp',
      ),
    program: 'perl',
    harmed: isThrough,
  },
  {
    name: 'starts threads without end',
    without: ['process-limit'],
    request: () => ({ limits: { processes: 20 } }),
    program: 'perl',
    attack: () =>
      perl(
        'use threads; no warnings; for (1..40) { my $t = threads->create(sub { sleep 5 }); if (!$t) { kill 9, $$ } } print "through"; $| = 1; print ""; kill 9, $$',
      ),
    harmed: isThrough,
  },
];

const environment: EscapeCase[] = [
  {
    name: "reads the provider's key from its environment",
    without: ['clear-environment'],
    attack: () => 'env',
    before: () => void (process.env['ANTHROPIC_API_KEY'] = SECRET),
    after: () => void delete process.env['ANTHROPIC_API_KEY'],
  },
  {
    name: "reads the provider's key from its parents' environment",
    without: ['clear-environment'],
    attack: () => 'cat /proc/1/environ /proc/$PPID/environ /proc/self/environ',
    before: () => void (process.env['ANTHROPIC_API_KEY'] = SECRET),
    after: () => void delete process.env['ANTHROPIC_API_KEY'],
  },
  {
    name: 'finds the SSH agent, D-Bus or X11 by its environment',
    without: ['clear-environment'],
    attack: () => 'echo "$SSH_AUTH_SOCK $DBUS_SESSION_BUS_ADDRESS $DISPLAY"',
    before: () => void (process.env['SSH_AUTH_SOCK'] = SECRET),
    after: () => void delete process.env['SSH_AUTH_SOCK'],
  },
  {
    name: 'loads a library into every program by its environment',
    without: ['clear-environment'],
    attack: () => 'echo "$NODE_OPTIONS $KLAUS_ESCAPE_PROBE"',
    before: () => void (process.env['KLAUS_ESCAPE_PROBE'] = SECRET),
    after: () => void delete process.env['KLAUS_ESCAPE_PROBE'],
  },
];

/** Resources and the environment. */
export const resourceCases: readonly EscapeCase[] = [...resources, ...environment];
