import { headOf } from '@klaus/core/cut-text';
import { mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { mcpPromptSchema, type McpPrompt, type McpPromptCommand } from '@klaus/core/protocol';
import { z } from 'zod';
import { readFileText } from '../config/file-text.ts';
import { isTrusted, readEntries, toEntryHash, type McpPlace } from './mcp-files.ts';

export { toPromptArguments, toPromptMessage, type McpPrompt, type McpPromptCommand } from '@klaus/core/protocol';

/** Prompts of one server that are stored. */
const MAX_PROMPTS = 100;
/** Servers whose prompts are stored; the oldest is forgotten first. */
const MAX_SERVERS = 100;
const MAX_TEXT = 200;

const fileSchema = z.record(z.string(), z.array(mcpPromptSchema));

/** Stores which prompts a server has, so that they are known without starting it. Never throws: they are only a help. */
export function rememberPrompts(home: string, entryHash: string, prompts: readonly McpPrompt[]): void {
  const { [entryHash]: known, ...others } = readAll(home);
  const kept = prompts.slice(0, MAX_PROMPTS).map(({ name, description, arguments: words }) => ({
    name: headOf(name, MAX_TEXT),
    description: headOf(description, MAX_TEXT),
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
