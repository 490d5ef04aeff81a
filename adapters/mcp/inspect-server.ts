import { headOf } from '@klaus/core/cut-text';
import type { Sandbox } from '@klaus/core/agent';
import { describeUnchecked } from '@klaus/core/linear-pattern';
import { messageOf } from '@klaus/core/protocol';
import type { JsonSchemaType, Tool as ServerTool } from '@modelcontextprotocol/client';
import { connectServer } from './connect-server.ts';
import type { ToolProblem } from './messages/repair-tools.ts';
import { createSessionLogin, type LoginStore } from './oauth.ts';
import { toBinds, type McpServer } from './server-config.ts';
import { compileSchema } from './schema-validator.ts';
import { toPinned, type PinnedTools } from './tool-pins.ts';
import { toPrompt, type ServerPrompt } from './server-prompt.ts';

export interface InspectedTool {
  name: string;
  description: string;
  /** True if the server says that it only reads (`readOnlyHint`), which is no fact. */
  reads: boolean;
}

/** What a server has. */
export interface InspectedServer {
  /** Name and version that it reported. */
  server: string;
  /** Version of the protocol. */
  protocol: string;
  tools: InspectedTool[];
  /** The complete descriptions and schemas of the tools. */
  pinned: PinnedTools;
  /** A sentence about patterns of the schemas that are not checked; '' if all are. */
  warning: string;
  /** What is wrong with tools: those that are lost are not among `tools`. At most 200. */
  problems: ToolProblem[];
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

const MAX_PROBLEMS = 200;
const LIMITS = { timeoutMs: Number.MAX_SAFE_INTEGER, memoryMb: 4_096, processes: 1_024 };

interface CheckedSchemas {
  /** Patterns that are not checked. */
  unchecked: Set<string>;
  problems: ToolProblem[];
}

function checkSchemas(tools: readonly ServerTool[]): CheckedSchemas {
  const checked: CheckedSchemas = { unchecked: new Set(), problems: [] };
  for (const { name, inputSchema, outputSchema } of tools) {
    for (const [kind, schema] of [
      ['input', inputSchema],
      ['output', outputSchema],
    ] as const) {
      try {
        const found = schema && compileSchema(schema as JsonSchemaType).unchecked;
        if (kind === 'input') for (const each of found ?? []) checked.unchecked.add(each);
      } catch (error) {
        const problem = `has an invalid ${kind} schema, which is not checked: ${headOf(messageOf(error), 300)}`;
        checked.problems.push({ tool: name, problem, isLost: false });
      }
    }
  }
  return checked;
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
    const { tools, problems } = await connection.tools(signal);
    const checked = checkSchemas(tools);
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
      warning: describeUnchecked(checked.unchecked),
      problems: [...problems, ...checked.problems].slice(0, MAX_PROBLEMS),
      prompts: prompts.map(toPrompt),
      resources: resources.length,
    };
  } finally {
    await connection.close();
  }
}
