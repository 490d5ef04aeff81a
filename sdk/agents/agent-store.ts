import { createHash } from 'node:crypto';
import { closeSync, constants, fstatSync, openSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { AgentList, BrokenAgent, FoundAgent } from '@klaus/core/agent';
import { agentNameSchema, isKlausError, KlausError, toNearest } from '@klaus/core/protocol';
import { MAX_DEFINITION_BYTES, readDefinition } from './read-definition.ts';

/**
 * Folders of definitions, the first one wins a name.
 *
 * @param at.workspace Absolute real path.
 * @param at.home The home folder of the user.
 * @param at.state Klaus's own folder, by default `~/.klaus`.
 */
export function toAgentFolders({
  workspace,
  home,
  state,
}: {
  workspace: string;
  home: string;
  state: string;
}): string[] {
  return [
    join(workspace, '.klaus/agents'),
    join(workspace, '.claude/agents'),
    join(state, 'agents'),
    join(home, '.claude/agents'),
  ];
}

/**
 * Reads the definitions of all folders. A missing folder has none.
 *
 * @param isRead False: a file with this text is left out. Default: none is.
 */
export async function listAgents(
  folders: readonly string[],
  isRead: (text: string) => boolean = () => true,
): Promise<AgentList> {
  const found = new Map<string, FoundAgent & { hides: string[] }>();
  const broken: BrokenAgent[] = [];
  for (const folder of folders) {
    for (const file of listFiles(folder)) {
      try {
        const text = readText(file);
        if (!isRead(text)) continue;
        const definition = await readDefinition(text, file);
        const winner = found.get(definition.name);
        if (winner) winner.hides.push(file);
        else found.set(definition.name, { definition, file, hash: toHash(text), hides: [] });
      } catch (error) {
        if (!isKlausError(error)) throw error;
        broken.push({ file, error });
      }
    }
  }
  const agents = [...found.values()].toSorted((a, b) => (a.definition.name < b.definition.name ? -1 : 1));
  return { agents, broken };
}

/**
 * The agent of a name.
 *
 * @throws KlausError `usage` with the nearest name.
 */
export async function findAgent(folders: readonly string[], name: string): Promise<FoundAgent> {
  const isIt = ({ definition }: FoundAgent): boolean => definition.name === name;
  // Only files that can contain the name, also with escaped characters, are parsed.
  const likely = await listAgents(folders, (text) => text.includes(name) || text.includes('\\'));
  const known = likely.agents.find(isIt);
  if (known) return known;
  const { agents, broken } = await listAgents(folders);
  const nearest = toNearest(
    name,
    agents.map(({ definition }) => definition.name),
  );
  const own = broken.find(({ file }) => file.endsWith(`/${name}.md`));
  const hint =
    own?.error.message ??
    (nearest === undefined ? 'klaus agents lists them; klaus agents new creates one.' : `Did you mean ${nearest}?`);
  const shown = agentNameSchema.safeParse(name).success ? name : JSON.stringify(name.slice(0, 64));
  throw new KlausError('usage', `There is no agent ${shown}.`, { hint });
}

export function toHash(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

function listFiles(folder: string): string[] {
  try {
    const names = readdirSync(folder).filter((name) => name.endsWith('.md') && !name.startsWith('.'));
    return names.toSorted().map((name) => join(folder, name));
  } catch (error) {
    if (['ENOENT', 'ENOTDIR', 'EACCES'].includes((error as NodeJS.ErrnoException).code ?? '')) return [];
    throw error;
  }
}

/** @throws KlausError `config` for what is no file of text: a folder, a device, a file without read permission. */
function readText(file: string): string {
  let descriptor: number;
  try {
    // A named pipe would block the open.
    descriptor = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch (error) {
    throw new KlausError('config', `${file}:1: the file cannot be opened (${(error as NodeJS.ErrnoException).code})`);
  }
  try {
    const stat = fstatSync(descriptor);
    if (!stat.isFile()) throw new KlausError('config', `${file}:1: this is not a file`);
    if (stat.size > MAX_DEFINITION_BYTES) throw new KlausError('config', `${file}:1: a definition has at most 256 KiB`);
    return readFileSync(descriptor, 'utf8');
  } finally {
    closeSync(descriptor);
  }
}
