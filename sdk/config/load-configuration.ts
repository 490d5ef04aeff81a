import { headOf } from '@klaus/core/cut-text';
import { dirname, isAbsolute, join, resolve } from 'node:path';
import { parseEnv } from 'node:util';
import {
  fromText,
  isSettingKey,
  KlausError,
  type Setting,
  SETTING_KEYS,
  type SettingKey,
  SETTINGS,
  toAllowed,
} from '@klaus/core/protocol';
import { type Configuration, createConfiguration, type FoundValue, type ResolvedValue } from './configuration.ts';
import { readFileText } from './file-text.ts';
import { findProjectFile } from './project-file.ts';
import { toShown } from './shown.ts';
import { findStoredKeys } from './stored-keys.ts';
import { fromYaml, unknownKey } from './yaml-values.ts';

export interface ConfigurationInput {
  env: Readonly<Record<string, string | undefined>>;
  /** State folder, absolute: its `.env` and `config.yaml` are the user's own. */
  home: string;
  /** Folder to which relative paths of options and variables refer. Absolute. */
  cwd: string;
  /** Folder from which the project's file is searched. Absolute. Default: `cwd`. */
  project?: string;
  /** Options of the caller by key, as values or as text; undefined counts as absent. Default: none. */
  settings?: Readonly<Record<string, unknown>>;
}

/**
 * Reads all settings. The strongest source wins: option, environment, `<home>/.env`, the project's
 * `.klaus/config.yaml`, `<home>/config.yaml`, a key that `klaus login` stored, default. The project's file is not trusted: it can only narrow.
 * All values are validated, including those that a stronger source overrides.
 *
 * @throws KlausError `config` with key, source, value (except of a secret) and the allowed values.
 */
export async function loadConfiguration(input: ConfigurationInput): Promise<Configuration> {
  const { env, home, cwd } = input;
  const envPath = join(home, '.env');
  const userPath = join(home, 'config.yaml');
  const envText = readFileText(envPath);
  const userText = readFileText(userPath);
  const project = findProjectFile(input.project ?? cwd, userPath);
  const projectText = project && readFileText(project.real);
  const check = toCheck(env['HOME']);
  const layers = {
    option: check(fromOptions(input.settings ?? {}, cwd)),
    environment: check(fromEnvironment(env, cwd)),
    envFile: check(envText === undefined ? [] : fromEnvFile(envText, { path: envPath, folder: home })),
    project: check(
      project === undefined || projectText === undefined
        ? []
        : refuseUntrusted(
            await fromYaml(projectText, { path: project.path, source: 'project file', folder: dirname(project.path) }),
          ),
    ),
    user: check(
      userText === undefined ? [] : await fromYaml(userText, { path: userPath, source: 'user file', folder: home }),
    ),
    fallback: toDefaults(cwd, env['HOME']),
  };
  const stronger = new Map([...layers.envFile, ...layers.environment, ...layers.option]);
  const { found, unused } = await findStoredKeys({ env, home }, (key) => stronger.has(key) || layers.user.has(key));
  const without = new Map([...layers.fallback, ...check(found), ...layers.user, ...stronger]);
  const taken = [...layers.project]
    .map(([key, asked]) => [key, mergeWith(asked, without)] as const)
    .filter(([key, asked]) => asked !== layers.project.get(key) || !stronger.has(key));
  for (const [, asked] of taken) refuseWider(asked, without);
  return createConfiguration(new Map([...without, ...taken]), unused);
}

function fromOptions(settings: Readonly<Record<string, unknown>>, folder: string): FoundValue[] {
  return Object.entries(settings).flatMap(([key, value]): FoundValue[] => {
    if (!isSettingKey(key)) throw unknownKey(key);
    return value === undefined ? [] : [{ key, value, source: 'option', folder }];
  });
}

/** A value that matches its schema. */
type CheckedValue = FoundValue & ResolvedValue;

/** Validates every value. `userHome` replaces `~`. */
function toCheck(userHome: string | undefined): (found: readonly FoundValue[]) => Map<SettingKey, CheckedValue> {
  return (found) =>
    new Map(
      found.map((one) => {
        const setting: Setting = SETTINGS[one.key];
        if (one.value === undefined) return [one.key, one];
        const read = typeof one.value === 'string' ? fromText(setting, one.value) : one.value;
        const parsed = setting.schema.safeParse(read);
        if (!parsed.success) throw invalidValue(one, parsed.error.issues[0]?.path);
        const value = one.key === 'workspace' ? toPath(String(parsed.data), { ...one, userHome }) : parsed.data;
        return [one.key, { ...one, value }];
      }),
    );
}

/** The defaults. They are valid by a test and not checked here, because that would take time at every start. */
function toDefaults(folder: string, userHome: string | undefined): Map<SettingKey, CheckedValue> {
  return new Map(
    SETTING_KEYS.map((key) => {
      const given: unknown = SETTINGS[key].default;
      const value = key === 'workspace' ? toPath(String(given), { folder, userHome }) : given;
      return [key, { key, value, source: 'default', folder }];
    }),
  );
}

function toPath(path: string, from: { folder: string; userHome: string | undefined }): string {
  if (from.userHome && (path === '~' || path.startsWith('~/'))) return join(from.userHome, path.slice(1));
  return isAbsolute(path) ? path : resolve(from.folder, path);
}

/** `AGENT_MODEL`, `/home/ann/.klaus/config.yaml:3`, or `option`. */
function toLocation(found: FoundValue): string {
  if (found.where === undefined) return found.source;
  return found.variable === undefined || found.variable === found.where
    ? found.where
    : `${found.variable} in ${found.where}`;
}

/** @param path Of the wrong part of a value with parts. */
function invalidValue(found: FoundValue, path: readonly PropertyKey[] = []): KlausError {
  const setting: Setting = SETTINGS[found.key];
  const value = setting.secret ? 'the value (not shown)' : toQuoted(setting, found.value);
  return new KlausError(
    'config',
    `${[found.key, ...path.map(String)].join('.')}: ${value} is not allowed (${toLocation(found)})`,
    {
      hint: `Allowed: ${toAllowed(setting)}.`,
    },
  );
}

function toQuoted(setting: Setting, value: unknown): string {
  const shown = toShown(setting, value);
  const short = shown.length > 80 ? `${headOf(shown, 80)}…` : shown;
  return typeof value === 'string' ? JSON.stringify(short) : short;
}

/** Rejects settings that affect safety, cost or privacy: the file comes with the repository and is not trusted. */
function refuseUntrusted(found: FoundValue[]): FoundValue[] {
  const refused = found.find((one) => SETTINGS[one.key].project === 'never');
  if (!refused) return found;
  const { env } = SETTINGS[refused.key] as Setting;
  throw new KlausError('config', `${toLocation(refused)}: a project file may not set ${refused.key}`, {
    hint: `Remove it from the project file, and set it in your own config.yaml${env === undefined ? '' : ` or by ${env}`}.`,
  });
}

/** The value, merged with the value without the file if the rule of its setting merges. */
function mergeWith(asked: CheckedValue, without: ReadonlyMap<string, ResolvedValue>): CheckedValue {
  const { project }: Setting = SETTINGS[asked.key];
  if (typeof project === 'string' || !project.merge) return asked;
  return { ...asked, value: project.merge(asked.value, without.get(asked.key)?.value) };
}

/** @param without The values without the project's file. */
function refuseWider(asked: CheckedValue, without: ReadonlyMap<string, ResolvedValue>): void {
  const setting: Setting = SETTINGS[asked.key];
  const read = (key: string) => without.get(key)?.value;
  const base = read(asked.key);
  if (setting.project === 'free') return;
  if (setting.project !== 'never' && setting.project.holds(asked.value, base, read)) return;
  const rule = setting.project === 'never' ? 'nothing' : setting.project.rule;
  const holds = base === undefined ? (setting.unset ?? 'unset') : toShown(setting, base);
  throw new KlausError(
    'config',
    `${toLocation(asked)}: a project file may not set ${asked.key} to ${toQuoted(setting, asked.value)} (the value without it is ${holds})`,
    { hint: `Allowed in a project file: ${rule}. To set it yourself, use ${setting.env ?? asked.key}.` },
  );
}

/** Settings in an environment. Empty variables count as unset, unknown ones are ignored. */
function fromEnvironment(env: Readonly<Record<string, string | undefined>>, folder: string): FoundValue[] {
  return SETTING_KEYS.flatMap((key): FoundValue[] => {
    const variable = (SETTINGS[key] as Setting).env;
    const value = variable === undefined ? undefined : env[variable];
    if (variable === undefined || value === undefined || value.trim() === '') return [];
    return [{ key, value, source: 'environment', where: variable, variable, folder }];
  });
}

/** Settings in the text of a `.env` file at `path`. */
function fromEnvFile(text: string, options: { path: string; folder: string }): FoundValue[] {
  return fromEnvironment(parseEnv(text), options.folder).map((found): FoundValue => {
    const line = toLine(text, found.variable!);
    return { ...found, source: 'home .env', where: line === undefined ? options.path : `${options.path}:${line}` };
  });
}

/** The last line, from 1, that sets the variable, which is the effective one. */
function toLine(text: string, variable: string): number | undefined {
  const sets = new RegExp(`^\\s*(export\\s+)?${variable}\\s*=`);
  const index = text.split('\n').findLastIndex((line) => sets.test(line));
  return index < 0 ? undefined : index + 1;
}
