import type { ModelServer, ScriptedServer, Script } from '@klaus/adapters/models';

export interface StartModelServerOptions {
  /** A script, or the path of one in YAML or JSON. */
  script: string | Script;
  /** Default 0: any free one. */
  port?: number;
  /** A file that every request is appended to as NDJSON. */
  record?: string;
}

/** A running server, with what `scripted/NAME` needs to know of its script. */
export type StartedModelServer = ModelServer & ScriptedServer;

/**
 * Starts the scripted model server on 127.0.0.1.
 *
 * @throws KlausError `config` when the script is missing or wrong, or the port is taken.
 */
export async function startModelServer(options: StartModelServerOptions): Promise<StartedModelServer> {
  const { createModelServer, loadScript } = await import('@klaus/adapters/models');
  const { port, record } = options;
  const script = typeof options.script === 'string' ? await loadScript(options.script) : options.script;
  const server = await createModelServer({ script, port, record });
  const { wire, price, contextWindow, maxOutputTokens } = script;
  return { ...server, wire, price, contextWindow, maxOutputTokens };
}
