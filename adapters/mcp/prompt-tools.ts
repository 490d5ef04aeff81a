import type { Tool, ToolContext } from '@klaus/core/agent';
import { KlausError } from '@klaus/core/protocol';
import { z } from 'zod';
import { toServerDigest } from './server-config.ts';
import { toAccess, toBase, use, type ServerToolsOptions } from './tool-base.ts';
import { toToolName } from './tool-name.ts';
import { toText, toTextOutput } from './to-output.ts';

/** Prompts in a list. */
const MAX_PROMPTS = 200;

const promptSchema = z.object({
  name: z.string().max(200),
  arguments: z.record(z.string(), z.string().max(20_000)).default({}),
});
type PromptInput = z.infer<typeof promptSchema>;

/** Lists the prompts of a server. */
export function toPromptList(options: ServerToolsOptions): Tool<Record<string, unknown>> {
  const name = toToolName(options.name, 'list_prompts');
  return {
    ...toBase(name, options, true),
    description: `List the prompts of the MCP server ${options.name}, with their arguments.`,
    inputSchema: { type: 'object', properties: {} },
    async prepare() {
      options.check();
      return { title: name, access: toAccess(options, true), server: toServerDigest(options.server) };
    },
    run: (_, context: ToolContext) =>
      use(options, { writes: false, context }, async (connection, { signal }) => {
        const rows = (await connection.prompts(signal)).slice(0, MAX_PROMPTS).map((prompt) => {
          const words = (prompt.arguments ?? []).map((one) => (one.required ? one.name : `[${one.name}]`)).join(' ');
          return `${prompt.name} ${words} ${prompt.description ?? ''}`.trim();
        });
        return toTextOutput(options.name, rows.join('\n') || 'There are no prompts.');
      }),
  };
}

/** Reads one prompt of a server. */
export function toPromptReader(options: ServerToolsOptions): Tool<Record<string, unknown>> {
  const name = toToolName(options.name, 'get_prompt');
  const parse = (input: unknown): PromptInput => {
    const { data } = promptSchema.safeParse(input);
    if (data) return data;
    throw new KlausError('tool.input', `Invalid input for ${name}: it takes name, and arguments as texts.`);
  };
  return {
    ...toBase(name, options, true),
    description: `Read a prompt of the MCP server ${options.name} by its name.`,
    inputSchema: {
      type: 'object',
      properties: { name: { type: 'string' }, arguments: { type: 'object', additionalProperties: { type: 'string' } } },
      required: ['name'],
    },
    async prepare(input) {
      options.check();
      const title = `${name} ${parse(input).name}`;
      return { title, access: toAccess(options, true), server: toServerDigest(options.server) };
    },
    run: (input, context) =>
      use(options, { writes: false, context }, async (connection, at) => {
        const { name: prompt, arguments: given } = parse(input);
        const { messages } = await connection.prompt(prompt, given, at);
        const text = messages.map(({ role, content }) => `${role}: ${toText(content)}`).join('\n\n');
        return toTextOutput(options.name, text || 'The prompt is empty.');
      }),
  };
}
