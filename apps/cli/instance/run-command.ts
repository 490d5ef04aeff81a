import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { constants } from 'node:os';
import { toHostEnvironment } from '@klaus/sdk';
import { CliError } from '../program/cli-error.ts';
import { EXIT } from '../program/exit-codes.ts';

export interface CommandOptions {
  cwd: string;
  env: Readonly<NodeJS.ProcessEnv>;
  /** Ends the command: SIGTERM, and SIGKILL after `graceMs`. */
  signal: AbortSignal;
  graceMs: number;
}

/**
 * Runs a program of the user with the streams of this process. Without one, waits for the signal.
 *
 * @param words The program and its arguments; empty for none.
 * @returns Its exit code; 128 and the number of the signal that ended it.
 * @throws CliError `usage` if it cannot be started.
 */
export async function runCommand([program, ...words]: readonly string[], options: CommandOptions): Promise<number> {
  const { cwd, env, signal, graceMs } = options;
  if (program === undefined) {
    if (!signal.aborted) await once(signal, 'abort');
    return EXIT.done;
  }
  const child = spawn(program, words, { cwd, env: toHostEnvironment(env), stdio: 'inherit' });
  let timer: NodeJS.Timeout | undefined;
  const end = (): void => {
    child.kill('SIGTERM');
    timer = setTimeout(() => child.kill('SIGKILL'), graceMs);
  };
  if (signal.aborted) end();
  signal.addEventListener('abort', end, { once: true });
  try {
    const [code, killedBy] = (await once(child, 'exit')) as [number | null, NodeJS.Signals | null];
    return code ?? 128 + (killedBy === null ? 0 : constants.signals[killedBy]);
  } catch (cause) {
    throw new CliError('usage', `${program} cannot be started: ${(cause as Error).message}.`, { cause });
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', end);
  }
}
