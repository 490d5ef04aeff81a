import { createHash } from 'node:crypto';
import { accessSync, constants, existsSync } from 'node:fs';
import { join } from 'node:path';
import { isRecord } from '@klaus/sdk/is-record';
import { readForeignFileSync } from '@klaus/sdk/foreign-file';
import { messageOf } from '@klaus/sdk/message-of';
import { readJsonFile } from '../../settings/json-file.ts';
import { isGuard, readSettings, type SettingsPlace, toSettingsFile } from '../install/settings-file.ts';

export interface Installation {
  place: SettingsPlace;
  /** Absolute path of the settings file with the hooks. */
  file: string;
}

export interface Surroundings {
  env: Readonly<Record<string, string | undefined>>;
  /** Absolute real paths of projects in which Claude Code works. Their settings can switch off hooks of the user. */
  projects: readonly string[];
  /** Absolute path of the hook program. */
  program: string;
  /** SHA-256 of the program as it was installed. Undefined: not known. */
  hook?: string;
}

/** Why an installation does not judge every call, or denies all of them. Empty: it works as far as files show it. */
export function findProblems({ place, file }: Installation, around: Surroundings): string[] {
  return [...findOwn(file), ...findOthers({ place, file }, around), ...findInProgram(around)];
}

/** The setting of a file that switches off hooks of other files, and except for managed settings those of its own. */
export function findSwitch(settings: Readonly<Record<string, unknown>>, isManaged: boolean): string | undefined {
  if (settings['disableAllHooks'] === true) return 'disableAllHooks';
  return isManaged && settings['allowManagedHooksOnly'] === true ? 'allowManagedHooksOnly' : undefined;
}

/** Variables with which Claude Code runs no hook, or another program in the place of each. Source: 2.1.197 and 2.1.332. */
const OVERRIDES = /^(?:CLAUDE_CODE_SHELL_PREFIX|CLAUDE_CODE_SIMPLE|LD_(?:PRELOAD|AUDIT|LIBRARY_PATH)|DYLD_\w+)$/;

/** The variable in settings of a project that does that to the hooks of all settings, also to managed ones. */
export function findOverride(settings: Readonly<Record<string, unknown>>): string | undefined {
  const { env } = settings;
  return isRecord(env) ? Object.keys(env).find((name) => OVERRIDES.test(name)) : undefined;
}

/** The settings files of a project. */
export function listProjectSettings(project: string): string[] {
  return ['settings.json', 'settings.local.json'].map((name) => join(project, '.claude', name));
}

/** SHA-256 of a hook program. Undefined if it cannot be read. */
export function toHookDigest(program: string): string | undefined {
  try {
    return createHash('sha256').update(readForeignFileSync(program).text).digest('hex');
  } catch {
    return undefined;
  }
}

/** Settings files that can switch off, or replace, the hooks of an installation, apart from its own. */
export function listOthers(
  { place, file }: Installation,
  { env, projects }: Pick<Surroundings, 'env' | 'projects'>,
): string[] {
  const files = [
    ...(place === 'managed'
      ? []
      : (['managed', 'user'] as const).map((each) => toSettingsFile({ place: each, env, project: '/' }))),
    ...projects.flatMap(listProjectSettings),
  ];
  return [...new Set(files)].filter((other) => other !== file);
}

function findOwn(file: string): string[] {
  if (!existsSync(file)) return [`${file} does not exist`];
  const found = read(() => readSettings(file));
  if (typeof found === 'string') return [found];
  const { hooks, settings } = found;
  return [
    ...((hooks['PreToolUse'] ?? []).some((entry) => entry.hooks.some(isGuard))
      ? []
      : [`${file} has no hooks of the guard`]),
    ...(settings['disableAllHooks'] === true ? [`\`disableAllHooks\` is set in ${file}`] : []),
  ];
}

function findOthers(installation: Installation, around: Surroundings): string[] {
  const managed = toSettingsFile({ place: 'managed', env: around.env, project: '/' });
  const ofProjects = new Set(around.projects.flatMap(listProjectSettings));
  return listOthers(installation, around).flatMap((file) => {
    // Invalid hooks of another file do not concern those of this one.
    const found = read(() => readJsonFile(file));
    if (typeof found === 'string') return [];
    const { object } = found;
    const name =
      (installation.place === 'managed' ? undefined : findSwitch(object, file === managed)) ??
      (ofProjects.has(file) ? findOverride(object) : undefined);
    return name === undefined ? [] : [`\`${name}\` is set in ${file}`];
  });
}

function findInProgram({ program, hook }: Surroundings): string[] {
  try {
    accessSync(program, constants.X_OK);
  } catch {
    return [`${program} does not exist or is not executable`];
  }
  return hook === undefined || toHookDigest(program) === hook ? [] : [`${program} is not the installed program`];
}

/** What it returns, or why it cannot be read. */
function read<T extends object>(readFile: () => T): T | string {
  try {
    return readFile();
  } catch (error) {
    return messageOf(error).replace(/\.$/, '');
  }
}
