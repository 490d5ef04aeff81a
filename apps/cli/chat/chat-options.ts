import { UsageError } from '../program/cli-error.ts';
import type { Options } from '../program/options.ts';

export interface ChatCommandOptions extends Options {
  new?: true;
  /** False: `--no-history`. */
  history: boolean;
}

/** The given options that only a new session has. */
export function listFixed({
  sandbox,
  grant,
  allowNet,
  worker,
  addDir,
  isolate,
  fallback,
  effort,
  temperature,
}: Options): string[] {
  return [
    ...(sandbox ? ['--sandbox'] : []),
    ...(grant ? ['--grant'] : []),
    ...(allowNet ? ['--allow-net'] : []),
    ...(worker ? ['--worker'] : []),
    ...(addDir ? ['--add-dir'] : []),
    ...(isolate ? ['--isolate'] : []),
    ...(fallback ? ['--fallback'] : []),
    ...(effort ? ['--effort'] : []),
    ...(temperature === undefined ? [] : ['--temperature']),
  ];
}

/** @throws UsageError for options that only a new session has. */
export function checkContinued(options: Options): void {
  const fixed = listFixed(options);
  if (fixed.length === 0) return;
  throw new UsageError(
    `${fixed.join(' and ')} cannot change in an existing session.`,
    'Leave it out, or start a new session with --new.',
  );
}
