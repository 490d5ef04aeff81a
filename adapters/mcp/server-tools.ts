import { headOf } from '@klaus/core/cut-text';
import type { Tool } from '@klaus/core/agent';
import { KlausError } from '@klaus/core/protocol';
import type { JsonSchemaType, Tool as ServerTool } from '@modelcontextprotocol/client';
import { z } from 'zod';
import { toPromptList, toPromptReader } from './prompt-tools.ts';
import { compileSchema } from './schema-validator.ts';
import { toOutput, toPartsOutput, toTextOutput } from './to-output.ts';
import { toAccess, toBase, toShort, toToolName, use, type Input, type ServerToolsOptions } from './tool-base.ts';

/** Characters of a description; a longer one is cut. */
const MAX_DESCRIPTION = 2_000;
/** Characters of an input schema. A tool with a longer one is left out. */
const MAX_SCHEMA = 65_536;
/** Resources in a list. */
const MAX_RESOURCES = 200;

/**
 * The tools of a server as tools of Klaus. What a server does not describe as reading can have every effect that its
 * program, or its address, allows.
 */
export function toServerTools(
  tools: readonly ServerTool[],
  { hasResources, hasPrompts }: { hasResources: boolean; hasPrompts: boolean },
  options: ServerToolsOptions,
): Tool<unknown>[] {
  const named = new Map<string, Tool<unknown>>();
  for (const tool of tools) {
    const name = toToolName(options.name, tool.name);
    if (named.has(name) || JSON.stringify(tool.inputSchema).length > MAX_SCHEMA) continue;
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
  const isReading = tool.annotations?.readOnlyHint === true;
  const validate = createValidator(tool);
  return {
    ...toBase(name, options, isReading),
    description: headOf(tool.description ?? tool.title ?? '', MAX_DESCRIPTION),
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
        return toPartsOutput(options.name, contents);
      }),
  };
}

/** Checks an input by the schema of the server, which is compiled at the first call. */
function createValidator({ inputSchema: schema }: ServerTool): (name: string, input: Input) => void {
  let check: ReturnType<typeof compileSchema>['validate'] | undefined;
  return (name, input) => {
    try {
      check ??= compileSchema(schema as JsonSchemaType).validate;
    } catch (cause) {
      throw new KlausError('mcp.failed', `The input schema of ${name} is invalid.`, { cause });
    }
    const { valid, errorMessage = 'it does not match the schema' } = check(input);
    if (!valid) throw new KlausError('tool.input', `Invalid input for ${name}: ${headOf(errorMessage, 1_000)}.`);
  };
}
