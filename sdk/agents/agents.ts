import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Engine } from '@klaus/core/agent';
import { agentHeadSchema, KlausError, optional, type AgentDefinition } from '@klaus/core/protocol';
import { toAgentGrant, type AgentGrant } from './agent-grant.ts';
import { findAgent, listAgents, toAgentFolders, type AgentList, type FoundAgent } from './agent-store.ts';
import { writeDefinition } from './write-definition.ts';

export interface SaveAgentOptions {
  /** `project`: in the workspace, for everyone who works on it. Default `user`: for all of this user's projects. */
  place?: 'project' | 'user';
  /** True: replaces the definition of this name where it is. Default false. */
  replace?: boolean;
}

/** The defined agents of one workspace. */
export interface Agents {
  list(): Promise<AgentList>;
  /** @throws KlausError `usage` with the nearest name. */
  find(name: string): Promise<FoundAgent>;
  /** The authority that a definition requests. @throws KlausError `config`, `usage`. */
  grantOf(definition: AgentDefinition): AgentGrant;
  /**
   * Writes the file of a definition. Returns its absolute path.
   *
   * @throws KlausError `usage` if the name is taken, or with `replace`, if it is not; `config` for an invalid definition.
   */
  save(definition: AgentDefinition, options?: SaveAgentOptions): Promise<string>;
  /** Records that a chat with an agent ended normally. @param by The door. */
  recordUse(name: string, by: string): Promise<void>;
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
  const grantOf = (definition: AgentDefinition): AgentGrant => {
    const tools = engine.tools.names.map((name) => ({ name, effects: engine.tools.get(name).effects }));
    return toAgentGrant(definition, { workspace, now: engine.clock.now(), tools });
  };
  return {
    list: () => listAgents(folders),
    find,
    grantOf,
    async save(definition, { place = 'user', replace = false } = {}) {
      const { systemPrompt, ...head } = definition;
      const parsed = agentHeadSchema.safeParse(head);
      if (!parsed.success) {
        const { path, message } = parsed.error.issues[0]!;
        throw new KlausError('config', `${path.join('.') || 'agent'}: ${message}`);
      }
      const { name } = parsed.data;
      grantOf({ ...parsed.data, systemPrompt });
      if (replace) return writeFile((await find(name)).file, definition);
      const folder = join(place === 'project' ? join(workspace, '.klaus') : engine.home, 'agents');
      const file = join(folder, `${name}.md`);
      const taken = (await listAgents(folders)).agents.find((agent) => agent.definition.name === name)?.file;
      if (taken !== undefined || existsSync(file)) {
        throw new KlausError('usage', `There is an agent ${name} already: ${taken ?? file}.`, {
          hint: `Choose another name, or change it with klaus agents edit ${name}.`,
        });
      }
      mkdirSync(folder, { recursive: true, ...optional({ mode: place === 'user' ? 0o700 : undefined }) });
      return writeFile(file, definition);
    },
    async recordUse(agent, by) {
      await engine.store.appendHost({ type: 'agent.used', agent, by });
    },
    async remove(name) {
      const found = await find(name);
      rmSync(found.file);
      return found;
    },
  };
}

/** Replaces the whole file at once, so that no reader finds a part of it. */
async function writeFile(file: string, definition: AgentDefinition): Promise<string> {
  const text = await writeDefinition(definition);
  const temporary = `${file}.${process.pid}.tmp`;
  try {
    writeFileSync(temporary, text, { flag: 'wx' });
    renameSync(temporary, file);
  } finally {
    rmSync(temporary, { force: true });
  }
  return file;
}
