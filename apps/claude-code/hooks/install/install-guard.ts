import { writeJsonFile } from '../../settings/json-file.ts';
import { type HookProgramOptions, toHookPath, writeHookProgram } from './hook-program.ts';
import { readSettings, type SettingsInput, toSettingsFile, withGuard } from './settings-file.ts';

export interface InstallInput extends SettingsInput, HookProgramOptions {
  uninstall?: boolean;
  /** Nothing is written. */
  dryRun?: boolean;
}

export interface Installed {
  /** The settings file. */
  file: string;
  before: string;
  after: string;
  /** `disableAllHooks` in this file: no hook runs. */
  isDisabled: boolean;
}

/**
 * Adds the hooks of the guard to a settings file of Claude Code, or removes them. Repeated, it changes nothing.
 *
 * @throws KlausError `config` for an invalid file or one that cannot be written.
 */
export function installGuard(input: InstallInput): Installed {
  const file = toSettingsFile(input);
  const found = readSettings(file);
  const after = withGuard(found, input.uninstall ? null : toHookPath(input.home));
  if (!input.dryRun) {
    if (!input.uninstall) writeHookProgram(input);
    if (after !== found.text && !(input.uninstall && found.text === '')) writeJsonFile(file, after);
  }
  return { file, before: found.text, after, isDisabled: found.settings['disableAllHooks'] === true };
}
