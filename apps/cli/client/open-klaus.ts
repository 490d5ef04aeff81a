import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Klaus, KlausOptions, ScriptedServer, SettingsInput } from '@klaus/sdk';
import { isServiceModel } from '@klaus/sdk/service-models';
import { demoFiles } from '../demo/files.ts';
import { err } from '../output/sink.ts';
import { UsageError } from '../program/cli-error.ts';

export interface OpenKlausOptions {
  /** Folder from `--cwd`. Default: the current one. */
  cwd?: string;
  /** Settings from options, by key. */
  settings?: Readonly<Record<string, unknown>>;
  /** Receives lines that belong to no session. Default: standard error. */
  onNotice?: (text: string, level?: 'info' | 'warn') => void;
  /** See `KlausOptions`. Default `run`, because a command does one run. */
  endProcesses?: 'run' | 'close';
  /** See `KlausOptions`. */
  wrapRunner?: KlausOptions['wrapRunner'];
  /** See `KlausOptions`. */
  tools?: KlausOptions['tools'];
  /** The editor of each session. See `KlausOptions`. */
  buffers?: KlausOptions['buffers'];
}

/** Loads the engine and opens it. */
export async function openKlaus(options: OpenKlausOptions = {}): Promise<Klaus> {
  const { createKlaus } = await import('@klaus/sdk');
  return createKlaus({
    cwd: options.cwd === undefined ? process.cwd() : toFolder(options.cwd),
    // The engine checks them: those of `--set` are texts.
    settings: options.settings as SettingsInput | undefined,
    endProcesses: options.endProcesses ?? 'run',
    scripted: toScriptedServer,
    buffers: options.buffers,
    tools: options.tools,
    wrapRunner: options.wrapRunner,
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

/** Ends a session that a command opened for its own calls, after the command was interrupted. */
const ENDED_SERVICE = {
  steps: [],
  fallback: { text: 'The command that opened this session has ended. Start it again, or work in another session.' },
};

const servers = new Map<string, Promise<ScriptedServer>>();

/**
 * The scripted model server of `scripted/NAME`, in this process. There is one for each script, started at its first
 * use. `demo` is the script of `klaus demo`, and the names of service models have an empty one; any other name is the
 * path of a script.
 *
 * @throws KlausError `config` if the script is missing or invalid.
 */
export async function toScriptedServer(name: string): Promise<ScriptedServer> {
  const isService = isServiceModel(`scripted/${name}`);
  const file = name === 'demo' ? demoFiles.script : isService ? '' : resolve(name);
  const { startModelServer } = await import('@klaus/sdk');
  let server = servers.get(file);
  if (server === undefined) {
    server = startModelServer({ script: isService ? ENDED_SERVICE : file });
    servers.set(file, server);
  }
  return server;
}
