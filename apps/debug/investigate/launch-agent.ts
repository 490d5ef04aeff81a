import type { CliInput } from '../contract/index.ts';
import { toChildEnvironment } from '../launch/child-environment.ts';
import { findCli } from '../launch/find-cli.ts';
import { findNode } from '../launch/find-node.ts';
import { runCli, type CliEnd } from '../launch/run-cli.ts';
import type { DebugServer } from '../server/debug-server.ts';
import type { RunOptions } from './options.ts';
import type { RunControl } from './start-run.ts';

/** Milliseconds before the time-out at which the CLI ends its own run, so that it can report its summary. */
const MARGIN_MS = 2000;

/** Fields of the input that depend on the mode. */
export type AgentTask =
  | { mode: 'investigate' }
  | { mode: 'implement'; prompt: string; schema: Record<string, unknown> };

/** Where the CLI and its Node.js are. Looked up before anything is started. */
export interface AgentPlace {
  cli: string;
  node: string;
  env: Record<string, string>;
  folder: string;
}

/** @throws KlendathuError `cli-missing`, `node-missing` */
export async function findAgent(options: RunOptions): Promise<AgentPlace> {
  const env = { ...process.env, ...options.env };
  const folder = options.projectRoot ?? process.cwd();
  const cli = findCli({ cliPath: options.cliPath, projectRoot: folder, env });
  return { cli, node: await findNode(cli, env), env: toChildEnvironment(process.env, options.env), folder };
}

/** Runs the CLI against the server of this program until it ends. */
export async function launchAgent(
  { server, task, place }: { server: DebugServer; task: AgentTask; place: AgentPlace },
  options: RunOptions,
  control: RunControl,
): Promise<CliEnd> {
  const { PROTOCOL_VERSION } = await import('../contract/index.ts');
  const remainingMs = control.remainingMs();
  const input: CliInput = {
    ...task,
    mcpUrl: server.url,
    mcpToken: server.token,
    callStack: [...server.callStack],
    context: [...server.context],
    timestamp: new Date().toISOString(),
    pid: process.pid,
    extraInstructions: options.instructions ?? options.extraInstructions,
    protocol: PROTOCOL_VERSION,
    error: server.error,
    language: 'javascript',
    runtime: `node ${process.versions.node}`,
    projectRoot: place.folder,
    access: options.access ?? 'read',
    model: options.model,
    budget: options.budget,
    timeoutMs: Math.max(1, remainingMs - Math.min(MARGIN_MS, Math.floor(remainingMs / 10))),
    fingerprint: server.fingerprint,
  };
  return runCli(place, input, { signal: control.signal, onStatus: control.status, onEvent: control.event });
}
