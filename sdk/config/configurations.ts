import { statSync } from 'node:fs';
import { join } from 'node:path';
import type { Configuration } from './configuration.ts';
import { readFileText } from './file-text.ts';
import { type ConfigurationInput, loadConfiguration } from './load-configuration.ts';
import { findProjectFile } from './project-file.ts';
import { toKeyFile } from './stored-keys.ts';

/** The settings of this process, and those of the folders in which it works. */
export interface Configurations {
  /** The settings of this process, as they were last read. */
  readonly current: Configuration;
  /**
   * The settings of this process. They are loaded again if a file of the user has changed since the last call.
   *
   * @throws KlausError `config` for an invalid file; `current` does not change.
   */
  refresh(): Promise<Configuration>;
  /**
   * The settings in a folder, with its project file instead of the one of this process.
   *
   * @throws KlausError `config` for an invalid file.
   */
  of(folder: string): Promise<Configuration>;
}

interface ConfigurationsOptions {
  /** What `own` was loaded from. */
  input: ConfigurationInput;
  own: Configuration;
  /** Called with each later configuration of this process. */
  onChange: (configuration: Configuration) => void;
}

/** Reads the files each time, and loads the settings again only if a file has changed. */
export function createConfigurations({ input, own, onChange }: ConfigurationsOptions): Configurations {
  const find = (folder: string): { path: string; text: string } => {
    const file = findProjectFile(folder, join(input.home, 'config.yaml'));
    return { path: file?.real ?? '', text: (file && readFileText(file.real)) ?? '' };
  };
  const loaded = new Map<string, { text: string; configuration: Promise<Configuration> }>();
  const use = (configuration: Configuration): void => {
    const { path, text } = find(input.cwd);
    loaded.clear();
    loaded.set(path, { text, configuration: Promise.resolve(configuration) });
  };
  let current = own;
  let state = toState(input.home);
  use(own);
  let pending: Promise<Configuration> | undefined;
  const load = async (): Promise<Configuration> => {
    // The state from before the files are read, so that a change during the read is found next time.
    const now = toState(input.home);
    if (now === state) return current;
    const next = await loadConfiguration(input);
    state = now;
    current = next;
    use(next);
    onChange(next);
    return next;
  };
  const refresh = (): Promise<Configuration> => (pending ??= load().finally(() => (pending = undefined)));
  return {
    get current() {
      return current;
    },
    refresh,
    async of(folder) {
      await refresh();
      const { path, text } = find(folder);
      const known = loaded.get(path);
      if (known?.text === text) return known.configuration;
      const configuration = loadConfiguration({ ...input, project: folder });
      loaded.set(path, { text, configuration });
      return configuration;
    },
  };
}

/** A text that differs after every change of a file of the user. */
function toState(home: string): string {
  const files = [join(home, 'config.yaml'), join(home, '.env'), toKeyFile(home)];
  return files
    .map((file) => {
      const found = statSync(file, { bigint: true, throwIfNoEntry: false });
      return found ? [found.ino, found.size, found.mtimeNs, found.ctimeNs].join(':') : '';
    })
    .join(' ');
}
