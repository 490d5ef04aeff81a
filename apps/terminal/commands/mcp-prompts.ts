import { toHome } from '@klaus/sdk/home';
import { listPromptCommands, toPromptMessage } from '@klaus/sdk/mcp-prompts';
import { toLine } from '@klaus/sdk/printable';
import type { TerminalCommand } from './command.ts';

/** The prompts of MCP servers as commands: `/mcp__SERVER__PROMPT` lets the model read and follow one. */
export function readMcpPrompts(folder: string): TerminalCommand[] {
  return listPromptCommands({ home: toHome(process.env, folder), folder }).map((found) => {
    const { command, server, prompt } = found;
    const words = prompt.arguments.map(({ name, required }) => (required ? name.toUpperCase() : `[${name}]`));
    return {
      name: command,
      ...(words.length === 0 ? {} : { argument: toLine(words.join(' '), 60) }),
      summary: toLine(prompt.description || `prompt of the MCP server ${server}`, 80),
      run: (app, given) => app.submit({ text: toPromptMessage(found, given), pastes: new Map() }, 'queue'),
    };
  });
}
