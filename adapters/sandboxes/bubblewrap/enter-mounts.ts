import { spawn, type ChildProcessByStdio } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import type { Readable, Writable } from 'node:stream';
import { text } from 'node:stream/consumers';
import type { Mask } from '../protection/masks.ts';

/** What is mounted in a sandbox that is there already; paths are those that its commands see. */
export type InsideMount =
  /** What is at one place at another one too, with the rights that it has there. */
  { kind: 'bind'; source: string; target: string } | ({ kind: 'mask' } & Mask);

export type MountFailure =
  /** Perl, or the kernel, does not do it here at all. */
  | { kind: 'unusable'; reason: string }
  /** One of the mounts failed; those before it are there. */
  | { kind: 'place'; reason: string };

/**
 * Enters the mount namespace of the process that is named on standard input, and mounts. Node can do neither system
 * call, and `nsenter` with `mount` does not keep the capabilities of an ordinary user; Perl is on nearly every Linux.
 * The namespace's owner is not the command's own user namespace but the one around it, which only the kernel can name.
 *
 * @source man 2 setns, man 2 ioctl_ns (NS_GET_USERNS 0xb701), man 2 mount
 */
const PERL = `
use strict;
my ($setns, $mount, @words) = @ARGV;
($setns, $mount) = ($setns + 0, $mount + 0);
my $pid = <STDIN>;
exit unless defined $pid;
chomp $pid;
sub stop { print STDERR "$_[1]: $!"; exit $_[0]; }
sysopen(my $namespace, "/proc/$pid/ns/mnt", 0) or stop(3, "its mount namespace");
my $owner = ioctl($namespace, 0xb701, 0) or stop(3, "its owner");
if ($> != 0) { syscall($setns, $owner + 0, 0x10000000) == 0 or stop(3, "setns user"); }
syscall($setns, fileno($namespace), 0x20000) == 0 or stop(3, "setns mount");
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
`;
const PLACE_FAILED = 4;

/** Not by PATH, which can name a folder that commands write. */
const PLACES = ['/usr/bin/perl', '/bin/perl', '/usr/local/bin/perl', '/run/current-system/sw/bin/perl'];

/** `setns` and `mount` by machine. */
const NUMBERS: Readonly<Partial<Record<NodeJS.Architecture, readonly [number, number]>>> = {
  x64: [308, 165],
  arm64: [268, 40],
};

/** True where {@link startMounter} may work. */
export function hasMounter(): boolean {
  return NUMBERS[process.arch] !== undefined && findPerl() !== undefined;
}

function findPerl(): string | undefined {
  return PLACES.find((path) => existsSync(path));
}

/** A program that waits to mount something. */
export interface Mounter {
  /** @param pid A process inside. @returns Undefined when everything is mounted. */
  mount(pid: number): Promise<MountFailure | undefined>;
  /** Ends it, if it was not used. */
  end(): void;
}

/** Starts the program, so that no time is lost when the sandbox is there. */
export function startMounter(mounts: readonly InsideMount[]): Mounter {
  const perl = findPerl();
  const numbers = NUMBERS[process.arch];
  if (perl === undefined || !numbers) {
    const failure: MountFailure = { kind: 'unusable', reason: 'Perl is not installed, or not known to work here' };
    return { mount: () => Promise.resolve(failure), end: () => {} };
  }
  const child = spawn(perl, ['-e', PERL, ...numbers.map(String), ...mounts.flatMap(toWords)], {
    stdio: ['pipe', 'ignore', 'pipe'],
    env: {},
    timeout: 10_000,
    killSignal: 'SIGKILL',
  });
  // Its end tells.
  child.stdin.on('error', () => {});
  const ended = waitFor(child);
  return {
    mount(pid) {
      child.stdin.end(`${pid}\n`);
      return ended;
    },
    end: () => void child.stdin.end(),
  };
}

function toWords(mount: InsideMount): string[] {
  if (mount.kind === 'bind') return ['bind', mount.source, mount.target];
  return [mount.isFolder ? 'folder' : 'file', '/dev/null', mount.target];
}

async function waitFor(child: ChildProcessByStdio<Writable, null, Readable>): Promise<MountFailure | undefined> {
  try {
    const [[code], said] = await Promise.all([once(child, 'close') as Promise<[number | null]>, text(child.stderr)]);
    if (code === 0) return undefined;
    const reason = said.trim() || `Perl ended with ${code}`;
    return { kind: code === PLACE_FAILED ? 'place' : 'unusable', reason };
  } catch (error) {
    return { kind: 'unusable', reason: String(error) };
  }
}
