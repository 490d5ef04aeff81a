import type { SettingView } from '@klaus/server/contract';
import { useEffect, useRef, useState, type KeyboardEvent } from 'react';
import { host } from '../state/host.ts';
import { useStore } from '../state/store.ts';
import { useSettingsText } from '../text/settings/settings-text.ts';
import { useText } from '../text/text.ts';
import { FolderControl } from './folder-control.tsx';
import type { SettingData } from './use-settings.ts';

interface ControlProps {
  id: string;
  name: string;
  setting: SettingView;
  describedBy: string;
  onChange: (value: SettingData) => void;
}

const TIERS = ['opus', 'sonnet', 'haiku'] as const;

/** The field of a setting that can be changed, by the kind of its value. */
export function SettingControl(props: ControlProps) {
  const { setting, describedBy, id, onChange } = props;
  const { input, data } = setting;
  const common = { id, 'aria-describedby': describedBy };
  if (setting.key === 'model') return <ModelChoice {...props} />;
  const provider = /^tiers\.(?!ai\.)(\w+)\./.exec(setting.key)?.[1];
  if (provider !== undefined) return <ModelOfProvider {...props} provider={provider} />;
  if (input.kind === 'boolean')
    return (
      <input
        {...common}
        type="checkbox"
        role="switch"
        className="switch"
        checked={data === true}
        onChange={({ target }) => onChange(target.checked)}
      />
    );
  if (input.kind === 'choice') return <Choice {...props} options={input.options} />;
  if (setting.key === 'sandbox.folders' && Array.isArray(data))
    return <FolderControl {...{ id, describedBy, onChange }} entries={data.map(String)} />;
  if (input.kind === 'list') return <TextField {...props} isList />;
  return <TextField {...props} />;
}

function Choice({ id, setting, describedBy, options, onChange }: ControlProps & { options: readonly string[] }) {
  const t = useSettingsText();
  const words = useText();
  const isMode = setting.key === 'approve';
  const names: Readonly<Record<string, string>> = isMode ? words.composer.modeNames : {};
  return (
    <select
      id={id}
      aria-describedby={describedBy}
      className="field"
      value={typeof setting.data === 'string' ? setting.data : ''}
      onChange={({ target }) => onChange(target.value === '' ? null : target.value)}
    >
      {setting.fallback === null ? <option value="">{t.notSet}</option> : null}
      {options.map((option) => (
        <option key={option} value={option}>
          {names[option] ?? option}
        </option>
      ))}
    </select>
  );
}

/** A tier, or a model whose provider has a key. */
function ModelChoice({ id, setting, describedBy, onChange }: ControlProps) {
  const t = useSettingsText();
  const { models } = useStore(host);
  const current = toFieldText(setting.data);
  const known = models.filter(({ usable }) => usable).map(({ name }) => name);
  const isOther = !known.includes(current) && !TIERS.some((tier) => tier === current);
  return (
    <select
      id={id}
      aria-describedby={describedBy}
      className="field"
      value={current}
      onChange={({ target }) => onChange(target.value)}
    >
      {TIERS.map((tier) => (
        <option key={tier} value={tier}>
          {`${tier} · ${t.tiers[tier]}`}
        </option>
      ))}
      {[...(isOther ? [current] : []), ...known].map((name) => (
        <option key={name} value={name}>
          {name}
        </option>
      ))}
    </select>
  );
}

/** A model of a provider by its id. */
function ModelOfProvider({ id, setting, describedBy, provider, onChange }: ControlProps & { provider: string }) {
  const t = useSettingsText();
  const { models } = useStore(host);
  const current = toFieldText(setting.data);
  const ids = models.filter((model) => model.provider === provider).map(({ name }) => name.slice(provider.length + 1));
  return (
    <select
      id={id}
      aria-describedby={describedBy}
      className="field"
      value={current}
      onChange={({ target }) => onChange(target.value === '' ? null : target.value)}
    >
      <option value="">{t.notSet}</option>
      {[...(current === '' || ids.includes(current) ? [] : [current]), ...ids].map((model) => (
        <option key={model}>{model}</option>
      ))}
    </select>
  );
}

/** A text, number or list. It is saved when the field loses the focus, and by Enter. Escape restores the value. */
function TextField({ id, setting, describedBy, isList = false, onChange }: ControlProps & { isList?: boolean }) {
  const stored = toFieldText(setting.data);
  const [text, setText] = useState(stored);
  const isLeaving = useRef(false);
  useEffect(() => setText(stored), [stored]);
  const { input } = setting;
  const save = () => {
    if (isLeaving.current || text === stored) return;
    onChange(toData(text, setting));
  };
  const onKeyDown = (event: KeyboardEvent<HTMLElement>) => {
    if (event.key === 'Enter' && !isList) save();
    if (event.key !== 'Escape') return;
    event.stopPropagation();
    setText(stored);
  };
  const common = {
    id,
    'aria-describedby': describedBy,
    value: text,
    autoComplete: 'off',
    spellCheck: false,
    placeholder: toFieldText(setting.fallback),
    onBlur: save,
    onKeyDown,
  };
  if (isList)
    return (
      <textarea
        {...common}
        className="field mono"
        rows={Math.min(8, Math.max(2, text.split('\n').length))}
        onChange={({ target }) => setText(target.value)}
      />
    );
  const bounds = input.kind === 'number' ? { min: input.least, max: input.most } : {};
  return (
    <input
      {...common}
      {...bounds}
      className={`field ${input.kind === 'number' ? 'number' : 'mono'}`}
      type={input.kind === 'number' ? 'number' : 'text'}
      {...(input.kind === 'number' ? { step: input.isInteger ? 1 : 'any', inputMode: 'decimal' as const } : {})}
      onChange={({ target }) => setText(target.value)}
    />
  );
}

function toFieldText(data: unknown): string {
  if (Array.isArray(data)) return data.join('\n');
  return typeof data === 'string' || typeof data === 'number' ? String(data) : '';
}

/** An empty field removes the value. */
function toData(text: string, { input }: SettingView): SettingData {
  if (text.trim() === '') return null;
  if (input.kind === 'number') return Number(text);
  if (input.kind !== 'list') return text.trim();
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
}
