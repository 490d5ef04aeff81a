import { headOf } from '@klaus/core/cut-text';
import type { Tool, ToolOutput } from '@klaus/core/agent';
import type { Effect } from '@klaus/core/protocol';
import { z } from 'zod';
import type { CallOptions, McpConnection } from './connect-server.ts';
import { toPlace, type McpServer } from './server-config.ts';

const inputSchema = z.record(z.string(), z.unknown());
export type Input = z.infer<typeof inputSchema>;

export interface PerformOptions {
  /** True: the request may change something, so that it is not repeated if the server may have performed it. */
  writes: boolean;
  signal: AbortSignal;
}

/** @throws KlausError `mcp.failed`, `mcp.lost` if the outcome is unknown, `auth`, `denied`, `cancelled`. */
export type Perform = <T>(work: (connection: McpConnection) => Promise<T>, options: PerformOptions) => Promise<T>;

export interface ServerToolsOptions {
  name: string;
  server: McpServer;
  workspace: string;
  /** True if the program of the server has the network. */
  hasNetwork: boolean;
  /** True if the program runs without a sandbox. */
  isUnconfined: boolean;
  /** Performs a request, over another connection if the present one is gone and the server did not perform it. */
  readonly perform: Perform;
  /** True for a tool that the user has marked as one that only reads. */
  readonly isReading: (tool: string) => boolean;
  /** Throws KlausError `denied` if the grant does not allow the program. */
  check(): void;
}

/** Every text of a server, also of a failure, is of others. */
export function toMaker(server: string) {
  return { origin: 'others' as const, maker: `the MCP server ${server}` };
}

/** What all tools of a server have in common. */
export function toBase(
  name: string,
  { name: serverName, server, hasNetwork, isUnconfined }: ServerToolsOptions,
  isReading: boolean,
) {
  const all: Effect[] =
    server.kind === 'http' ? ['network'] : ['read', 'write', 'execute', ...(hasNetwork ? ['network' as const] : [])];
  return {
    name,
    input: inputSchema,
    effects: isReading ? ['read' as const] : all,
    // What its server says about a tool does not count: its program, or its address, can pass on what it is given.
    ...toMaker(serverName),
    sends: server.kind === 'http' || hasNetwork || (isUnconfined && ('unconfined' as const)),
    resume: isReading ? ('repeat' as const) : ('tell' as const),
    deferred: true,
    // A program that runs longer than a call cannot work on the layer of one call.
    inPlace: server.kind === 'stdio' && !isReading ? true : undefined,
  };
}

export function toAccess({ server, workspace }: ServerToolsOptions, isReading: boolean) {
  if (server.kind === 'http') return [{ kind: 'net' as const, ...toPlace(server) }];
  return [{ kind: 'fs' as const, path: workspace, right: isReading ? ('r' as const) : ('w' as const) }];
}

export function toShort(input: Input): string {
  const text = JSON.stringify(input);
  return text === '{}' ? '' : text.length > 100 ? `${headOf(text, 100)}…` : text;
}

export async function use(
  { perform }: ServerToolsOptions,
  { writes, context }: { writes: boolean; context: Parameters<Tool['run']>[1] },
  work: (connection: McpConnection, at: CallOptions) => Promise<ToolOutput>,
): Promise<ToolOutput> {
  const { signal, execLimits } = context;
  const at: CallOptions = {
    ...{ signal, timeoutMs: execLimits.timeoutMs },
    onProgress: (text) => context.progress(text),
    ask: (question, ended) => context.ask(question, ended),
  };
  return perform((connection) => work(connection, at), { writes, signal });
}
