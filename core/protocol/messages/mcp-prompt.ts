import { z } from 'zod';

export const mcpPromptSchema = z.object({
  name: z.string(),
  description: z.string().default(''),
  arguments: z.array(z.object({ name: z.string(), required: z.boolean().default(false) })).default([]),
});
/** A prompt that an MCP server offers. */
export type McpPrompt = z.infer<typeof mcpPromptSchema>;

export const mcpPromptCommandSchema = z.object({
  command: z.string().describe('`mcp__SERVER__PROMPT`.'),
  server: z.string(),
  prompt: mcpPromptSchema,
});
/** A prompt of an MCP server as a command. */
export type McpPromptCommand = z.infer<typeof mcpPromptCommandSchema>;

/**
 * The message that lets the model read a prompt and follow it, by the same call and the same decision as any other tool.
 *
 * @param words What the user wrote behind the name: one word for each argument, all others for the last one.
 */
export function toPromptMessage({ server, prompt }: McpPromptCommand, words: string): string {
  const given = words.split(/\s+/).filter((word) => word !== '');
  const last = prompt.arguments.length - 1;
  const named = prompt.arguments.flatMap(({ name }, at) => {
    const value = at === last ? given.slice(at).join(' ') : given[at];
    return value === undefined || value === '' ? [] : [[name, value] as const];
  });
  const input = JSON.stringify({ name: prompt.name, arguments: Object.fromEntries(named) });
  return `Read a prompt of the MCP server ${server} with the tool mcp__${server}__get_prompt and the input ${input}. I chose this prompt: do what it asks for.`;
}

/** The arguments of a prompt for a list of commands, such as `WHO [HOW]`; '' without any. */
export function toPromptArguments({ prompt }: McpPromptCommand): string {
  return prompt.arguments.map(({ name, required }) => (required ? name.toUpperCase() : `[${name}]`)).join(' ');
}
