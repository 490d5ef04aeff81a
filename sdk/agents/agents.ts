import { existsSync, mkdirSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { copyForeignFileSync, readForeignFileSync } from '@klaus/adapters/system';
import type { Agents, Engine, FoundAgent } from '@klaus/core/agent';
import { describeGrant, toGrantText } from '@klaus/core/policy';
import { agentHeadSchema, isKlausError, KlausError, toProjectAgent, type AgentDefinition } from '@klaus/core/protocol';
import { createFile, replaceFile } from './agent-file.ts';
import { toAgentGrant, type AgentGrantPlace, type AgentTool } from './agent-grant.ts';
import { findAgent, listAgents, toAgentFolders, toHash, type AgentPlaces } from './agent-store.ts';
import { createAgentTrust, type AgentTrust } from './agent-trust.ts';
import { readDefinition } from './read-definition.ts';
import { writeDefinition } from './write-definition.ts';

/**
 * @param at.workspace Absolute real path.
 * @param at.userHome The home folder of the user.
 * @param at.registries Those that the user configured. Default: none.
 * @param at.model The model that the user configured.
 */
export function openAgents(
  engine: Pick<Engine, 'home' | 'tools' | 'clock' | 'store'>,
  {
    workspace,
    userHome,
    registries,
    model,
  }: Pick<AgentGrantPlace, 'workspace' | 'registries'> & { userHome: string; model: () => string },
): Agents {
  const folders = toAgentFolders({ workspace, home: userHome, state: engine.home });
  const trust = createAgentTrust({ workspace, home: engine.home, model, now: () => engine.clock.now() });
  const places: AgentPlaces = { folders, isTrusted: trust.isTrusted };
  const find: Agents['find'] = (name) => findAgent(places, name);
  const isOfProject: Agents['isOfProject'] = (file) =>
    folders.some(({ path, from }) => from === 'project' && path === dirname(file));
  const listTools = (): AgentTool[] =>
    engine.tools.names
      .map((name) => engine.tools.get(name))
      .filter(({ userOnly = false }) => !userOnly)
      .map(({ name, effects }) => ({ name, effects }));
  const grantOf: Agents['grantOf'] = (definition, { place = 'workspace' } = {}) => {
    const at = { workspace: place === 'everywhere' ? '/' : workspace, now: engine.clock.now() };
    return toAgentGrant(definition, { ...at, tools: listTools(), registries });
  };
  const keepCopy = (file: string): string => {
    const copies = join(engine.home, 'agents', '.former');
    mkdirSync(copies, { recursive: true, mode: 0o700 });
    const copy = join(copies, `${basename(file, '.md')}-${engine.clock.now()}.md`);
    copyForeignFileSync(file, copy);
    return copy;
  };
  /** The user has seen what is written through Klaus. */
  const trustFile = (name: string, file: string, text: string): void => {
    if (isOfProject(file)) trust.add(name, toHash(text));
  };
  const replace = (
    name: string,
    { file, text, expected }: { file: string; text: string; expected?: string },
  ): string => {
    changeFile(file, () => {
      checkUnchanged(file, expected);
      keepCopy(file);
      replaceFile(file, text);
    });
    trustFile(name, file, text);
    return file;
  };
  return {
    workspace,
    list: () => listAgents(places),
    find,
    ...createTrustQueries({ find, grantOf, trust }),
    grantOf,
    isOfProject,
    describe(definition) {
      const { grant, unknownTools } = grantOf(definition);
      const lines = describeGrant(grant, { workspace, now: engine.clock.now(), tools: listTools() });
      return { grant: toGrantText(grant), lines, unknownTools };
    },
    async save(definition, { place, replace: isReplaced = false, expected } = {}) {
      const text = await toCheckedText(definition);
      grantOf(definition);
      const { name } = definition;
      const reference = place === 'project' ? toProjectAgent(name) : name;
      if (isReplaced) return replace(name, { file: (await find(reference)).file, text, expected });
      const folder = join(place === 'project' ? join(workspace, '.klaus') : engine.home, 'agents');
      const file = join(folder, `${name}.md`);
      const taken = (await listAgents(places)).agents.find((agent) => agent.name === reference)?.file;
      if (taken !== undefined || existsSync(file)) throw toTaken(name, taken ?? file);
      const isCreated = changeFile(file, () => {
        mkdirSync(folder, { recursive: true, mode: place === 'project' ? undefined : 0o700 });
        return createFile(file, text);
      });
      if (!isCreated) throw toTaken(name, file);
      trustFile(name, file, text);
      return file;
    },
    async edit(file, { name, before, text }) {
      const definition = await readDefinition(text, file);
      if (definition.name !== name) {
        throw new KlausError('config', `${file}: the name of an agent cannot change from ${name}.`, {
          hint: `Sessions and other agents refer to it. klaus agents new ${definition.name} creates another agent.`,
        });
      }
      grantOf(definition);
      replace(name, { file, text, expected: toHash(before) });
    },
    async remove(name, { expected } = {}) {
      const found = await find(name);
      const copy = changeFile(found.file, () => {
        checkUnchanged(found.file, expected);
        const kept = keepCopy(found.file);
        rmSync(found.file);
        return kept;
      });
      return { ...found, copy };
    },
  };
}

function createTrustQueries({
  find,
  grantOf,
  trust,
}: Pick<Agents, 'find' | 'grantOf'> & { trust: AgentTrust }): Pick<Agents, 'trust' | 'untrusted' | 'checkTrust'> {
  const untrusted: Agents['untrusted'] = (found, { grant, hasModel = false, hasFallback = false } = {}) =>
    trust.findRest(found, { grant: grant ?? grantOf(found.definition).grant, hasModel, hasFallback });
  return {
    async trust(name, { expected } = {}) {
      const found = await find(name);
      if (expected !== undefined && expected !== found.hash) throw toConflict(found.file);
      if (found.from === 'project') trust.add(found.definition.name, found.hash);
      return { ...found, isTrusted: true };
    },
    untrusted,
    checkTrust(found, given) {
      const rest = untrusted(found, given);
      if (rest.length > 0) throw toUntrusted(found, rest);
    },
  };
}

/** @throws KlausError `config` if the file system refuses the change. */
function changeFile<T>(file: string, change: () => T): T {
  try {
    return change();
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === undefined || isKlausError(error)) throw error;
    throw new KlausError('config', `${file} cannot be changed (${code}).`, { cause: error });
  }
}

/** @throws KlausError `workspace.conflict` if the file has another hash. */
function checkUnchanged(file: string, expected: string | undefined): void {
  if (expected === undefined || toHash(readForeignFileSync(file).text) === expected) return;
  throw toConflict(file);
}

function toConflict(file: string): KlausError {
  return new KlausError('workspace.conflict', `${file} was changed in the meantime.`, {
    hint: 'Read the definition again and repeat the change.',
  });
}

/** The text of a definition, if it can be read again. */
async function toCheckedText({ systemPrompt, ...head }: AgentDefinition): Promise<string> {
  const parsed = agentHeadSchema.safeParse(head);
  if (!parsed.success) {
    const { path, message } = parsed.error.issues[0]!;
    throw new KlausError('config', `${path.join('.') || 'agent'}: ${message}`);
  }
  const text = await writeDefinition({ ...parsed.data, systemPrompt });
  await readDefinition(text, `${parsed.data.name}.md`);
  return text;
}

function toUntrusted({ name, file }: FoundAgent, rest: readonly string[]): KlausError {
  return new KlausError(
    'usage',
    `Run \`klaus agents trust ${name}\` first: this agent of the project asks for more than reading and editing files of the workspace.`,
    { hint: `Read ${file}. It asks for: ${rest.join('; ')}.` },
  );
}

function toTaken(name: string, file: string): KlausError {
  return new KlausError('usage', `There is an agent ${name} already: ${file}.`, {
    hint: `Choose another name, or change it with klaus agents edit ${name}.`,
  });
}
