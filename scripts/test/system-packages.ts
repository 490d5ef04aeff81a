import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  accessSync,
  closeSync,
  constants,
  existsSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
} from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { canFetchBubblewrap, fetchBubblewrap } from '@klaus/adapters/sandboxes';

/**
 * System programs that tests use and npm cannot install: the name in Debian, a program of the package, and what is skipped
 * without it.
 */
const SYSTEM_PACKAGES = [
  { name: 'bubblewrap', program: 'bwrap', without: 'sandboxed commands: the demo, and every test that runs one' },
  { name: 'docker.io', program: 'dockerd', without: 'tests with Docker' },
  { name: 'docker-compose', program: 'docker-compose', without: 'the test of the container stack' },
  { name: 'busybox-static', program: 'busybox', without: 'tests that build a container image' },
  { name: 'tmux', program: 'tmux', without: 'tests in a real terminal' },
  { name: 'chromium', program: 'chromium', without: 'tests of the page in a browser' },
  { name: 'firefox-esr', program: 'firefox-esr', without: 'tests of previews in a second browser' },
  { name: 'exfat-fuse', program: 'mount.exfat-fuse', without: 'tests on a file system that ignores case' },
  { name: 'exfatprogs', program: 'mkfs.exfat', without: 'tests on a file system that ignores case' },
  { name: 'python3', program: 'python3', without: 'tests in a pseudo-terminal' },
  { name: 'python3-pip', program: 'pip3', without: 'tests of the Python package of klendathu' },
  { name: 'postgresql', program: 'initdb', without: 'tests of the store in Postgres' },
  { name: 'curl', program: 'curl', without: 'the test of the commands of the page about clusters' },
  { name: 'iproute2', program: 'ip', without: 'the test of faults in a cluster' },
  { name: 'iptables', program: 'iptables', without: 'the test of faults in a cluster' },
  { name: 'python3-pytest', program: 'pytest', without: 'tests that run pytest' },
];

/** Debian installs the programs of each version of Postgres into a folder of its own, outside of the PATH. */
const POSTGRES = '/usr/lib/postgresql';

function listFolders(): string[] {
  const versions = existsSync(POSTGRES) ? readdirSync(POSTGRES).map((version) => join(POSTGRES, version, 'bin')) : [];
  return [...(process.env.PATH ?? '').split(delimiter), '/usr/sbin', '/sbin', ...versions];
}

function isPresent(program: string): boolean {
  return listFolders().some((folder) => {
    try {
      accessSync(join(folder, program), constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}

/**
 * Installs missing packages in CI (`CI=true`, as root, with apt-get); elsewhere prints the command that installs them
 * and what is skipped without them. It never installs anything on a user's machine: there it only downloads bubblewrap
 * into the user's cache folder, and adds it to the PATH of this process.
 *
 * @returns Names that are still missing although they should have been installed. An installation continues while this
 *   process is blocked.
 */
export async function provideSystemPackages(): Promise<string[]> {
  let missing = SYSTEM_PACKAGES.filter(({ program }) => !isPresent(program));
  if (missing.length === 0) return [];
  const names = missing.map(({ name }) => name);
  const apt = isPresent('apt-get');
  if (process.env.CI === 'true' && process.getuid?.() === 0 && apt) {
    console.log(`installing ${names.join(', ')} by apt-get …`);
    await install(names);
    return missing.filter(({ program }) => !isPresent(program)).map(({ name }) => name);
  }
  if (missing.some(({ program }) => program === 'bwrap') && (await fetchPrivately()))
    missing = missing.filter(({ program }) => program !== 'bwrap');
  if (missing.length === 0) return [];
  for (const { name, without } of missing) console.log(`without ${name}, skipped: ${without}`);
  const sudo = process.getuid?.() === 0 ? '' : 'sudo ';
  console.log(
    `to have ${missing.length === 1 ? 'it' : 'them'}: ${sudo}apt-get update && ${sudo}apt-get install -y ${names.join(' ')}`,
  );
  return [];
}

/** Installs packages in one process, whose output is in a file, so that it needs no reader. */
async function install(names: readonly string[]): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'klaus-apt-'));
  const file = join(folder, 'output');
  const output = openSync(file, 'w');
  const script = `apt-get update -q && apt-get install -q -y --no-install-recommends ${names.join(' ')}`;
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  try {
    const [status] = await once(spawn('sh', ['-c', script], { env, stdio: ['ignore', output, output] }), 'exit');
    if (status !== 0) console.log(`${script} failed:\n${readFileSync(file, 'utf8')}`);
  } finally {
    closeSync(output);
    rmSync(folder, { recursive: true });
  }
}

/**
 * True when bubblewrap is on the PATH of this process from now on. Its folder is outside of this repository:
 * Klaus runs no host program from a folder that an agent can write.
 */
async function fetchPrivately(): Promise<boolean> {
  if (!canFetchBubblewrap()) return false;
  const folder = join(process.env['XDG_CACHE_HOME'] || join(homedir(), '.cache'), 'klaus');
  console.log(`fetching bubblewrap by apt into ${folder} …`);
  const { path, reason } = await fetchBubblewrap(folder);
  if (path === undefined) {
    console.log(`bubblewrap could not be fetched: ${reason}`);
    return false;
  }
  process.env['PATH'] = `${process.env['PATH'] ?? ''}${delimiter}${dirname(path)}`;
  return true;
}
