import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import type { Mask } from '../protection/masks.ts';

/**
 * Enters the mount namespace of a process and covers each path. Node can do neither system call, and `nsenter`
 * with `mount` does not keep the capabilities of an ordinary user; Perl is on nearly every Linux. The namespace's
 * owner is not the command's own user namespace but the one around it, which only the kernel can name.
 *
 * @source man 2 setns, man 2 ioctl_ns (NS_GET_USERNS 0xb701), man 2 mount
 */
const PERL = `
use strict;
use Fcntl;
my ($setns, $mount, $pid, @masks) = @ARGV;
my ($null, $tmpfs, $options) = ('/dev/null', 'tmpfs', 'size=4k,mode=755');
sysopen(my $namespace, "/proc/$pid/ns/mnt", O_RDONLY) or die "its mount namespace: $!\\n";
my $owner = ioctl($namespace, 0xb701, 0) or die "its owner: $!\\n";
if ($> != 0) { syscall($setns + 0, $owner + 0, 0x10000000) == 0 or die "setns user: $!\\n"; }
syscall($setns + 0, fileno($namespace), 0x20000) == 0 or die "setns mount: $!\\n";
for my $mask (@masks) {
  my $path = substr($mask, 1);
  if (substr($mask, 0, 1) eq 'd') {
    syscall($mount + 0, $tmpfs, $path, $tmpfs, 7, $options) == 0 or die "$path: $!\\n";
  } else {
    syscall($mount + 0, $null, $path, 0, 0x1000, 0) == 0 or die "$path: $!\\n";
    syscall($mount + 0, $null, $path, 0, 0x1023, 0) == 0 or die "$path: $!\\n";
  }
}
`;

/** `setns` and `mount` by machine. */
const NUMBERS: Readonly<Partial<Record<NodeJS.Architecture, readonly [number, number]>>> = {
  x64: [308, 165],
  arm64: [268, 40],
};

/** Hides paths in a running sandbox. @returns Why it did not work; undefined when it did. */
export function addMasks(pid: number, masks: readonly Mask[]): Promise<string | undefined> {
  const numbers = NUMBERS[process.arch];
  if (!numbers) return Promise.resolve(`the system call numbers of ${process.arch} are not known`);
  const words = masks.map((mask) => `${mask.isFolder ? 'd' : 'f'}${mask.target}`);
  const args = ['-e', PERL, ...[...numbers, pid].map(String), ...words];
  return new Promise((resolve) => {
    execFile(
      'perl',
      args,
      { timeout: 10_000, killSignal: 'SIGKILL', env: { PATH: process.env['PATH'] } },
      (error, _, stderr) => {
        if (error === null) resolve(undefined);
        else resolve(error.code === 'ENOENT' ? 'the program perl is not installed' : stderr.trim() || error.message);
      },
    );
  });
}

/** Mount points of a process; empty when it is gone. @source man 5 proc_pid_mountinfo */
export function readMountPoints(pid: number): Set<string> {
  try {
    const lines = readFileSync(`/proc/${pid}/mountinfo`, 'utf8').split('\n');
    const points = lines.flatMap((line) => line.split(' ')[4] ?? []);
    return new Set(
      points.map((point) =>
        point.replaceAll(/\\([0-7]{3})/g, (_, octal: string) => String.fromCharCode(parseInt(octal, 8))),
      ),
    );
  } catch {
    return new Set();
  }
}
