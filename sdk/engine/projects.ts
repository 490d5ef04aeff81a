import { findOriginal } from '@klaus/adapters/workspace';
import type { Engine } from '@klaus/core/agent';
import type { Configuration } from '../config/configuration.ts';
import type { Configurations } from '../config/configurations.ts';

/** The settings that are in force in a workspace, and the engine with them. */
export interface Project {
  readonly configuration: Configuration;
  readonly engine: Engine;
}

/** @throws KlausError `config` for an invalid project file. */
export type Projects = (workspace: string) => Promise<Project>;

/** @param own The settings of this process, and the engine with them. */
export function createProjects(
  own: Project,
  given: { home: string; configurations: Configurations; toEngine: (configuration: Configuration) => Engine },
): Projects {
  const engines = new WeakMap([[own.configuration, own.engine]]);
  return async (workspace) => {
    // The project of a working copy is its repository, which has files that are not in Git too.
    const configuration = await given.configurations.of(findOriginal(given.home, workspace) ?? workspace);
    const engine = engines.get(configuration) ?? given.toEngine(configuration);
    engines.set(configuration, engine);
    return { configuration, engine };
  };
}
