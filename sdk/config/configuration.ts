import { optional } from '@klaus/core/optional';
import {
  SETTING_KEYS,
  SETTINGS,
  type Setting,
  type SettingKey,
  type SettingValue,
  type SettingValues,
} from '@klaus/core/protocol';
import type { SettingSource, SourceName } from './setting-source.ts';
import { toShown } from './shown.ts';

/** One line of `klaus config`. */
export interface SettingRow {
  key: SettingKey;
  /** For people: a secret is `set (…` and its last four characters `)`, an unset value says what holds instead. */
  value: string;
  source: SourceName;
  /** The variable, or the file with its line. */
  where?: string;
  /** The variable that sets it. */
  env?: string;
  description: string;
}

/** All settings, checked, with where each came from. Shows no secret when it is printed or made JSON. */
export interface Configuration {
  /** The value; undefined only for a setting without a default. A workspace is an absolute path. */
  get<K extends SettingKey>(key: K): SettingValue<K>;
  /** All values as a tree: `values.limits.usd`. Not enumerable, because it holds the keys. */
  readonly values: SettingValues;
  readonly sources: Readonly<Record<SettingKey, SettingSource>>;
  /** Every setting with its source, in the order of the table, without secrets. */
  explain(): SettingRow[];
}

/** A checked value with its source. */
export interface SettledValue extends SettingSource {
  readonly value: unknown;
}

/** Makes the view on values that are already checked, one for each key. */
export function createConfiguration(settled: ReadonlyMap<SettingKey, SettledValue>): Configuration {
  const sources = Object.fromEntries(
    SETTING_KEYS.map((key) => {
      const { source, where } = settled.get(key)!;
      return [key, where === undefined ? { source } : { source, where }];
    }),
  ) as Record<SettingKey, SettingSource>;
  const configuration = {
    get: <K extends SettingKey>(key: K) => settled.get(key)!.value as SettingValue<K>,
    sources,
    explain: () => SETTING_KEYS.map((key) => toRow(key, settled.get(key)!)),
  };
  return Object.defineProperty(configuration, 'values', { value: toTree(settled) }) as Configuration;
}

function toTree(settled: ReadonlyMap<SettingKey, SettledValue>): SettingValues {
  const tree: Record<string, unknown> = {};
  for (const [key, { value }] of settled) {
    const path = key.split('.');
    const last = path.pop()!;
    let at = tree;
    for (const step of path) at = (at[step] ??= {}) as Record<string, unknown>;
    at[last] = value;
  }
  return tree as SettingValues;
}

function toRow(key: SettingKey, settled: SettledValue): SettingRow {
  const setting: Setting = SETTINGS[key];
  return {
    key,
    value: settled.value === undefined ? (setting.unset ?? 'unset') : toShown(setting, settled.value),
    source: settled.source,
    ...optional({ where: settled.where, env: setting.env }),
    description: setting.description,
  };
}
