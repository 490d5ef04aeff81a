import { copyFileSync, existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { Agents, Engine } from '@klaus/core/agent';
import { agentHeadSchema, KlausError, optional } from '@klaus/core/protocol';
import { toAgentGrant } from './agent-grant.ts';
import { findAgent, listAgents, toAgentFolders } from './agent-store.ts';
import { writeDefinition } from './write-definition.ts';

/**
 * @param at.workspace Absolute real path.
 * @param at.userHome The home folder of the user.
 */
export function openAgents(
  engine: Pick<Engine, 'home' | 'tools' | 'clock'>,
  { workspace, userHome }: { workspace: string; userHome: string },
): Agents {
  const folders = toAgentFolders({ workspace, home: userHome, state: engine.home });
  const find: Agents['find'] = (name) => findAgent(folders, name);
  const isOfProject: Agents['isOfProject'] = (file) => file.startsWith(`${workspace}/`);
  const grantOf: Agents['grantOf'] = (definition, { place = 'workspace' } = {}) => {
    const tools = engine.tools.names.map((name) => ({ name, effects: engine.tools.get(name).effects }));
    return toAgentGrant(definition, {
      workspace: place === 'everywhere' ? '/' : workspace,
      now: engine.clock.now(),
      tools,
    });
  };
  const keepCopy = (file: string): string => {
    const copies = join(engine.home, 'agents', '.former');
    mkdirSync(copies, { recursive: true, mode: 0o700 });
    const copy = join(copies, `${basename(file, '.md')}-${engine.clock.now()}.md`);
    copyFileSync(file, copy);
    return copy;
  };
  return {
    list: () => listAgents(folders),
    find,
    grantOf,
    isOfProject,
    async save(definition, { place = 'user', replace = false } = {}) {
      const { systemPrompt, ...head } = definition;
      const parsed = agentHeadSchema.safeParse(head);
      if (!parsed.success) {
        const { path, message } = parsed.error.issues[0]!;
        throw new KlausError('config', `${path.join('.') || 'agent'}: ${message}`);
      }
      const { name } = parsed.data;
      grantOf({ ...parsed.data, systemPrompt });
      if (replace) {
        const { file } = await find(name);
        keepCopy(file);
        return writeFile(file, definition);
      }
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
    async remove(name) {
      const found = await find(name);
      const copy = keepCopy(found.file);
      rmSync(found.file);
      return { ...found, copy };
    },
  };
}

/** Replaces the file at once, so that no reader finds a part of it. */
async function writeFile(file: string, definition: Parameters<typeof writeDefinition>[0]): Promise<string> {
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
