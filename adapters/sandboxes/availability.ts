import { existsSync, readFileSync } from 'node:fs';
import type { SandboxName } from '@klaus/core/protocol';

/** Whether one driver works on this machine. */
export type Availability =
  | { name: SandboxName; available: true; detail: string }
  | {
      name: SandboxName;
      available: false;
      /** Why not, as one sentence. */
      reason: string;
      /** What the user can do, as one imperative sentence with the exact line to type where there is one. */
      fix: string;
      /** A shell line that fixes it with the system's package manager, where that is all it takes. */
      install?: string;
      /** True where a session fetches the driver by itself. */
      canFetch?: true;
    };

type Distribution = 'debian' | 'fedora' | 'arch' | 'alpine' | 'suse' | 'other';

const INSTALL: Record<Distribution, (name: { debian: string; other: string }) => string[]> = {
  // A fresh machine has no package lists yet.
  debian: ({ debian }) => ['apt-get update', `apt-get install -y ${debian}`],
  fedora: ({ other }) => [`dnf install -y ${other}`],
  arch: ({ other }) => [`pacman -S --noconfirm ${other}`],
  alpine: ({ other }) => [`apk add ${other}`],
  suse: ({ other }) => [`zypper install -y ${other}`],
  other: () => [],
};

/**
 * The line that installs a package here, or undefined on a distribution that is not known.
 *
 * @param osRelease Content of /etc/os-release (man 5 os-release).
 */
export function toInstallLine(
  name: { debian: string; other: string },
  machine: { osRelease: string; isRoot: boolean },
): string | undefined {
  const lines = INSTALL[toDistribution(machine.osRelease)](name);
  if (lines.length === 0) return undefined;
  return lines.map((line) => `${machine.isRoot ? '' : 'sudo '}${line}`).join(' && ');
}

/** Content of /etc/os-release; empty where there is none. */
export function readOsRelease(): string {
  try {
    return readFileSync('/etc/os-release', 'utf8');
  } catch {
    return '';
  }
}

function toDistribution(osRelease: string): Distribution {
  const value = (key: string) => new RegExp(`^${key}="?([^"\n]*)"?$`, 'm').exec(osRelease)?.[1] ?? '';
  const ids = `${value('ID')} ${value('ID_LIKE')}`.split(' ');
  const is = (...names: string[]) => names.some((name) => ids.includes(name));
  if (is('debian', 'ubuntu')) return 'debian';
  if (is('fedora', 'rhel', 'centos')) return 'fedora';
  if (is('arch')) return 'arch';
  if (is('alpine')) return 'alpine';
  if (is('suse', 'opensuse')) return 'suse';
  return 'other';
}

/** What makes bubblewrap work inside a container. It names the file of this repository that allows no more than that. */
export const CONTAINER_FIX =
  'Start this container with --security-opt seccomp=docker/seccomp.json --security-opt apparmor=unconfined --security-opt systempaths=unconfined: docs/container.md says what that means.';

/** True inside a container of Docker or Podman, which leave a file there. */
export function isInContainer(): boolean {
  return existsSync('/.dockerenv') || existsSync('/run/.containerenv');
}
