import { resolve } from 'node:path';
import { createMemory, openSecretsOf, type Engine, type Knowledge, type SessionStore } from '@klaus/core/agent';
import type { Configuration } from '../config/configuration.ts';
import { createModeQueries, type ModeQueries } from '../config/start-mode.ts';
import type { Klaus } from '../klaus.ts';
import { toRealFolder, toRealPath } from '../open/outside-folders.ts';
import type { PolicyEngines } from '../policy/policy-engines.ts';
import { openWorkspaceFiles } from './workspace-files.ts';

/** What `Klaus` answers about one workspace. The default one is the configured one. */
export function createWorkspaceQueries({
  engine,
  store,
  configuration,
  inForce,
  cwd,
}: {
  engine: Engine;
  store: SessionStore;
  /** The present one of this process. */
  configuration: () => Configuration;
  inForce: PolicyEngines;
  cwd: string;
}): Pick<Klaus, 'configurationOf' | keyof ModeQueries | 'agents' | 'skills' | 'policy' | 'files' | 'memory'> {
  const toFolder = (workspace?: string): string => resolve(cwd, workspace ?? configuration().get('workspace'));
  const inForceOf = async (root: string) => {
    const [engine, project] = await Promise.all([inForce.judging(root), inForce.project(root)]);
    return { engine, sandbox: project.configuration.values.sandbox.driver };
  };
  const configurationOf = async (workspace: string) => (await inForce.project(resolve(cwd, workspace))).configuration;
  const read = async (workspace?: string) => (workspace === undefined ? configuration() : configurationOf(workspace));
  return {
    configurationOf,
    ...createModeQueries({ store, read }),
    agents: (workspace) => engine.openAgents(toRealFolder(toFolder(workspace))),
    skills: (workspace) => engine.openSkills(toRealFolder(toFolder(workspace))),
    policy: async (workspace) => inForce.policy(toRealPath(toFolder(workspace))),
    files: (workspace) => openWorkspaceFiles(engine, { folder: toFolder(workspace), inForceOf }),
    memory: (workspace) => openMemory(engine, toFolder(workspace)),
  };
}

/** The placeholders of redacted secrets belong to no session. @param folder Absolute. */
function openMemory(engine: Engine, folder: string): Knowledge {
  const root = toRealFolder(folder);
  const redactor = engine.createRedactor('memory');
  const memory = createMemory(engine.openKnowledge(root), { redactor, session: null });
  return {
    ...memory,
    async set(note) {
      redactor.learn(await openSecretsOf(engine, { workspace: root }).values());
      return memory.set(note);
    },
  };
}
