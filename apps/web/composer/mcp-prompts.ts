import { toPromptArguments, toPromptMessage, type McpPromptCommand } from '@klaus/core/protocol';
import { client } from '../state/client.ts';
import type { Suggestion } from './completion-list.tsx';

/** The session, or the folder of a session that will be opened. Default: the configured folder. */
export interface Scope {
  session?: string;
  workspace?: string;
}

/** The prompts of MCP servers that are known in a scope. @throws ProblemError */
export async function loadMcpPrompts(scope: Scope, signal?: AbortSignal): Promise<readonly McpPromptCommand[]> {
  return (await client.mcpPrompts({ query: scope }, signal ? { signal } : {})).prompts;
}

export function toSuggestion(found: McpPromptCommand): Suggestion {
  const { command, prompt } = found;
  return {
    word: `/${command}`,
    description: [toPromptArguments(found), prompt.description].filter((text) => text !== '').join(' · '),
  };
}

/**
 * What is sent for a text: for `/mcp__SERVER__PROMPT WORDS`, the message that lets the model follow the prompt; otherwise
 * the text itself.
 *
 * @throws ProblemError
 */
export async function toSentText(text: string, scope: Scope): Promise<string> {
  const [, name, words = ''] = /^\/(mcp__[\w-]+)(?:\s+([\s\S]*))?$/.exec(text) ?? [];
  if (name === undefined) return text;
  const found = (await loadMcpPrompts(scope)).find(({ command }) => command === name);
  return found ? toPromptMessage(found, words) : text;
}
