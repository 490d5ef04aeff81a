import type { KeyTest, ProviderKeysView } from '@klaus/server/contract';
import { CircleAlert, CircleCheck, CircleDashed } from 'lucide-react';
import { useState } from 'react';
import { attempt } from '../actions/attempt.ts';
import { client } from '../state/client.ts';
import { reloadSettings } from '../state/host.ts';
import { showToast } from '../state/toasts.ts';
import { formatAgo } from '../text/format.ts';
import type { SettingsText } from '../text/settings/en-settings.ts';
import { useSettingsText } from '../text/settings/settings-text.ts';
import { Button } from '../ui/button.tsx';
import { Pending } from '../ui/empty.tsx';
import { useQuery } from '../ui/use-query.ts';
import { KeyForm } from './key-form.tsx';
import { RemoveDialog } from './remove-dialog.tsx';

/** The providers with their keys. */
export function KeysSection() {
  const t = useSettingsText();
  const query = useQuery('keys', (signal) => client.keys({ signal }));
  const [changed, setChanged] = useState<ReadonlyMap<string, ProviderKeysView>>(new Map());
  const put = (provider: ProviderKeysView) => setChanged((all) => new Map(all).set(provider.provider, provider));
  const providers = (query.value?.providers ?? []).map((each) => changed.get(each.provider) ?? each);
  return (
    <>
      <Pending query={query} title={t.key.failed} rows={6} />
      <ul className="settings-rows">
        {providers.map((provider) => (
          <Provider key={provider.provider} provider={provider} onChange={put} />
        ))}
      </ul>
    </>
  );
}

interface ProviderProps {
  provider: ProviderKeysView;
  onChange: (provider: ProviderKeysView) => void;
}

function Provider({ provider, onChange }: ProviderProps) {
  const t = useSettingsText();
  const [isEditing, setEditing] = useState(false);
  const [isRemoving, setRemoving] = useState(false);
  const [isTesting, setTesting] = useState(false);
  const [said, setSaid] = useState('');
  const { title, source } = provider;
  const params = { provider: provider.provider };
  const test = async () => {
    setTesting(true);
    const answer = await attempt(() => client.testKey({ params }));
    setTesting(false);
    if (!answer) return;
    onChange({ ...provider, test: answer.test });
    setSaid(toTestTitle(answer.test, title, t));
  };
  const remove = async () => {
    setRemoving(false);
    const answer = await attempt(() => client.removeKey({ params }));
    if (!answer) return;
    onChange(answer.provider);
    showToast({ kind: 'info', text: t.key.removed(title), lastsMs: 6_000 });
    await reloadSettings();
  };
  const stored = (next: ProviderKeysView, result: KeyTest) => {
    setEditing(false);
    onChange(next);
    setSaid(toStoredText(next, result, t));
  };
  return (
    <li className="provider column" data-provider={provider.provider}>
      <div className="line provider-head">
        {source === null ? (
          <CircleDashed size={16} aria-hidden className="muted" />
        ) : provider.test?.result === 'refused' ? (
          <CircleAlert size={16} aria-hidden className="bad" />
        ) : (
          <CircleCheck size={16} aria-hidden className="good" />
        )}
        <div className="grow column">
          <h3>{title}</h3>
          <ProviderFacts provider={provider} isTesting={isTesting} />
        </div>
        {source === null || isEditing ? null : (
          <div className="line provider-actions">
            <Button onClick={() => void test()} disabled={isTesting} aria-label={`${t.key.test}: ${title}`}>
              {t.key.test}
            </Button>
            <Button onClick={() => setEditing(true)} aria-label={`${t.key.replace}: ${title}`}>
              {t.key.replace}
            </Button>
            {provider.stored === null ? null : (
              <Button variant="danger" onClick={() => setRemoving(true)} aria-label={`${t.key.remove}: ${title}`}>
                {t.key.remove}
              </Button>
            )}
          </div>
        )}
      </div>
      <p role="status" className={said === '' ? 'unseen' : 'small'}>
        {said}
      </p>
      {source === null || isEditing ? (
        <KeyForm provider={provider} onStored={stored} {...(isEditing ? { onCancel: () => setEditing(false) } : {})} />
      ) : null}
      {isRemoving ? (
        <RemoveDialog
          title={t.key.removeTitle(title)}
          text={t.key.removeText}
          action={t.key.remove}
          onClose={() => setRemoving(false)}
          onRemove={() => void remove()}
        />
      ) : null}
    </li>
  );
}

function ProviderFacts({ provider, isTesting }: { provider: ProviderKeysView; isTesting: boolean }) {
  const t = useSettingsText();
  const { title, source, where, stored, test, variables } = provider;
  if (source === null) {
    return (
      <p className="small muted wrap">
        {t.key.missing} · {variables.join(', ')}
      </p>
    );
  }
  const names: Readonly<Record<string, string>> = t.source;
  const from = [names[source] ?? source, ...(where === null ? [] : [where])].join(': ');
  const isOverridden = stored !== null && source !== 'keyring' && source !== 'key file';
  return (
    <>
      <p className="small muted wrap">
        {t.key.set} · {t.key.from(from)}
      </p>
      {isOverridden ? <p className="small warn">{t.key.overridden}</p> : null}
      {isTesting ? <p className="small muted">{t.key.testing}</p> : null}
      {test && !isTesting ? (
        <p className={`small wrap ${test.result === 'accepted' ? 'good' : 'bad'}`}>
          {toTestTitle(test, title, t)} · {t.key.tested(formatAgo(test.at, Date.now()))}
          {test.message === null ? '' : `: ${test.message}`}
        </p>
      ) : null}
    </>
  );
}

function toTestTitle({ result }: KeyTest, title: string, t: SettingsText): string {
  if (result === 'accepted') return t.key.accepted(title);
  return result === 'refused' ? t.key.refused(title) : t.key.unknown;
}

/** What happened to a key that was stored. */
export function toStoredText({ title, source, where }: ProviderKeysView, { result }: KeyTest, t: SettingsText): string {
  if (source !== 'keyring' && source !== 'key file') return t.key.stronger(where ?? source ?? '');
  return result === 'accepted' ? t.key.stored(title) : t.key.storedUntested(title);
}
