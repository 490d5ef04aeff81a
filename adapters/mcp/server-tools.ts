import { headOf } from '@klaus/core/cut-text';
import type { Tool } from '@klaus/core/agent';
import { KlausError } from '@klaus/core/protocol';
import type { JsonSchemaType, Tool as ServerTool } from '@modelcontextprotocol/client';
import { z } from 'zod';
import { toPromptList, toPromptReader } from './prompt-tools.ts';
import { compileSchema } from './schema-validator.ts';
import { toServerDigest } from './server-config.ts';
import { toOutput, toPartsOutput, toTextOutput } from './to-output.ts';
import { toAccess, toBase, toShort, use, type Input, type ServerToolsOptions } from './tool-base.ts';
import { toToolName } from './tool-name.ts';

/** Characters of a description; a longer one is cut. */
const MAX_DESCRIPTION = 2_000;
/** Resources in a list. */
const MAX_RESOURCES = 200;

/**
 * The tools of a server as tools of Klaus. What the user has not marked as reading can have every effect that the program
 * of the server, or its address, allows.
 */
export function toServerTools(
  tools: readonly ServerTool[],
  { hasResources, hasPrompts }: { hasResources: boolean; hasPrompts: boolean },
  options: ServerToolsOptions,
): Tool<unknown>[] {
  const named = new Map<string, Tool<unknown>>();
  for (const tool of tools) {
    const name = toToolName(options.name, tool.name);
    named.set(name, toTool(tool, name, options) as Tool<unknown>);
  }
  const extra = [
    ...(hasResources ? [toResourceList(options), toResourceReader(options)] : []),
    ...(hasPrompts ? [toPromptList(options), toPromptReader(options)] : []),
  ];
  for (const tool of extra) if (!named.has(tool.name)) named.set(tool.name, tool as Tool<unknown>);
  return [...named.values()];
}

function toTool(tool: ServerTool, name: string, options: ServerToolsOptions): Tool<Input> {
  const isReading = options.isReading(tool.name);
  const checkInput = createCheck(tool.inputSchema);
  const checkStructured = tool.outputSchema && createCheck(tool.outputSchema);
  return {
    ...toBase(name, options, isReading),
    description: headOf(tool.description ?? tool.title ?? '', MAX_DESCRIPTION),
    inputSchema: tool.inputSchema,
    async prepare(input) {
      options.check();
      const problem = checkInput(input);
      if (problem !== undefined) throw new KlausError('tool.input', `Invalid input for ${name}: ${problem}.`);
      const title = `${name} ${toShort(input)}`.trim();
      return { title, access: toAccess(options, isReading), server: toServerDigest(options.server) };
    },
    run: (input, context) =>
      use(options, { writes: !isReading, context }, async (connection, at) =>
        toOutput(options.name, await connection.call(tool, input, at), checkStructured),
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
      return { title: name, access: toAccess(options, true), server: toServerDigest(options.server) };
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
      const title = `${name} ${toShort(input)}`;
      return { title, access: toAccess(options, true), server: toServerDigest(options.server) };
    },
    run: (input, context) =>
      use(options, { writes: false, context }, async (connection, at) => {
        const { contents } = await connection.resource(uriSchema.parse(input).uri, at);
        return toPartsOutput(options.name, contents);
      }),
  };
}

/** The problems of a value with a schema of the server; undefined if there are none, or if the schema is invalid. */
type Check = (value: unknown) => string | undefined;

/** The schema is compiled at the first call. The server checks what an invalid one does not. */
function createCheck(schema: ServerTool['outputSchema']): Check {
  let check: ReturnType<typeof compileSchema>['validate'] | undefined;
  return (value) => {
    try {
      check ??= compileSchema(schema as JsonSchemaType).validate;
    } catch {
      check = (data) => ({ valid: true, data, errorMessage: undefined });
    }
    const { valid, errorMessage = 'it does not match the schema' } = check(value);
    return valid ? undefined : headOf(errorMessage, 1_000);
  };
}
