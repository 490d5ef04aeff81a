import {
  isSettingKey,
  KlausError,
  type Setting,
  SETTING_KEYS,
  type SettingInput,
  type SettingKey,
  SETTINGS,
  toAllowed,
  toInput,
} from '@klaus/core/protocol';
import type { Configuration, SettingRow } from './configuration.ts';
import type { Configurations } from './configurations.ts';
import { hideSecrets } from './shown.ts';
import { type SettingChanges, writeUserSettings } from './user-settings.ts';
import { unknownKey } from './yaml-values.ts';

/** Why a setting is not changed here: a stronger source sets it, or it is changed on the machine alone. */
export type SettingLock = 'option' | 'environment' | 'home .env' | 'project file' | 'machine';

/** A setting for display and for a form. It contains no secret. */
export interface SettingDetail extends SettingRow {
  /** The value as JSON; null: unset, or not shown because it can contain a secret. */
  data: unknown;
  /** The default as JSON; null: none, and `unset` applies. */
  fallback: unknown;
  /** What applies while it is unset, for a setting without a default. */
  unset?: string;
  /** The allowed values in words. */
  allowed: string;
  input: SettingInput;
  /** Absent: it can be changed. */
  lock?: SettingLock;
}

/** The user's own settings. */
export interface UserSettings {
  /** Every setting in the order of the table. @throws KlausError `config` for an invalid file. */
  list(): Promise<SettingDetail[]>;
  /** One setting. @throws KlausError `usage` for an unknown key. */
  get(key: string): Promise<SettingDetail>;
  /**
   * Changes one setting, as a client of the server may do.
   *
   * @param value As JSON. Null removes it from the file of the user.
   * @throws KlausError `usage` for an unknown key, `denied` for a locked one, `config` for a value that is not allowed
   *   and for a file that cannot be written.
   */
  change(key: string, value: unknown): Promise<SettingDetail>;
  /**
   * Changes any setting, as the user of the machine may do.
   *
   * @param value As text: JSON or YAML if the setting allows that value, otherwise the text itself. Null removes the setting.
   * @throws KlausError `usage` for an unknown key, `config` as {@link change}.
   */
  set(key: string, value: string | null): Promise<SettingDetail>;
  /** Writes settings into the file of the user. See {@link writeUserSettings}. @returns The file. */
  write(changes: SettingChanges): Promise<string>;
}

/** Settings that load programs, choose where keys are sent, say who may do what, or are read only when Klaus starts. */
const MACHINE =
  /^(?:server|cluster|keys|baseUrls|deploy|telemetry|guard|switch|hooks|aiSdk|servers|network)(?:\.|$)|^(?:workspace|socketDir|claudeBinary|maxToolResultSize|worktree\.setup|sandbox\.(?:hostPaths|image|kubernetes\.\w+)|web\.\w+Url)$/;

export function createUserSettings({
  home,
  configurations,
}: {
  home: string;
  configurations: Configurations;
}): UserSettings {
  const write = async (changes: SettingChanges): Promise<string> => {
    const file = await writeUserSettings(home, changes);
    await configurations.refresh();
    return file;
  };
  const get = async (key: string): Promise<SettingDetail> => {
    const found = toDetails(await configurations.refresh()).find((each) => each.key === key);
    if (!found) throw toUsage(unknownKey(key));
    return found;
  };
  return {
    get,
    write,
    async set(key, value) {
      if (!isSettingKey(key)) throw toUsage(unknownKey(key));
      await write({ [key]: value === null ? undefined : await toTyped(key, value) });
      return get(key);
    },
    list: async () => toDetails(await configurations.refresh()),
    async change(key, value) {
      const { lock, where, ...known } = await get(key);
      if (lock !== undefined) throw locked(known.key, lock, where);
      await write({ [key]: value === null ? undefined : value });
      return get(key);
    },
  };
}

/** A text such as `5`, `true` or `[a, b]` as a value, unless the setting takes it as it is. */
async function toTyped(key: SettingKey, text: string): Promise<unknown> {
  const { schema }: Setting = SETTINGS[key];
  const { parse } = await import('yaml');
  for (const read of [() => parse(text) as unknown, () => text]) {
    try {
      const value = read();
      if (schema.safeParse(value).success) return value;
    } catch {
      // It is no YAML.
    }
  }
  return text;
}

function toUsage({ message, hint }: KlausError): KlausError {
  return new KlausError('usage', message, { hint });
}

function locked(key: SettingKey, lock: SettingLock, where: string | undefined): KlausError {
  if (lock === 'machine') {
    return new KlausError('denied', `${key} can only be changed on the machine of the server.`, {
      hint: 'Set it in `config.yaml` of the state folder.',
    });
  }
  return new KlausError('denied', `${key} is set by ${where ?? 'an option of the command line'}, which is stronger.`, {
    hint: 'Change it there.',
  });
}

function toDetails(configuration: Configuration): SettingDetail[] {
  const rows = new Map(configuration.explain().map((row) => [row.key, row]));
  return SETTING_KEYS.map((key) => {
    const setting: Setting = SETTINGS[key];
    const row = rows.get(key)!;
    const isShown = setting.secret !== true;
    return {
      ...row,
      data: isShown ? (withoutSecrets(configuration.get(key)) ?? null) : null,
      fallback: isShown ? (setting.default ?? null) : null,
      allowed: toAllowed(setting),
      input: toInput(setting),
      unset: setting.unset,
      lock: toLock(key, row),
    };
  });
}

/** The value without what looks like a secret, as in `klaus config`. */
function withoutSecrets(value: unknown): unknown {
  if (typeof value === 'string') return hideSecrets(value);
  if (Array.isArray(value)) return value.map(withoutSecrets);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, withoutSecrets(inner)]));
}

function toLock(key: SettingKey, { source }: SettingRow): SettingLock | undefined {
  if (MACHINE.test(key) || (SETTINGS[key] as Setting).secret) return 'machine';
  if (source === 'option' || source === 'environment' || source === 'home .env' || source === 'project file')
    return source;
  return undefined;
}
