import { join } from 'node:path';
import { KlausError, resolveMcpServers, type AgentDefinition } from '@klaus/core/protocol';
import { z } from 'zod';
import { readFileText } from '../config/file-text.ts';

const fileSchema = z.looseObject({ mcpServers: z.record(z.string(), z.unknown()).default({}) });

/**
 * The names of the MCP servers that the program of an agent starts: those of `.mcp.json`, as its definition selects them.
 * They are programs of the project, so that the user has to agree.
 *
 * @param at.ofParent Names of those that the session has from which this one is started. Default: none.
 * @throws KlausError `config` for a name that the file does not have, or an unreadable file; `usage` without the
 *   agreement, if the definition names them. Otherwise they are left out.
 */
export function findMcpServers(
  definition: Pick<AgentDefinition, 'mcpServers' | 'inheritProjectMcps' | 'inheritParentMcps'>,
  { workspace, isTrusted, ofParent = [] }: { workspace: string; isTrusted: boolean; ofParent?: readonly string[] },
): { mcpServers?: string[] } {
  const project = readServers(workspace);
  const parent = Object.fromEntries(Object.entries(project).filter(([name]) => ofParent.includes(name)));
  const { servers, unknown } = resolveMcpServers(definition, { project, parent });
  if (unknown.length > 0) {
    throw new KlausError('config', `.mcp.json of the workspace has no MCP server ${unknown.join(', ')}.`, {
      hint: 'Add it there, or remove its name from `mcpServers` of the definition.',
    });
  }
  const names = Object.keys(servers);
  if (names.length === 0) return {};
  if (isTrusted) return { mcpServers: names };
  if (definition.mcpServers === undefined) return {};
  throw new KlausError('usage', `The agent starts the MCP servers ${names.join(', ')} of this project.`, {
    hint: 'Read .mcp.json. If you trust it, repeat this with --trust-command.',
  });
}

function readServers(workspace: string): Readonly<Record<string, unknown>> {
  const file = join(workspace, '.mcp.json');
  const text = readFileText(file);
  if (text === undefined) return {};
  try {
    return fileSchema.parse(JSON.parse(text)).mcpServers;
  } catch (cause) {
    throw new KlausError('config', `${file} cannot be read.`, { hint: 'Correct the file, or remove it.', cause });
  }
}
