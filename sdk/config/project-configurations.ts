import { join } from 'node:path';
import type { Configuration } from './configuration.ts';
import { readFileText } from './file-text.ts';
import { type ConfigurationInput, loadConfiguration } from './load-configuration.ts';
import { findProjectFile } from './project-file.ts';

/** The settings in force in a folder. @throws KlausError `config` for an invalid project file. */
export type ProjectConfigurations = (folder: string) => Promise<Configuration>;

/**
 * The settings of this process, with the project file of each folder instead of the one of this process. The file is
 * read each time, and the settings are loaded again only if it has changed.
 *
 * @param own The settings that were loaded from `input`.
 */
export function createProjectConfigurations(input: ConfigurationInput, own: Configuration): ProjectConfigurations {
  const find = (folder: string): { path: string; text: string } => {
    const file = findProjectFile(folder, join(input.home, 'config.yaml'));
    return { path: file?.real ?? '', text: (file && readFileText(file.real)) ?? '' };
  };
  const first = find(input.cwd);
  const loaded = new Map([[first.path, { text: first.text, configuration: Promise.resolve(own) }]]);
  return (folder) => {
    const { path, text } = find(folder);
    const known = loaded.get(path);
    if (known?.text === text) return known.configuration;
    const configuration = loadConfiguration({ ...input, project: folder });
    loaded.set(path, { text, configuration });
    return configuration;
  };
}
