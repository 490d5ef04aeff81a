import type { ReactNode } from 'react';
import { host } from '../state/host.ts';
import { useStore } from '../state/store.ts';
import { useAgentsText } from '../text/agents-text.ts';

interface FieldNames {
  id: string;
  'aria-invalid': boolean;
  'aria-describedby': string;
}

interface FieldProps {
  id: string;
  label: string;
  hint?: string;
  error?: string;
  children: (names: FieldNames) => ReactNode;
}

export function Field({ id, label, hint, error, children }: FieldProps) {
  const own = `agent-${id}`;
  return (
    <div className="column agent-field">
      <label htmlFor={own}>{label}</label>
      {children({ id: own, 'aria-invalid': error !== undefined, 'aria-describedby': `${own}-hint ${own}-error` })}
      {hint === undefined ? null : (
        <span id={`${own}-hint`} className="small muted">
          {hint}
        </span>
      )}
      <FieldError id={`${own}-error`} error={error} />
    </div>
  );
}

function FieldError({ id, error }: { id: string; error: string | undefined }) {
  return (
    <span id={id} role="alert" className="small bad wrap">
      {error}
    </span>
  );
}

export function ModelSelect({
  model,
  onModel,
  ...names
}: FieldNames & { model: string; onModel: (model: string) => void }) {
  const t = useAgentsText();
  const { models } = useStore(host);
  const known = models.filter(({ usable }) => usable).map(({ name }) => name);
  return (
    <select {...names} className="field" value={model} onChange={({ target }) => onModel(target.value)}>
      <option value="">{t.fields.modelDefault}</option>
      {[...(model === '' || known.includes(model) ? [] : [model]), ...known].map((name) => (
        <option key={name}>{name}</option>
      ))}
    </select>
  );
}

interface CapabilityProps {
  capabilities: readonly string[];
  error: string | undefined;
  onChange: (capabilities: string[]) => void;
}

export function CapabilityBoxes({ capabilities, error, onChange }: CapabilityProps) {
  const t = useAgentsText();
  const texts: Readonly<Record<string, string>> = t.capability;
  return (
    <fieldset className="column agent-capabilities" aria-describedby="agent-capabilities-hint agent-capabilities-error">
      <legend>{t.capabilities}</legend>
      <p id="agent-capabilities-hint" className="small muted">
        {t.capabilitiesHint}
      </p>
      {[...new Set([...Object.keys(texts), ...capabilities])].map((name) => (
        <div key={name}>
          <label className="check line">
            <input
              type="checkbox"
              checked={capabilities.includes(name)}
              aria-describedby={`agent-can-${name}`}
              onChange={({ target }) =>
                onChange(target.checked ? [...capabilities, name] : capabilities.filter((it) => it !== name))
              }
            />
            {texts[name] ?? name}
          </label>
          {texts[name] === undefined ? null : (
            <p id={`agent-can-${name}`} className="check-hint muted mono">
              {name}
            </p>
          )}
        </div>
      ))}
      <FieldError id="agent-capabilities-error" error={error} />
    </fieldset>
  );
}
