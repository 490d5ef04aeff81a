import { spawn } from 'node:child_process';
import {
  accessSync,
  appendFileSync,
  closeSync,
  constants,
  mkdirSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
} from 'node:fs';
import { join } from 'node:path';
import type { ErrorCode } from '@klaus/sdk';
import { CliError } from '../program/cli-error.ts';
import { EXIT } from '../program/exit-codes.ts';

/** Bytes from which the log of starts begins again. */
const MAX_LOG = 1_048_576;

/** Variables of the terminal or session from which the daemon is started. They do not concern its sessions. */
const OWN_VARIABLES: ReadonlySet<string> = new Set(['KLAUS_INSTANCE_ID', 'KLAUS_SESSION_ID']);

/** A daemon that this process has started. */
export interface StartedDaemon {
  /** Unix milliseconds. */
  readonly at: number;
  /** Absolute path of the file with its output. */
  readonly log: string;
  /** Undefined while it runs. `isBusy`: another server holds the state folder. */
  readonly end: { isBusy: boolean } | undefined;
  /** @throws CliError with the reason, if it has ended for another reason than another server. */
  check(): void;
}

/**
 * Starts `klaus serve` in the background: on a free port, without a terminal, with the environment of this process. It
 * outlives this process.
 *
 * @throws CliError `config` for a folder that cannot be written, `store.full`.
 */
export function startDaemon(home: string): StartedDaemon {
  const folder = join(home, 'server');
  const log = join(home, 'logs', 'daemon.log');
  const { file, from } = openLog({ folder, log });
  const words = [process.argv[1]!, 'serve', '--daemon', '--json', '--port', '0'];
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !OWN_VARIABLES.has(name)));
  let ended: { code: number | null; cause?: Error } | undefined;
  // The folder of a project can be deleted while the daemon runs.
  const child = spawn(process.execPath, words, { detached: true, stdio: ['ignore', file, file], env, cwd: folder });
  child.once('exit', (code) => (ended = { code }));
  child.once('error', (cause) => (ended = { code: null, cause }));
  child.unref();
  closeSync(file);
  const isBusy = (): boolean => ended?.code === EXIT.busy;
  return {
    at: Date.now(),
    log,
    get end() {
      return ended && { isBusy: isBusy() };
    },
    check() {
      if (ended === undefined || isBusy()) return;
      const { code, message, hint } = readError(log, from);
      throw new CliError(code, `The daemon did not start: ${message ?? ended.cause?.message ?? 'it ended early.'}`, {
        hint: hint ?? `Its log is in ${log}.`,
        cause: ended.cause,
      });
    },
  };
}

/** Creates the folders, and opens the log for a start. `from`: its size before that. */
function openLog({ folder, log }: { folder: string; log: string }): { file: number; from: number } {
  try {
    for (const each of [folder, join(log, '..')]) {
      mkdirSync(each, { recursive: true, mode: 0o700 });
      accessSync(each, constants.W_OK | constants.X_OK);
    }
    const size = statSync(log, { throwIfNoEntry: false })?.size ?? 0;
    if (size > MAX_LOG) rmSync(log, { force: true });
    const line = `${JSON.stringify({ at: new Date().toISOString(), startedBy: process.pid })}\n`;
    appendFileSync(log, line, { mode: 0o600 });
    const from = size > MAX_LOG ? 0 : size;
    return { file: openSync(log, 'a'), from };
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === 'ENOSPC' || code === 'EDQUOT') {
      const hint = 'Free some space. All stored data is intact.';
      throw new CliError('store.full', `The disk of ${folder} is full.`, { hint, cause: error });
    }
    const hint = 'Set KLAUS_HOME to a folder that you own.';
    throw new CliError('config', `Klaus cannot keep its state in ${folder}: ${message}.`, { hint, cause: error });
  }
}

/** The last error in the log that is not about another server. */
function readError(log: string, from: number): { code: ErrorCode; message?: string; hint?: string } {
  for (const line of readFileSync(log).subarray(from).toString('utf8').split('\n').toReversed()) {
    if (!line.startsWith('{"error"')) continue;
    try {
      const { error } = JSON.parse(line) as { error: { code: ErrorCode; message: string; hint?: string } };
      if (error.code !== 'store.busy') return error;
    } catch {
      // A line of another program.
    }
  }
  return { code: 'internal' };
}
