import { spawn, type ChildProcess } from 'node:child_process';
import { existsSync } from 'node:fs';
import type { Socket } from 'node:net';

export interface CallFailure {
  /** `unusable`: not supported by Perl or the kernel. `place`: one of the paths failed, after those before it succeeded. */
  kind: 'unusable' | 'place';
  reason: string;
}

/**
 * Performs system calls that Node does not offer: creating named pipes, and mounting or listening in the namespace of
 * another process.
 * `nsenter` with `mount` loses the capabilities of an ordinary user, and Perl is installed on nearly every Linux. One
 * Perl process serves all calls, because starting one from a process as large as Klaus takes milliseconds. It forks for
 * each call: a process cannot leave a namespace that it entered, and a hanging call must not delay others.
 *
 * A request is its length in bytes on a line, followed by words that are separated by zero bytes: the request number, the
 * call, and its arguments. The response is a line with the number, a code, and the reason of a failure.
 *
 * Namespaces are owned by the parent of the command's user namespace, which only the kernel can name.
 *
 * A listening socket is passed in a message of the channel that Node has with its own children, instead of a response.
 *
 * @source man 2 setns, man 2 ioctl_ns (NS_GET_USERNS 0xb701), man 2 mount, man 2 mknod, man 7 unix (SCM_RIGHTS)
 */
const PERL = `
use strict;
my ($setns, $mount, $mknodat, $sendmsg) = map { $_ + 0 } @ARGV;
my $id;
sub enter {
  my ($pid, $name, $type) = @_;
  sysopen(my $namespace, "/proc/$pid/ns/$name", 0) or stop(3, "its $name namespace");
  my $owner = ioctl($namespace, 0xb701, 0) or stop(3, 'its owner');
  if ($> != 0) { syscall($setns, $owner + 0, 0x10000000) == 0 or stop(3, 'setns user'); }
  syscall($setns, fileno($namespace), $type) == 0 or stop(3, "setns $name");
}
sub hand_over {
  my ($socket) = @_;
  open(my $channel, '+<&=', $ENV{NODE_CHANNEL_FD}) or stop(3, 'its channel');
  # Node confirms each message.
  recv($channel, my $confirmed, 65536, 0x40);
  my $text = qq({"cmd":"NODE_HANDLE","type":"net.Native","msg":{"id":"$id"}}\\n);
  my $parts = pack('P Q', $text, length $text);
  my $rights = pack('Q l l l x4', 20, 1, 1, fileno($socket));
  my $message = pack('Q L x4 P Q P Q l x4', 0, 0, $parts, 1, $rights, length $rights, 0);
  syscall($sendmsg, fileno($channel), $message, 0) > 0 or stop(3, 'sendmsg');
}
$SIG{CHLD} = 'IGNORE';
sub stop { my ($code, $what) = @_; my $line = "$id $code $what: $!"; $line =~ tr/\\n/ /; syswrite(STDOUT, "$line\\n"); exit; }
while (defined(my $length = <STDIN>)) {
  read(STDIN, my $request, $length + 0) == $length or exit;
  (my $call, my @words);
  ($id, $call, @words) = split(/\\0/, $request, -1);
  my $child = fork;
  if (!defined $child) { my $line = "$id 3 fork: $!\\n"; syswrite(STDOUT, $line); next; }
  next if $child;
  if ($call eq 'pipes') {
    for my $path (@words) { syscall($mknodat, -100, $path, 0010600, 0) == 0 or stop(4, $path); }
  } elsif ($call eq 'listen') {
    my ($pid, $port) = @words;
    enter($pid, 'net', 0x40000000);
    socket(my $socket, 2, 1, 0) or stop(3, 'socket');
    bind($socket, pack('S n a4 x8', 2, $port, "\\x7f\\0\\0\\1")) && listen($socket, 511) or stop(4, $port);
    hand_over($socket);
    exit;
  } else {
    enter(shift @words, 'mnt', 0x20000);
    my ($null, $tmpfs, $options) = ('/dev/null', 'tmpfs', 'size=4k,mode=755');
    while (@words) {
      my ($kind, $source, $path) = splice(@words, 0, 3);
      if ($kind eq 'folder') {
        syscall($mount, $tmpfs, $path, $tmpfs, 7, $options) == 0 or stop(4, $path);
      } else {
        syscall($mount, $source, $path, 0, 0x1000, 0) == 0 or stop(4, $path);
        next if $kind eq 'bind';
        syscall($mount, $null, $path, 0, 0x1027, 0) == 0 or stop(4, $path);
      }
    }
  }
  syswrite(STDOUT, "$id 0\\n");
  exit;
}
`;
const PLACE_FAILED = '4';
const TIMEOUT_MS = 10_000;

/** Fixed paths, because PATH can contain folders that commands can write. */
const PLACES = ['/usr/bin/perl', '/bin/perl', '/usr/local/bin/perl', '/run/current-system/sw/bin/perl'];

/** `setns`, `mount`, `mknodat` and `sendmsg` by machine. */
const NUMBERS: Readonly<Partial<Record<NodeJS.Architecture, readonly number[]>>> = {
  x64: [308, 165, 259, 46],
  arm64: [268, 40, 33, 211],
};

/** True if {@link callSystem} may work on this machine. */
export function canCallSystem(): boolean {
  return NUMBERS[process.arch] !== undefined && findPerl() !== undefined;
}

/** Starts the Perl process, so that the first call does not wait for it. */
export function prepareCalls(): void {
  program ??= start();
}

/**
 * Sends a request to the Perl process.
 *
 * @param words `pipes` and absolute paths of named pipes to create; or `mount`, a process id, and three words for each
 *   mount in its namespace: `bind`, `folder` or `file`, the source, and the target.
 * @returns Undefined on success.
 */
export async function callSystem(words: readonly string[]): Promise<CallFailure | undefined> {
  if (words.some((word) => word.includes('\0'))) return { kind: 'place', reason: 'a path has a zero byte' };
  return (await call(words)).failure;
}

/**
 * Opens a listening socket on the loopback interface in the network namespace of another process.
 *
 * @returns The socket, which `net.Server.listen` accepts.
 */
export async function openListener(pid: number, port: number): Promise<{ listener?: unknown; failure?: CallFailure }> {
  return await call(['listen', String(pid), String(port)]);
}

interface Answer {
  failure?: CallFailure;
  listener?: unknown;
}

async function call(words: readonly string[]): Promise<Answer> {
  program ??= start();
  return program ? await program(words) : { failure: UNKNOWN };
}

const UNKNOWN: CallFailure = { kind: 'unusable', reason: 'Perl is not installed or not supported on this machine' };

type Program = typeof call;

/** One for the complete process, with which it ends. */
let program: Program | undefined;

function findPerl(): string | undefined {
  return PLACES.find((path) => existsSync(path));
}

function start(): Program | undefined {
  const [perl, numbers] = [findPerl(), NUMBERS[process.arch]];
  if (perl === undefined || !numbers) return undefined;
  const child = spawn(perl, ['-e', PERL, ...numbers.map(String)], {
    stdio: ['pipe', 'pipe', 'ignore', 'ipc'],
    cwd: '/',
    env: {},
    // Signals from the terminal must not reach it.
    detached: true,
  }) as ChildProcess & { stdin: Socket; stdout: Socket };
  const waiting = new Map<string, (answer: Answer) => void>();
  let last = 0;
  const fail = (reason: string): void => {
    if (program === made) program = undefined;
    for (const resolve of [...waiting.values()]) resolve({ failure: { kind: 'unusable', reason } });
  };
  child.on('message', ({ id }: { id: string }, listener) => waiting.get(id)?.({ listener }));
  child.on('error', (error) => fail(String(error)));
  child.on('exit', (code, signal) => fail(`Perl ended with ${code ?? signal}`));
  child.stdin.on('error', () => {});
  let begun = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    const lines = (begun + text).split('\n');
    begun = lines.pop()!;
    for (const line of lines) {
      const [, id = '', code, reason = ''] = /^(\d+) (\d)(?: (.*))?$/.exec(line) ?? [];
      const kind = code === PLACE_FAILED ? 'place' : 'unusable';
      waiting.get(id)?.(code === '0' ? {} : { failure: { kind, reason } });
    }
  });
  // It keeps Klaus running only during a call.
  child.unref();
  child.stdin.unref();
  child.stdout.unref();
  child.channel?.unref();
  const made: Program = (words) => {
    const id = String(++last);
    const request = Buffer.from([id, ...words].join('\0'));
    return new Promise((resolve) => {
      const timer = setTimeout(
        () => finish({ failure: { kind: 'unusable', reason: 'the call timed out' } }),
        TIMEOUT_MS,
      );
      const finish = (answer: Answer): void => {
        clearTimeout(timer);
        waiting.delete(id);
        if (waiting.size === 0) child.stdout.unref();
        resolve(answer);
      };
      waiting.set(id, finish);
      child.stdout.ref();
      child.stdin.write(Buffer.concat([Buffer.from(`${request.length}\n`), request]));
    });
  };
  return made;
}
