import { headOf } from '@klaus/core/cut-text';
import { execFile } from 'node:child_process';
import { homedir } from 'node:os';
import { toHostEnvironment, type Environment } from '@klaus/adapters/system';
import { ProviderError } from '../failure/errors.ts';
import type { RenewableKey } from '../wire/key-source.ts';

export interface KeyCommandOptions {
  /** Name of the server, for messages. */
  server: string;
  /** Default: that of the process. */
  env?: Environment;
  /** Receives each key before it is used: it must not reach a log. */
  onKey?: (key: string) => void;
}

/** Milliseconds; a command can wait for the password of a key ring. */
const TIMEOUT_MS = 60_000;
const MAX_OUTPUT = 65_536;

/**
 * A key that a command of the user prints. It runs in the home folder with the user's rights, outside of the sandbox, and
 * not with programs of a workspace. Its result is kept until the server refuses it.
 */
export function createKeyCommand(command: string, { server, env, onKey }: KeyCommandOptions): RenewableKey {
  let pending: Promise<string> | undefined;
  let key: string | undefined;
  const run = (): Promise<string> =>
    (pending ??= runCommand(command, { server, env })
      .then((found) => {
        onKey?.(found);
        return (key = found);
      })
      .finally(() => (pending = undefined)));
  return {
    read: async () => key ?? run(),
    // Another request may have renewed it.
    renew: async (refused) => (key === undefined || key === refused ? run() : key),
  };
}

function runCommand(command: string, { server, env }: Omit<KeyCommandOptions, 'onKey'>): Promise<string> {
  const options = {
    cwd: homedir(),
    env: toHostEnvironment(env) as NodeJS.ProcessEnv,
    timeout: TIMEOUT_MS,
    killSignal: 'SIGKILL' as const,
    maxBuffer: MAX_OUTPUT,
  };
  return new Promise((resolve, reject) => {
    const child = execFile('/bin/sh', ['-c', command], options, (error, stdout, stderr) => {
      const key = stdout.trim();
      if (!error && /^[\x21-\x7e]+$/.test(key)) return resolve(key);
      // Standard output can contain the key, and so it is not quoted.
      const reason = error ? toReason(error, stderr) : 'printed no key';
      reject(toError(`The key command of the server ${server} ${reason}`));
    });
    child.stdin?.end();
  });
}

function toReason(error: { killed?: boolean; code?: string | number | null }, stderr: string): string {
  if (error.killed === true) return `did not end within ${TIMEOUT_MS / 1_000} seconds`;
  const line = stderr.trim().split('\n').at(-1) ?? '';
  return `failed (${error.code ?? 'signal'})${line === '' ? '' : `: ${headOf(line, 300)}`}`;
}

function toError(message: string): ProviderError {
  return new ProviderError({ body: { type: 'authentication_error', message } });
}
