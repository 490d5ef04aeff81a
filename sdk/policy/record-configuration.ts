import { SETTING_KEYS, SETTINGS, type ConfigurationChange, type Setting, type SettingKey } from '@klaus/core/protocol';
import type { Policy } from '@klaus/core/policy';
import type { SessionStore } from '@klaus/core/agent';
import type { Configuration } from '../config/configuration.ts';
import { toShown } from '../config/shown.ts';

/** Settings with a bearing on safety, money or privacy: those that a project may not set as it likes. */
const WATCHED: readonly SettingKey[] = SETTING_KEYS.filter(
  (key) => key !== 'workspace' && (SETTINGS[key] as Setting).project !== 'free',
);

export interface ConfigurationRecord {
  store: SessionStore;
  configuration: Configuration;
  policy: Policy;
  /** Absolute real path. */
  workspace: string;
  digest: (text: string) => string;
  redact: (text: string) => string;
}

/**
 * Tells the host chain when the settings or the policy that hold in a workspace differ from those of the last run
 * there. Nothing is written while they are the same.
 */
export async function recordConfiguration(record: ConfigurationRecord): Promise<void> {
  const { store, configuration, policy, workspace, digest, redact } = record;
  const show = (key: SettingKey, value: unknown): string | null => {
    const setting: Setting = SETTINGS[key];
    // A number, a choice of two, and what stands in our own table hold no secret.
    const isPlain = typeof value === 'number' || typeof value === 'boolean' || value === setting.default;
    return toText(setting, value, isPlain ? (text) => text : redact);
  };
  const now = new Map(WATCHED.map((key) => [key as string, show(key, configuration.get(key))]));
  const hash = digest(JSON.stringify([[...now], policy.sources]));
  const last = await store.lastHostEvent('configuration.changed', workspace);
  if (last?.hash === hash) return;
  const before = new Map(WATCHED.map((key) => [key as string, show(key, SETTINGS[key].default)]));
  for await (const event of store.hostEvents({ type: 'configuration.changed', subject: workspace })) {
    if (event.type !== 'configuration.changed') continue;
    for (const { key, after } of event.changes) before.set(key, after);
  }
  const changes: ConfigurationChange[] = [...now].flatMap(([key, after]) => {
    const was = before.get(key) ?? null;
    return was === after ? [] : [{ key, before: was, after }];
  });
  await store.appendHost({
    type: 'configuration.changed',
    workspace,
    hash,
    changes,
    policies: policy.sources.map((source) => ({ ...source })),
  });
}

function toText(setting: Setting, value: unknown, redact: (text: string) => string): string | null {
  if (value === undefined) return null;
  return setting.secret ? 'set' : redact(toShown(setting, value));
}
