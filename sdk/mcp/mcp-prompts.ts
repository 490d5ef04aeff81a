import { mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { readFileText } from '../config/file-text.ts';
import { isTrusted, readEntries, toEntryHash, type McpPlace } from './mcp-files.ts';

/** Prompts of one server that are stored. */
const MAX_PROMPTS = 100;
/** Servers whose prompts are stored; the oldest is forgotten first. */
const MAX_SERVERS = 100;
const MAX_TEXT = 200;

const promptSchema = z.object({
  name: z.string(),
  description: z.string().default(''),
  arguments: z.array(z.object({ name: z.string(), required: z.boolean().default(false) })).default([]),
});
const fileSchema = z.record(z.string(), z.array(promptSchema));

/** A prompt that a server offers. */
export type McpPrompt = z.infer<typeof promptSchema>;

/** A prompt of a server as a command. */
export interface McpPromptCommand {
  /** `mcp__SERVER__PROMPT`. */
  command: string;
  server: string;
  prompt: McpPrompt;
}

/** Stores which prompts a server has, so that they are known without starting it. Never throws: they are only a help. */
export function rememberPrompts(home: string, entryHash: string, prompts: readonly McpPrompt[]): void {
  const { [entryHash]: known, ...others } = readAll(home);
  const kept = prompts.slice(0, MAX_PROMPTS).map(({ name, description, arguments: words }) => ({
    name: name.slice(0, MAX_TEXT),
    description: description.slice(0, MAX_TEXT),
    arguments: words.slice(0, 20),
  }));
  if (JSON.stringify(kept) === JSON.stringify(known ?? [])) return;
  const entries = [...Object.entries(others), [entryHash, kept] as const].slice(-MAX_SERVERS);
  const path = toFile(home);
  try {
    mkdirSync(home, { recursive: true, mode: 0o700 });
    writeFileSync(`${path}.${process.pid}`, `${JSON.stringify(Object.fromEntries(entries))}\n`, { mode: 0o600 });
    renameSync(`${path}.${process.pid}`, path);
  } catch {
    // The state folder cannot be written: there are no commands.
  }
}

/** The prompts of the servers that sessions of a folder use, as they were when the server was last started. */
export function listPromptCommands(place: McpPlace): McpPromptCommand[] {
  const stored = readAll(place.home);
  if (Object.keys(stored).length === 0) return [];
  const commands = new Map<string, McpPromptCommand>();
  for (const from of ['project', 'user'] as const) {
    for (const [server, entry] of readServers(place, from)) {
      if (from === 'project' && !isTrusted(place, server, entry)) continue;
      for (const prompt of stored[toEntryHash(entry)] ?? []) {
        const command = `mcp__${server}__${prompt.name.replaceAll(/[^\w-]/g, '_')}`;
        if (!commands.has(command)) commands.set(command, { command, server, prompt });
      }
    }
  }
  return [...commands.values()];
}

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

function readServers(place: McpPlace, from: 'project' | 'user'): [string, unknown][] {
  try {
    return Object.entries(readEntries(place, from));
  } catch {
    // Opening a session reports the damaged file.
    return [];
  }
}

function readAll(home: string): z.infer<typeof fileSchema> {
  try {
    return fileSchema.parse(JSON.parse(readFileText(toFile(home)) ?? '{}'));
  } catch {
    return {};
  }
}

function toFile(home: string): string {
  return join(home, 'mcp-prompts.json');
}
