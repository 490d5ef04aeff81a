import { resolve } from 'node:path';
import type { ScriptedServer } from '@klaus/sdk';
import { demoFiles } from '../demo/files.ts';

const servers = new Map<string, Promise<ScriptedServer>>();

/**
 * The scripted model server of `scripted/NAME`, in this process. There is one for each script, started at its first
 * use. `demo` is the script of `klaus demo`; any other name is the path of a script.
 *
 * @throws KlausError `config` if the script is missing or invalid.
 */
export async function toScriptedServer(name: string): Promise<ScriptedServer> {
  const file = name === 'demo' ? demoFiles.script : resolve(name);
  const { startModelServer } = await import('@klaus/sdk');
  let server = servers.get(file);
  if (server === undefined) {
    server = startModelServer({ script: file });
    servers.set(file, server);
  }
  return server;
}
