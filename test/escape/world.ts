import { execFileSync, spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import {
  accessSync,
  constants,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import type { Server } from 'node:net';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';

/** Content of the canaries. A command that prints it has read one. */
export const SECRET = 'CANARY-b71f09';

/** A project, other projects, and files around them on the host. Outside /tmp. */
export interface World extends AsyncDisposable {
  root: string;
  workspace: string;
  /** `KLAUS_HOME`. */
  home: string;
  /** A folder of the user with keys. */
  user: string;
  /** Contains a secret; must be neither read nor changed. */
  canary: string;
  /** A file that does not exist; a successful attack creates it. */
  mark: string;
  /** A process of the host, which waits. */
  victim: ChildProcess;
  /** A TCP port on the host's loopback, and the received data. */
  port: number;
  received: () => string;
  /** A Unix socket on the host, one in the project, and one without a path. */
  socket: string;
  shownSocket: string;
  abstract: string;
}

const GIT = ['-c', 'user.name=A', '-c', 'user.email=a@b', '-c', 'commit.gpgsign=false'];

export function git(cwd: string, ...words: string[]): void {
  execFileSync('git', [...GIT, ...words], { cwd, stdio: 'ignore' });
}

let counter = 0;
let template: string | undefined;

/** The project, created once. */
function openTemplate(): string {
  if (template !== undefined) return template;
  template = mkdtempSync(join(tmpdir(), 'klaus-escape-'));
  const made = template;
  process.once('exit', () => rmSync(made, { recursive: true, force: true }));
  writeFileSync(join(made, 'a.txt'), 'one\n');
  writeFileSync(join(made, '.gitignore'), '.env*\n*.pem\nvault\n');
  git(made, 'init', '-q', '-b', 'main');
  git(made, 'add', '-A');
  git(made, 'commit', '-qm', 'first');
  return made;
}

/** Folders that the sandbox always replaces by its own, so that they cannot prove that a file is hidden. */
const COVERED = ['/tmp/', '/var/tmp/', '/run/', '/dev/'];

/** A folder for worlds on the disk of the host, also if the home folder is temporary. */
function findBase(): string | undefined {
  for (const base of [join(homedir(), '.cache'), '/var/lib/klaus-escape', '/opt/klaus-escape']) {
    if (COVERED.some((folder) => base.startsWith(folder))) continue;
    try {
      mkdirSync(base, { recursive: true });
      accessSync(base, constants.W_OK);
      return base;
    } catch {
      continue;
    }
  }
  return undefined;
}

/** The reason why no world can be created here. */
export function findNoBase(): string | undefined {
  return findBase() === undefined ? 'no folder outside of /tmp can be written here: set HOME to one' : undefined;
}

export async function createWorld(): Promise<World> {
  const base = findBase()!;
  const root = realpathSync(mkdtempSync(join(base, 'klaus-escape-')));
  const at = (path: string) => join(root, path);
  for (const folder of ['project', 'state', 'user/.ssh', 'neighbour']) mkdirSync(at(folder), { recursive: true });
  cpSync(openTemplate(), at('project'), { recursive: true });
  mkdirSync(at('project/vault'));
  for (const path of [
    'project/.env',
    'project/vault/key',
    'state/klaus.db',
    'user/.ssh/id_ed25519',
    'neighbour/.env',
    'canary',
  ])
    writeFileSync(at(path), `${SECRET}\n`, { mode: 0o600 });
  let heard = '';
  const listen = (server: Server, where: object) => new Promise<void>((resolve) => server.listen(where, resolve));
  const servers = Array.from({ length: 4 }, () => {
    const server = createServer((socket) => {
      socket.on('data', (chunk) => (heard += String(chunk)));
      socket.on('error', () => undefined);
      socket.end(SECRET);
      heard += 'connected';
    });
    server.on('error', () => undefined);
    return server;
  });
  const abstract = `klaus-escape-${process.pid}-${counter++}`;
  await listen(servers[0]!, { port: 0, host: '127.0.0.1' });
  await listen(servers[1]!, { path: at('agent.sock') });
  await listen(servers[2]!, { path: `\0${abstract}` });
  await listen(servers[3]!, { path: at('project/app.sock') });
  const victim = spawn('sleep', ['3600'], { stdio: 'ignore', env: { VICTIM: SECRET } });
  const address = servers[0]!.address();
  return {
    root,
    workspace: at('project'),
    home: at('state'),
    user: at('user'),
    canary: at('canary'),
    mark: at('mark'),
    victim,
    port: typeof address === 'object' && address ? address.port : 0,
    received: () => heard,
    socket: at('agent.sock'),
    shownSocket: at('project/app.sock'),
    abstract,
    async [Symbol.asyncDispose]() {
      victim.kill('SIGKILL');
      await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
      rmSync(root, { recursive: true, force: true });
    },
  };
}

/** Secret files as Klaus lists them. */
export function listSecrets(world: World): string[] {
  const names = existsSync(world.workspace) ? readdirSync(world.workspace) : [];
  return names.filter((name) => /^\.env|^vault$|\.pem$/.test(name)).map((name) => join(world.workspace, name));
}

/** Runs the git commands of a user that run configured programs. */
export function useGit(world: World, folder = world.workspace): boolean {
  if (!existsSync(folder)) return false;
  writeFileSync(join(folder, 'a.txt'), `changed ${counter++}\n`);
  for (const words of [['status'], ['add', 'a.txt'], ['diff', 'HEAD'], ['commit', '-qm', 'work'], ['log', '-1']]) {
    try {
      git(folder, ...words);
    } catch {
      // A broken repository runs no programs.
    }
  }
  return existsSync(world.mark);
}

/** Running processes of this machine with the text in their command line. */
export function findProcesses(text: string): number[] {
  return readdirSync('/proc').flatMap((name) => {
    if (!/^\d+$/.test(name)) return [];
    try {
      const isDead = /\) [ZX] /.test(readFileSync(`/proc/${name}/stat`, 'latin1'));
      return !isDead && readFileSync(`/proc/${name}/cmdline`, 'latin1').includes(text) ? [Number(name)] : [];
    } catch {
      return [];
    }
  });
}
