import { existsSync } from 'node:fs';
import type { SandboxName } from '@klaus/core/protocol';
import { readText } from './read-text.ts';

export type Availability =
  | { name: SandboxName; available: true; detail: string }
  | {
      name: SandboxName;
      available: false;
      /** The reason, as one sentence. */
      reason: string;
      /** What the user can do, as one imperative sentence, with a command line if there is one. */
      fix: string;
      /** A command line of the system's package manager, if that is sufficient. */
      install?: string;
      /** True if a session can fetch the driver. */
      canFetch?: true;
    };

/** The command that installs a package, by `ID` and `ID_LIKE` of the distributions. The first row that fits is used. */
const INSTALL: readonly { ids: readonly string[]; command: string }[] = [
  { ids: ['debian', 'ubuntu'], command: 'apt-get install -y' },
  { ids: ['fedora', 'rhel', 'centos'], command: 'dnf install -y' },
  { ids: ['arch'], command: 'pacman -S --noconfirm' },
  { ids: ['alpine'], command: 'apk add' },
  { ids: ['suse', 'opensuse'], command: 'zypper install -y' },
];

/** The command line that installs a package, or undefined on an unknown distribution. @source man 5 os-release */
export function toInstallLine(
  name: { debian: string; other: string },
  machine = { osRelease: readText('/etc/os-release') ?? '', isRoot: process.getuid?.() === 0 },
): string | undefined {
  const value = (key: string) => new RegExp(`^${key}="?([^"\n]*)"?$`, 'm').exec(machine.osRelease)?.[1] ?? '';
  const given = `${value('ID')} ${value('ID_LIKE')}`.split(' ');
  const command = INSTALL.find(({ ids }) => ids.some((id) => given.includes(id)))?.command;
  if (command === undefined) return undefined;
  const sudo = machine.isRoot ? '' : 'sudo ';
  if (!command.startsWith('apt-get')) return `${sudo}${command} ${name.other}`;
  // A new machine has no package lists yet.
  return `${sudo}apt-get update && ${sudo}${command} ${name.debian}`;
}

/** The options with which bubblewrap works in a container. The seccomp file of this repository allows nothing else. */
export const CONTAINER_FIX =
  'Start this container with --security-opt seccomp=docker/seccomp.json --security-opt apparmor=unconfined --security-opt systempaths=unconfined. docs/container.md explains these options.';

export function isInContainer(): boolean {
  return existsSync('/.dockerenv') || existsSync('/run/.containerenv');
}
