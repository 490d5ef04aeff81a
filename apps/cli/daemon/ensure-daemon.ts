import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { toHome } from '@klaus/sdk/home';
import { VERSION } from '@klaus/sdk/version';
import { type Client, isProblemError } from '@klaus/server/client';
import { toSocketClient } from '../client/http/http-fetch.ts';
import { toUnreachable } from '../client/http/server-error.ts';
import { findForeignPart } from '../instance/trusted-folder.ts';
import { CliError } from '../program/cli-error.ts';
import { readDescriptor } from './server-descriptor.ts';
import { type StartedDaemon, startDaemon } from './start-daemon.ts';

/** Milliseconds until a daemon must answer, on a busy machine too. */
const START_MS = 30_000;
/** Milliseconds between two requests. */
const POLL_MS = 25;
/** Milliseconds until a running daemon must answer one request. */
const ANSWER_MS = 10_000;
/** Milliseconds between two attempts to start one, while a former one ends. */
const RESTART_MS = 500;
/** Longest path of a Unix socket on Linux, in bytes. Source: unix(7). */
const MAX_SOCKET_PATH = 107;

export interface Daemon {
  /** Absolute path of its Unix socket. */
  socket: string;
}

/**
 * Connects to the server of this state folder, or starts one in the background and waits for it. Of two callers at once,
 * both get the same one.
 *
 * @throws CliError `config` for a socket path that is too long, a folder that cannot be written or in which another user
 *   can put a socket, and a `klaus serve` of another version; `store.busy` for a daemon of another version that works; `store.full`; `timeout`; the error with
 *   which the daemon did not start.
 */
export async function ensureDaemon(): Promise<Daemon> {
  const home = toHome(process.env, process.cwd());
  checkOwners(home);
  const socket = toSocket(home);
  const until = Date.now() + START_MS;
  let started: StartedDaemon | undefined;
  for (;;) {
    const version = await readVersion(socket);
    if (version === VERSION) return { socket };
    if (version !== undefined) await endOther(socket, version);
    if (started === undefined || (started.end !== undefined && Date.now() - started.at >= RESTART_MS)) {
      started?.check();
      started = startDaemon(home);
    }
    if (Date.now() >= until) throw toLate(home, started);
    await sleep(POLL_MS);
  }
}

/** A user who can replace the socket would get every request. */
function checkOwners(home: string): void {
  const part = findForeignPart(join(home, 'server'));
  if (part === undefined) return;
  throw new CliError('config', `${part} belongs to another user, or others can replace what is in it.`, {
    hint: 'Set KLAUS_HOME to a folder that you own, and that only you can write.',
  });
}

/** The socket of the server of a state folder. @throws CliError `config` for a path that is too long. */
function toSocket(home: string): string {
  const socket = join(home, 'server', 'klaus.sock');
  if (Buffer.byteLength(socket) <= MAX_SOCKET_PATH) return socket;
  throw new CliError(
    'config',
    `The path of the daemon's socket is too long: ${socket} has ${Buffer.byteLength(socket)} bytes, and at most ${MAX_SOCKET_PATH} are possible.`,
    { hint: 'Set KLAUS_HOME to a state folder with a shorter path.' },
  );
}

/** The version of the server behind a socket; undefined if no program listens there. */
async function readVersion(socket: string): Promise<string | undefined> {
  try {
    const { version } = await inTime(socket, toSocketClient(socket).health());
    if (typeof version === 'string') return version;
  } catch (error) {
    if (!isProblemError(error)) throw error;
    const { code } = (error.cause ?? {}) as { code?: string };
    // There is no socket, its server was killed, or its server ends now.
    if (['ENOENT', 'ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ENOTSOCK'].includes(code ?? '')) return undefined;
    if (error.problem.status === 0) throw toUnreachable(error.cause, `unix:${socket}`);
  }
  throw new CliError('config', `The program that listens on ${socket} is not klaus serve.`, {
    hint: 'End that program, or set KLAUS_HOME to another state folder.',
  });
}

async function inTime<T>(socket: string, answer: Promise<T>): Promise<T> {
  const timer = new AbortController();
  const late = sleep(ANSWER_MS, undefined, { signal: timer.signal, ref: false }).then(() => {
    const pid = readDescriptor(socket)?.pid;
    const hint = `${pid === undefined ? 'End its process' : `End it with \`kill -9 ${pid}\``}, and repeat the command: its sessions resume.`;
    throw new CliError('timeout', 'The daemon does not answer.', { hint });
  });
  try {
    return await Promise.race([answer, late]);
  } finally {
    late.catch(() => {});
    timer.abort();
  }
}

/**
 * Ends a daemon of another version that has no work, and waits until its process has ended.
 *
 * @throws CliError `store.busy` if it works, `config` for a server that a user started.
 */
async function endOther(socket: string, version: string): Promise<void> {
  const descriptor = readDescriptor(socket);
  const pid = descriptor?.version === version && descriptor.isDaemon ? descriptor.pid : undefined;
  if (pid === undefined) {
    throw new CliError('config', `klaus serve runs in version ${version}, and this is version ${VERSION}.`, {
      hint: 'Stop it, and start it again with the installed version. Its sessions resume then.',
    });
  }
  const count = await countRuns(toSocketClient(socket));
  if (count > 0) {
    throw new CliError(
      'store.busy',
      `The daemon runs in version ${version} and works on ${count === 1 ? 'a session' : `${count} sessions`}. This is version ${VERSION}.`,
      {
        hint: `Wait until its runs have ended, or end it with \`kill ${pid}\`: its sessions resume with the next command.`,
      },
    );
  }
  // A run that starts now is not lost: it resumes with the next daemon.
  signal(pid, 'SIGTERM');
  for (const until = Date.now() + START_MS; signal(pid, 0) && Date.now() < until;) await sleep(POLL_MS);
}

async function countRuns(client: Client): Promise<number> {
  const { running, queued } = await client.runs();
  return running.length + queued.length;
}

/** False if there is no such process. */
function signal(pid: number, name: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(pid, name);
  } catch {
    return false;
  }
}

function toLate(home: string, { end, log }: StartedDaemon): CliError {
  return end?.isBusy
    ? new CliError('store.busy', `A server holds the state folder ${home}, and its socket does not answer.`, {
        hint: 'Stop that `klaus serve`, or wait until it has ended.',
      })
    : new CliError('timeout', 'The daemon did not start in time.', { hint: `Its log is in ${log}.` });
}
