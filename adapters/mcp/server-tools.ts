import type { Tool, ToolOutput } from '@klaus/core/agent';
import { KlausError, optional, type Effect } from '@klaus/core/protocol';
import type { JsonSchemaType, Tool as ServerTool } from '@modelcontextprotocol/client';
import { AjvJsonSchemaValidator } from '@modelcontextprotocol/client/validators/ajv';
import { z } from 'zod';
import type { CallOptions, McpConnection } from './connect-server.ts';
import { toPlace, type McpServer } from './server-config.ts';
import { toOutput, toText, toTextOutput } from './to-output.ts';

/** Characters of a description; a longer one is cut. */
const MAX_DESCRIPTION = 2_000;
/** Characters of an input schema. A tool with a longer one is left out. */
const MAX_SCHEMA = 65_536;
/** Resources in a list. */
const MAX_RESOURCES = 200;

const inputSchema = z.record(z.string(), z.unknown());
type Input = z.infer<typeof inputSchema>;

export interface ServerToolsOptions {
  name: string;
  server: McpServer;
  workspace: string;
  /** True if the program of the server has the network. */
  hasNetwork: boolean;
  /** The connection for a call. @param writes True: the program may change files. */
  readonly connect: (writes: boolean, signal: AbortSignal) => Promise<McpConnection>;
  /** Throws KlausError `denied` if the grant does not allow the program. */
  check(): void;
}

/** `mcp__SERVER__TOOL`, with `_` for characters that names of tools cannot have. */
function toToolName(server: string, tool: string): string {
  return `mcp__${server}__${tool.replaceAll(/[^\w.-]/g, '_').slice(0, 100)}`;
}

/**
 * The tools of a server as tools of Klaus. What a server does not describe as reading can have every effect that its
 * program, or its address, allows.
 */
export function toServerTools(
  tools: readonly ServerTool[],
  hasResources: boolean,
  options: ServerToolsOptions,
): Tool<unknown>[] {
  const named = new Map<string, Tool<unknown>>();
  for (const tool of tools) {
    const name = toToolName(options.name, tool.name);
    if (named.has(name) || JSON.stringify(tool.inputSchema).length > MAX_SCHEMA) continue;
    named.set(name, toTool(tool, name, options) as Tool<unknown>);
  }
  const extra = hasResources ? [toResourceList(options), toResourceReader(options)] : [];
  for (const tool of extra) if (!named.has(tool.name)) named.set(tool.name, tool as Tool<unknown>);
  return [...named.values()];
}

function toTool(tool: ServerTool, name: string, options: ServerToolsOptions): Tool<Input> {
  const isReading = tool.annotations?.readOnlyHint === true;
  const validate = createValidator(tool);
  return {
    ...toBase(name, options, isReading),
    description: (tool.description ?? tool.title ?? '').slice(0, MAX_DESCRIPTION),
    inputSchema: tool.inputSchema,
    async prepare(input) {
      options.check();
      validate(name, input);
      return { title: `${name} ${toShort(input)}`.trim(), access: toAccess(options, isReading) };
    },
    run: (input, context) =>
      use(options, { writes: !isReading, context }, async (connection, at) =>
        toOutput(options.name, await connection.call(tool, input, at)),
      ),
  };
}

function toResourceList(options: ServerToolsOptions): Tool<Input> {
  const name = toToolName(options.name, 'list_resources');
  return {
    ...toBase(name, options, true),
    description: `List the resources of the MCP server ${options.name}.`,
    inputSchema: { type: 'object', properties: {} },
    async prepare() {
      options.check();
      return { title: name, access: toAccess(options, true) };
    },
    run: (_, context) =>
      use(options, { writes: false, context }, async (connection, at) => {
        const all = await connection.resources(at);
        const rows = all
          .slice(0, MAX_RESOURCES)
          .map(({ uri, name: title, description = '' }) => `${uri} ${title} ${description}`.trim());
        const more = all.length > rows.length ? [`and ${all.length - rows.length} more`] : [];
        return toTextOutput(options.name, [...rows, ...more].join('\n') || 'There are no resources.');
      }),
  };
}

const uriSchema = z.object({ uri: z.string().max(2_000) });

function toResourceReader(options: ServerToolsOptions): Tool<Input> {
  const name = toToolName(options.name, 'read_resource');
  return {
    ...toBase(name, options, true),
    description: `Read a resource of the MCP server ${options.name} by its URI.`,
    inputSchema: { type: 'object', properties: { uri: { type: 'string' } }, required: ['uri'] },
    async prepare(input) {
      options.check();
      if (!uriSchema.safeParse(input).success)
        throw new KlausError('tool.input', `Invalid input for ${name}: it takes uri.`);
      return { title: `${name} ${toShort(input)}`, access: toAccess(options, true) };
    },
    run: (input, context) =>
      use(options, { writes: false, context }, async (connection, at) => {
        const { contents } = await connection.resource(uriSchema.parse(input).uri, at);
        return toTextOutput(options.name, contents.map((part) => toText(part)).join('\n'));
      }),
  };
}

function toBase(name: string, { server, hasNetwork }: ServerToolsOptions, isReading: boolean) {
  const all: Effect[] =
    server.kind === 'http' ? ['network'] : ['read', 'write', 'execute', ...(hasNetwork ? ['network' as const] : [])];
  return {
    name,
    input: inputSchema,
    effects: isReading ? ['read' as const] : all,
    resume: isReading ? ('repeat' as const) : ('tell' as const),
    deferred: true,
    // A program that runs longer than a call cannot work on the layer of one call.
    ...optional({ inPlace: server.kind === 'stdio' && !isReading ? true : undefined }),
  };
}

function toAccess({ server, workspace }: ServerToolsOptions, isReading: boolean) {
  if (server.kind === 'http') return [{ kind: 'net' as const, ...toPlace(server) }];
  return [{ kind: 'fs' as const, path: workspace, right: isReading ? ('r' as const) : ('w' as const) }];
}

function toShort(input: Input): string {
  const text = JSON.stringify(input);
  return text === '{}' ? '' : text.length > 100 ? `${text.slice(0, 100)}…` : text;
}

/** Checks an input by the schema of the server, which is compiled at the first call. */
function createValidator({ inputSchema: schema }: ServerTool): (name: string, input: Input) => void {
  let check: ReturnType<AjvJsonSchemaValidator['getValidator']> | undefined;
  return (name, input) => {
    try {
      check ??= new AjvJsonSchemaValidator().getValidator(schema as JsonSchemaType);
    } catch (cause) {
      throw new KlausError('mcp.failed', `The input schema of ${name} is invalid.`, { cause });
    }
    const { valid, errorMessage = 'it does not match the schema' } = check(input);
    if (!valid) throw new KlausError('tool.input', `Invalid input for ${name}: ${errorMessage.slice(0, 1_000)}.`);
  };
}

async function use(
  { connect }: ServerToolsOptions,
  { writes, context }: { writes: boolean; context: Parameters<Tool['run']>[1] },
  work: (connection: McpConnection, at: CallOptions) => Promise<ToolOutput>,
): Promise<ToolOutput> {
  const { signal, execLimits } = context;
  const connection = await connect(writes, signal);
  return work(connection, {
    ...{ signal, timeoutMs: execLimits.timeoutMs },
    onProgress: (text) => context.progress(text),
    ask: (question, ended) => context.ask(question, ended),
  });
}
