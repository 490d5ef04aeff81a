import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Engine } from '@klaus/core/agent';
import { describeGrant, toGrantText, type GrantLine } from '@klaus/core/policy';
import { agentHeadSchema, KlausError, optional, type AgentDefinition } from '@klaus/core/protocol';
import { toAgentGrant, type AgentGrant, type AgentTool } from './agent-grant.ts';
import { findAgent, listAgents, toAgentFolders, toHash, type AgentList, type FoundAgent } from './agent-store.ts';
import { writeDefinition } from './write-definition.ts';

export interface SaveAgentOptions {
  /** `project`: in the workspace, for everyone who works on it. Default `user`: for all of this user's projects. */
  place?: 'project' | 'user';
  /** True: replaces the definition of this name where it is. Default false. */
  replace?: boolean;
  /** `hash` of the definition that is replaced. Default: any. */
  expected?: string;
}

/** The authority that a definition requests, in words. */
export interface AgentDescription extends Pick<AgentGrant, 'unknownTools'> {
  /** In the notation of `--grant`. */
  grant: string;
  /** What the agent may do, and what it cannot do. */
  lines: readonly GrantLine[];
}

/** The defined agents of one workspace. */
export interface Agents {
  list(): Promise<AgentList>;
  /** @throws KlausError `usage` with the nearest name. */
  find(name: string): Promise<FoundAgent>;
  /** The authority that a definition requests. @throws KlausError `config`, `usage`. */
  grantOf(definition: AgentDefinition): AgentGrant;
  /** @throws KlausError as {@link grantOf}. */
  describe(definition: AgentDefinition): AgentDescription;
  /**
   * Writes the file of a definition. Returns its absolute path.
   *
   * @throws KlausError `usage` if the name is taken, or with `replace`, if it is not; `config` for an invalid definition;
   *   `workspace.conflict` if the file is not the expected one.
   */
  save(definition: AgentDefinition, options?: SaveAgentOptions): Promise<string>;
  /**
   * Deletes the file of an agent. Sessions of it keep what they opened with.
   *
   * @param options.expected `hash` of the definition. Default: any.
   * @throws KlausError `usage`, `workspace.conflict`.
   */
  remove(name: string, options?: Pick<SaveAgentOptions, 'expected'>): Promise<FoundAgent>;
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
    list: () => listAgents(folders),
    find,
    grantOf,
    describe(definition) {
      const { grant, unknownTools } = grantOf(definition);
      const lines = describeGrant(grant, { workspace, now: engine.clock.now(), tools: listTools() });
      return { grant: toGrantText(grant), lines, unknownTools };
    },
    async save(definition, { place = 'user', replace = false, expected } = {}) {
      const { systemPrompt, ...head } = definition;
      const parsed = agentHeadSchema.safeParse(head);
      if (!parsed.success) {
        const { path, message } = parsed.error.issues[0]!;
        throw new KlausError('config', `${path.join('.') || 'agent'}: ${message}`);
      }
      const { name } = parsed.data;
      grantOf({ ...parsed.data, systemPrompt });
      if (replace) return writeFile((await find(name)).file, definition, expected);
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
    async remove(name, { expected } = {}) {
      const found = await find(name);
      checkUnchanged(found.file, expected);
      rmSync(found.file);
      return found;
    },
  };
}

/** Replaces the whole file at once, so that no reader finds a part of it. */
async function writeFile(file: string, definition: AgentDefinition, expected?: string): Promise<string> {
  const text = await writeDefinition(definition);
  const temporary = `${file}.${process.pid}.tmp`;
  try {
    writeFileSync(temporary, text, { flag: 'wx' });
    checkUnchanged(file, expected);
    renameSync(temporary, file);
  } finally {
    rmSync(temporary, { force: true });
  }
  return file;
}

/** @throws KlausError `workspace.conflict` if the file has another hash. */
function checkUnchanged(file: string, expected: string | undefined): void {
  if (expected === undefined || toHash(readFileSync(file, 'utf8')) === expected) return;
  throw new KlausError('workspace.conflict', `${file} was changed in the meantime.`, {
    hint: 'Read the definition again and repeat the change.',
  });
}
