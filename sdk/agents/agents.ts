import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Engine } from '@klaus/core/agent';
import { describeGrant, type GrantLine } from '@klaus/core/policy';
import { agentHeadSchema, KlausError, optional, type AgentDefinition } from '@klaus/core/protocol';
import { createFile, replaceFile } from './agent-file.ts';
import { toAgentGrant, type AgentGrant, type AgentTool } from './agent-grant.ts';
import { findAgent, listAgents, toAgentFolders, type AgentList, type FoundAgent } from './agent-store.ts';
import { readDefinition } from './read-definition.ts';
import { writeDefinition } from './write-definition.ts';

export interface SaveAgentOptions {
  /** `project`: in the workspace, for everyone who works on it. Default `user`: for all of this user's projects. */
  place?: 'project' | 'user';
  /** True: replaces the definition of this name where it is. Default false. */
  replace?: boolean;
}

/** The defined agents of one workspace. */
export interface Agents {
  /** Absolute real path. */
  readonly workspace: string;
  list(): Promise<AgentList>;
  /** @throws KlausError `usage` with the nearest name. */
  find(name: string): Promise<FoundAgent>;
  /** The authority that a definition requests. @throws KlausError `config`, `usage`. */
  grantOf(definition: AgentDefinition): AgentGrant;
  /** What a definition requests and what it does not, in plain words. @throws KlausError `config`, `usage`. */
  describe(definition: AgentDefinition): GrantLine[];
  /**
   * Writes the file of a definition. Returns its absolute path.
   *
   * @throws KlausError `usage` if the name is taken, or with `replace`, if it is not; `config` for an invalid definition.
   */
  save(definition: AgentDefinition, options?: SaveAgentOptions): Promise<string>;
  /**
   * Replaces the text of a definition's file, which can also be a broken one.
   *
   * @param change.before The text that was edited.
   * @throws KlausError `config` for an invalid text or another name, `workspace.conflict` if the file changed since.
   */
  edit(file: string, change: { name: string; before: string; text: string }): Promise<void>;
  /** Deletes the file of an agent. Sessions of it keep what they opened with. @throws KlausError `usage`. */
  remove(name: string): Promise<FoundAgent>;
}

/**
 * @param at.workspace Absolute real path.
 * @param at.userHome The home folder of the user.
 */
export function openAgents(engine: Engine, { workspace, userHome }: { workspace: string; userHome: string }): Agents {
  const folders = toAgentFolders({ workspace, home: userHome, state: engine.home });
  const find = (name: string): Promise<FoundAgent> => findAgent(folders, name);
  const listTools = (): AgentTool[] =>
    engine.tools.names.map((name) => ({ name, effects: engine.tools.get(name).effects }));
  const grantOf = (definition: AgentDefinition): AgentGrant =>
    toAgentGrant(definition, { workspace, now: engine.clock.now(), tools: listTools() });
  return {
    workspace,
    list: () => listAgents(folders),
    find,
    grantOf,
    describe: (definition) =>
      describeGrant(grantOf(definition).grant, { workspace, now: engine.clock.now(), tools: listTools() }),
    async save(definition, { place = 'user', replace = false } = {}) {
      const text = await toCheckedText(definition);
      grantOf(definition);
      const { name } = definition;
      if (replace) {
        const { file } = await find(name);
        changeFile(file, () => replaceFile(file, text));
        return file;
      }
      const folder = join(place === 'project' ? join(workspace, '.klaus') : engine.home, 'agents');
      const file = join(folder, `${name}.md`);
      const taken = (await listAgents(folders)).agents.find((agent) => agent.definition.name === name)?.file;
      if (taken !== undefined || existsSync(file)) throw toTaken(name, taken ?? file);
      const isCreated = changeFile(file, () => {
        mkdirSync(folder, { recursive: true, ...optional({ mode: place === 'user' ? 0o700 : undefined }) });
        return createFile(file, text);
      });
      if (!isCreated) throw toTaken(name, file);
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
      if (readFileSync(file, 'utf8') !== before) {
        throw new KlausError('workspace.conflict', `${file} changed while it was edited. It was not replaced.`);
      }
      changeFile(file, () => replaceFile(file, text));
    },
    async remove(name) {
      const found = await find(name);
      changeFile(found.file, () => rmSync(found.file));
      return found;
    },
  };
}

/** @throws KlausError `config` if the file system refuses the change. */
function changeFile<T>(file: string, change: () => T): T {
  try {
    return change();
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === undefined) throw error;
    throw new KlausError('config', `${file} cannot be changed (${code}).`, { cause: error });
  }
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

function toTaken(name: string, file: string): KlausError {
  return new KlausError('usage', `There is an agent ${name} already: ${file}.`, {
    hint: `Choose another name, or change it with klaus agents edit ${name}.`,
  });
}
