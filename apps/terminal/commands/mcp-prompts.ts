import { toPromptArguments, toPromptMessage } from '@klaus/sdk/mcp-prompts';
import { toLine } from '@klaus/sdk/printable';
import type { App } from '../app/app.ts';
import type { TerminalCommand } from './command.ts';

/** The prompts of MCP servers as commands: `/mcp__SERVER__PROMPT` lets the model read and follow one. */
export async function readMcpPrompts({ client, link }: Pick<App, 'client' | 'link'>): Promise<TerminalCommand[]> {
  const prompts = await client.mcpPrompts(link.workspace);
  return prompts.map((found) => {
    const { command, server, prompt } = found;
    const argument = toLine(toPromptArguments(found), 60);
    return {
      name: command,
      ...(argument === '' ? {} : { argument }),
      summary: toLine(prompt.description || `prompt of the MCP server ${server}`, 80),
      run: (app, given) => app.submit({ text: toPromptMessage(found, given), pastes: new Map() }, 'queue'),
    };
  });
}
