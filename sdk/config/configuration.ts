import {
  type Setting,
  SETTING_KEYS,
  type SettingKey,
  SETTINGS,
  type SettingValue,
  type SettingValues,
} from '@klaus/core/protocol';
import { toShown } from './shown.ts';

/** The source of a value, strongest first. */
export type SourceName =
  | 'option'
  | 'environment'
  | 'home .env'
  | 'project file'
  | 'user file'
  | 'keyring'
  | 'key file'
  | 'default';

export interface SettingSource {
  readonly source: SourceName;
  /** The variable, or the file with its line: `/home/ann/.klaus/config.yaml:3`. */
  readonly where?: string;
}

/** A value before validation. */
export interface FoundValue extends SettingSource {
  readonly key: SettingKey;
  readonly value: unknown;
  /** The environment variable that set it. */
  readonly variable?: string;
  /** Folder to which a relative path refers. */
  readonly folder: string;
}

/** One line of `klaus config`. */
export interface SettingRow {
  key: SettingKey;
  /** For display: a secret is `set (…` with its last four characters; an unset value is what applies instead. */
  value: string;
  source: SourceName;
  /** The variable, or the file with its line. */
  where?: string;
  /** The variable that sets it. */
  env?: string;
  description: string;
}

/** All validated settings with their sources. Printing it or converting it to JSON shows no secret. */
export interface Configuration {
  /** The value; undefined only for a setting without a default. The workspace is an absolute path. */
  get<K extends SettingKey>(key: K): SettingValue<K>;
  /** All values as a tree: `values.limits.usd`. Not enumerable, because it contains the keys. */
  readonly values: SettingValues;
  /** Keys of the key file that are not used, because their provider has a key from another source. Not enumerable. */
  readonly unusedKeys: Readonly<Record<string, string>>;
  readonly sources: Readonly<Record<SettingKey, SettingSource>>;
  /** Every setting with its source, in the order of the table, without secrets. */
  explain(): SettingRow[];
}

/** A validated value with its source. */
export interface ResolvedValue extends SettingSource {
  readonly value: unknown;
}

/** Creates the configuration from validated values, one for each key. */
export function createConfiguration(
  resolved: ReadonlyMap<SettingKey, ResolvedValue>,
  unusedKeys: Configuration['unusedKeys'] = {},
): Configuration {
  const sources = Object.fromEntries(
    SETTING_KEYS.map((key) => {
      const { source, where } = resolved.get(key)!;
      return [key, where === undefined ? { source } : { source, where }];
    }),
  ) as Record<SettingKey, SettingSource>;
  const configuration = {
    get: <K extends SettingKey>(key: K) => resolved.get(key)!.value as SettingValue<K>,
    sources,
    explain: () => SETTING_KEYS.map((key) => toRow(key, resolved.get(key)!)),
  };
  return Object.defineProperties(configuration, {
    values: { value: toTree(resolved) },
    unusedKeys: { value: unusedKeys },
  }) as Configuration;
}

function toTree(resolved: ReadonlyMap<SettingKey, ResolvedValue>): SettingValues {
  const tree: Record<string, unknown> = {};
  for (const [key, { value }] of resolved) {
    const path = key.split('.');
    const last = path.pop()!;
    let at = tree;
    for (const step of path) at = (at[step] ??= {}) as Record<string, unknown>;
    at[last] = value;
  }
  return tree as SettingValues;
}

function toRow(key: SettingKey, resolved: ResolvedValue): SettingRow {
  const setting: Setting = SETTINGS[key];
  return {
    key,
    value: resolved.value === undefined ? (setting.unset ?? 'unset') : toShown(setting, resolved.value),
    source: resolved.source,
    where: resolved.where,
    env: setting.env,
    description: setting.description,
  };
}
