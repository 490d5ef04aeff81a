import type { SettingView } from '@klaus/server/contract';
import { Lock, RotateCcw } from 'lucide-react';
import { memo } from 'react';
import { useSettingsText } from '../text/settings/settings-text.ts';
import type { SettingsText } from '../text/settings/en-settings.ts';
import { CodeText } from '../ui/code-text.tsx';
import { IconButton } from '../ui/button.tsx';
import { SettingControl } from './setting-control.tsx';
import type { SettingChange } from './use-settings.ts';

interface SettingName {
  name: string;
  hint: string;
  /** What applies while it is unset. */
  unset?: string;
}

interface RowProps {
  setting: SettingView;
  isSaving: boolean;
  onChange: (change: SettingChange) => void;
}

/** One setting: its name, what it does, its value, and where the value comes from. */
export const SettingRow = memo(function SettingRow({ setting, isSaving, onChange }: RowProps) {
  const t = useSettingsText();
  const { key, lock, description } = setting;
  const known = nameOf(key, t);
  const name = known?.name ?? key;
  const id = `setting-${key}`;
  const isReadOnly = lock !== undefined || setting.input.kind === 'other';
  return (
    <li
      className={`setting ${key === 'sandbox.folders' ? 'setting-wide' : ''}`}
      aria-busy={isSaving}
      data-setting={key}
    >
      <div className="setting-words column">
        {isReadOnly ? (
          <strong>{name}</strong>
        ) : (
          <label htmlFor={id} className={known ? '' : 'mono'}>
            {name}
          </label>
        )}
        <p id={`${id}-hint`} className="muted small wrap" lang={known ? undefined : 'en'}>
          <CodeText text={known?.hint ?? description} />
        </p>
      </div>
      <div className="setting-value column">
        {isReadOnly ? (
          <ReadOnlyValue setting={setting} />
        ) : (
          <SettingControl
            id={id}
            name={name}
            setting={setting}
            describedBy={`${id}-hint ${id}-source`}
            onChange={(value) => onChange({ setting, value, name })}
          />
        )}
        <div className="line setting-source small muted">
          <span id={`${id}-source`} className="grow wrap">
            <CodeText text={sourceOf(setting, t)} />
          </span>
          {!isReadOnly && setting.source === 'user file' ? (
            <IconButton
              label={t.reset(name)}
              icon={RotateCcw}
              onClick={() => onChange({ setting, value: null, name })}
            />
          ) : null}
        </div>
      </div>
    </li>
  );
});

/** The name and the hint of a setting, if the catalogue has them. */
export function nameOf(key: string, t: SettingsText): SettingName | undefined {
  return (t.names as Readonly<Record<string, SettingName>>)[key];
}

function ReadOnlyValue({ setting }: { setting: SettingView }) {
  const t = useSettingsText();
  return (
    <>
      <output className="mono wrap setting-fixed" aria-label={t.value}>
        {setting.value}
      </output>
      <p className="small line setting-lock">
        <Lock size={12} aria-hidden />
        <span className="grow">
          <CodeText text={t.lock[setting.lock ?? 'machine']} />
        </span>
      </p>
    </>
  );
}

/** Where a value comes from, and what applies without one. */
function sourceOf({ key, source, where, unset, data, lock }: SettingView, t: SettingsText): string {
  const names: Readonly<Record<string, string>> = t.source;
  const words = [names[source] ?? source, ...(where === undefined ? [] : [where])].join(': ');
  const applies = nameOf(key, t)?.unset ?? unset;
  return data === null && applies !== undefined && lock === undefined ? `${words} · ${applies}` : words;
}
