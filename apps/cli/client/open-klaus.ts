import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Klaus } from '@klaus/sdk';
import { err } from '../output/sink.ts';
import { UsageError } from '../program/cli-error.ts';
import { toScriptedServer } from './scripted-model.ts';

export interface OpenKlausOptions {
  /** Folder from `--cwd`. Default: the current one. */
  cwd?: string | undefined;
  /** Settings from options, by key. */
  settings?: Readonly<Record<string, unknown>>;
  /** Receives lines that belong to no session. Default: standard error. */
  onNotice?: (text: string) => void;
  /** See `KlausOptions`. Default `run`, because a command does one run. */
  endProcesses?: 'run' | 'close';
}

/** Loads the engine and opens it. */
export async function openKlaus(options: OpenKlausOptions = {}): Promise<Klaus> {
  const { createKlaus } = await import('@klaus/sdk');
  const given = Object.entries(options.settings ?? {}).filter(([, value]) => value !== undefined);
  return createKlaus({
    cwd: options.cwd === undefined ? process.cwd() : toFolder(options.cwd),
    settings: Object.fromEntries(given),
    endProcesses: options.endProcesses ?? 'run',
    scripted: toScriptedServer,
    onNotice: options.onNotice ?? ((text) => err.write(`klaus: ${text}\n`)),
  });
}

/** @throws UsageError if there is no such folder. */
export function toFolder(path: string): string {
  const folder = resolve(path);
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true) {
    throw new UsageError(`There is no folder ${folder}.`, 'Pass an existing folder to `--cwd`.');
  }
  return folder;
}
