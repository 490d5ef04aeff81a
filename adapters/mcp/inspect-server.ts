import type { Sandbox } from '@klaus/core/agent';
import { describeUnchecked } from '@klaus/core/linear-pattern';
import type { JsonSchemaType, Tool as ServerTool } from '@modelcontextprotocol/client';
import { connectServer } from './connect-server.ts';
import { createSessionLogin, type LoginStore } from './oauth.ts';
import { toBinds, type McpServer } from './server-config.ts';
import { compileSchema } from './schema-validator.ts';
import { toPinned, type PinnedTools } from './tool-pins.ts';
import { toPrompt, type ServerPrompt } from './server-prompt.ts';

/** What a server has. */
export interface InspectedServer {
  /** Name and version that it reported. */
  server: string;
  /** Version of the protocol. */
  protocol: string;
  tools: { name: string; description: string; reads: boolean }[];
  /** The complete descriptions and schemas of the tools. */
  pinned: PinnedTools;
  /** A sentence about patterns of the schemas that are not checked; '' if all are. */
  warning: string;
  prompts: ServerPrompt[];
  /** Number of resources. */
  resources: number;
}

export interface InspectOptions {
  name: string;
  server: McpServer;
  workspace: string;
  sandbox: Sandbox;
  store?: LoginStore;
  signal: AbortSignal;
  /** Milliseconds that it has to start. Default 60,000. */
  startMs?: number;
}

const LIMITS = { timeoutMs: Number.MAX_SAFE_INTEGER, memoryMb: 4_096, processes: 1_024 };

function findUnchecked(tools: readonly ServerTool[]): Set<string> {
  return new Set(
    tools.flatMap(({ inputSchema }) => {
      try {
        return [...compileSchema(inputSchema as JsonSchemaType).unchecked];
      } catch {
        // A call of the tool reports the schema.
        return [];
      }
    }),
  );
}

/** Starts or reaches a server, lists what it has, and calls nothing. @throws KlausError `mcp.failed`, `auth`, `cancelled`. */
export async function inspectServer(options: InspectOptions): Promise<InspectedServer> {
  const { name, server, workspace, sandbox, store, signal, startMs } = options;
  const isSandboxed = sandbox.name === 'bubblewrap';
  const connection = await connectServer({
    ...{ name, server, signal },
    exec: (request) =>
      sandbox.exec({
        ...request,
        limits: LIMITS,
        keepBytes: 65_536,
        ...(isSandboxed ? { files: { read: [workspace], write: [] } } : {}),
      }),
    startMs,
    binds: server.kind === 'stdio' ? toBinds(server, workspace) : undefined,
    login: store && createSessionLogin(store, { name }),
  });
  try {
    const tools = await connection.tools(signal);
    const prompts = await connection.prompts(signal);
    const resources = connection.hasResources ? await connection.resources({ signal, timeoutMs: 60_000 }) : [];
    return {
      server: connection.server,
      protocol: connection.protocol,
      tools: tools.map((tool) => ({
        name: tool.name,
        description: tool.description ?? '',
        reads: tool.annotations?.readOnlyHint === true,
      })),
      pinned: toPinned(tools),
      warning: describeUnchecked(findUnchecked(tools)),
      prompts: prompts.map(toPrompt),
      resources: resources.length,
    };
  } finally {
    await connection.close();
  }
}
