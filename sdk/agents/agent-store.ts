import { headOf } from '@klaus/core/cut-text';
import { createHash } from 'node:crypto';
import { closeSync, constants, fstatSync, openSync, readdirSync, readFileSync, realpathSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { AgentList, AgentSource, BrokenAgent, FoundAgent } from '@klaus/core/agent';
import {
  agentReferenceSchema,
  fromProjectAgent,
  isKlausError,
  KlausError,
  toNearest,
  toProjectAgent,
} from '@klaus/core/protocol';
import { orUndefined } from '../or-undefined.ts';
import { MAX_DEFINITION_BYTES, readDefinition } from './read-definition.ts';

/** A folder of definitions. Of two with one name in folders of the same source, the first one is used. */
export interface AgentFolder {
  path: string;
  from: AgentSource;
}

export interface AgentPlaces {
  folders: readonly AgentFolder[];
  /** True for the text of a definition of the project that the user trusts. */
  isTrusted: (name: string, hash: string) => boolean;
}

/**
 * Folders of definitions: those of the user, then those of the project. A folder of the project that is one of the user
 * is left out, as in the home folder.
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
}): AgentFolder[] {
  const own = [join(state, 'agents'), join(home, '.claude/agents')];
  const real = new Set(own.flatMap((path) => toReal(path) ?? path));
  const ofProject = [join(workspace, '.klaus/agents'), join(workspace, '.claude/agents')];
  return [
    ...own.map((path): AgentFolder => ({ path, from: 'user' })),
    ...ofProject
      .filter((path) => !real.has(toReal(path) ?? path))
      .map((path): AgentFolder => ({ path, from: 'project' })),
  ];
}

function toReal(path: string): string | undefined {
  return orUndefined(() => realpathSync.native(path));
}

/**
 * Reads the definitions of all folders. A missing folder has none.
 *
 * @param isRead False: this file with this text is left out. Default: none is.
 */
export async function listAgents(
  { folders, isTrusted }: AgentPlaces,
  isRead: (text: string, file: string) => boolean = () => true,
): Promise<AgentList> {
  const found = new Map<string, FoundAgent & { hides: string[] }>();
  const broken: BrokenAgent[] = [];
  for (const { path, from } of folders) {
    for (const file of listFiles(path)) {
      try {
        const text = readText(file);
        if (!isRead(text, file)) continue;
        const definition = await readDefinition(text, file);
        const name = from === 'project' ? toProjectAgent(definition.name) : definition.name;
        const winner = found.get(name);
        if (winner) {
          winner.hides.push(file);
          continue;
        }
        const hash = toHash(text);
        const trusted = from === 'user' || isTrusted(definition.name, hash);
        found.set(name, { name, from, isTrusted: trusted, definition, file, hash, hides: [] });
      } catch (error) {
        if (!isKlausError(error)) throw error;
        broken.push({ file, error });
      }
    }
  }
  const agents = [...found.values()].toSorted((a, b) => (toSortKey(a) < toSortKey(b) ? -1 : 1));
  return { agents, broken };
}

/** By the name of the definition, that of the user first. */
function toSortKey({ definition, from }: FoundAgent): string {
  return `${definition.name} ${from === 'user' ? 0 : 1}`;
}

/**
 * The agent of a name: that of the user, else that of the project, which is also `project/NAME`.
 *
 * @throws KlausError `usage` with the nearest name; of a file of the user that cannot be read too.
 */
export async function findAgent(places: AgentPlaces, reference: string): Promise<FoundAgent> {
  const ofProject = fromProjectAgent(reference);
  const name = ofProject ?? reference;
  const ownFolders = places.folders.filter(({ from }) => from === 'user').map(({ path }) => path);
  const pick = ({ agents, broken }: AgentList): FoundAgent | undefined => {
    const own = ofProject === undefined ? agents.find((agent) => agent.name === name) : undefined;
    if (own) return own;
    // A mistake in the file of the user must not give its name to the project.
    const wrong = broken.find(({ file }) => basename(file) === `${name}.md` && ownFolders.includes(dirname(file)));
    if (wrong && ofProject === undefined) return undefined;
    return agents.find((agent) => agent.name === toProjectAgent(name));
  };
  // Only files that can contain the name, also with escaped characters, are parsed.
  const isLikely = (text: string, file: string): boolean =>
    text.includes(name) || text.includes('\\') || basename(file) === `${name}.md`;
  const known = pick(await listAgents(places, isLikely));
  if (known) return known;
  const all = await listAgents(places);
  const nearest = toNearest(
    reference,
    all.agents.flatMap((agent) => (ofProject === undefined ? [agent.name, agent.definition.name] : [agent.name])),
  );
  const [own] = all.broken.filter(({ file }) => file.endsWith(`/${name}.md`));
  const hint =
    own?.error.message ??
    (nearest === undefined ? 'klaus agents lists them; klaus agents new creates one.' : `Did you mean ${nearest}?`);
  const shown = agentReferenceSchema.safeParse(reference).success ? reference : JSON.stringify(headOf(reference, 64));
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
