import type { SettingView } from '@klaus/server/contract';
import { useState } from 'react';
import { client } from '../state/client.ts';
import { reloadSettings } from '../state/host.ts';
import { showToast } from '../state/toasts.ts';
import { toReason } from '../ui/empty.tsx';
import { type Query, useQuery } from '../ui/use-query.ts';

/** A value as JSON. Null removes it, so that the default applies. */
export type SettingData = string | number | boolean | readonly string[] | null;

export interface SettingChange {
  setting: SettingView;
  value: SettingData;
  /** The name for messages. */
  name: string;
}

export interface Settings {
  query: Query<{ settings: SettingView[]; file: string }>;
  /** With changes that are not confirmed yet. */
  settings: readonly SettingView[];
  /** Keys that are being saved. */
  saving: ReadonlySet<string>;
  /** The setting that was saved last, for screen readers. */
  saved: string | undefined;
  /** Shows the new value at once, and the previous one again if it is not saved. */
  change: (change: SettingChange) => Promise<void>;
}

/** @param failed The message for a value that was not saved. */
export function useSettings(failed: (name: string) => string): Settings {
  const query = useQuery('configuration', (signal) => client.configuration({ signal }));
  const [confirmed, setConfirmed] = useState<ReadonlyMap<string, SettingView>>(new Map());
  const [pending, setPending] = useState<ReadonlyMap<string, SettingData>>(new Map());
  const [saved, setSaved] = useState<string>();
  const settings = (query.value?.settings ?? []).map((loaded) => {
    const setting = confirmed.get(loaded.key) ?? loaded;
    return pending.has(setting.key) ? toPending(setting, pending.get(setting.key) ?? null) : setting;
  });
  const change = async ({ setting: { key }, value, name }: SettingChange) => {
    setSaved(undefined);
    setPending((all) => new Map(all).set(key, value));
    try {
      const body = { value: value as string | null };
      const stored = await client.changeSetting({ params: { key }, body });
      setConfirmed((all) => new Map(all).set(key, stored));
      setSaved(name);
      void reloadSettings();
    } catch (error) {
      showToast({ kind: 'error', text: failed(name), detail: toReason(error) });
    } finally {
      setPending((all) => new Map([...all].filter(([each]) => each !== key)));
    }
  };
  return { query, settings, saving: new Set(pending.keys()), saved, change };
}

function toPending(setting: SettingView, value: SettingData): SettingView {
  const data = value ?? setting.fallback;
  return { ...setting, data, source: value === null ? 'default' : 'user file' };
}
