import type { KeyTest, ProviderKeysView } from '@klaus/server/contract';
import { useId, useRef, useState } from 'react';
import { client } from '../state/client.ts';
import { reloadSettings } from '../state/host.ts';
import { useSettingsText } from '../text/settings/settings-text.ts';
import { useText } from '../text/text.ts';
import { Button } from '../ui/button.tsx';
import { toReason } from '../ui/empty.tsx';

interface KeyFormProps {
  provider: Pick<ProviderKeysView, 'provider' | 'title'>;
  /** Called with the provider after a key was stored. */
  onStored: (provider: ProviderKeysView, test: KeyTest) => void;
  onCancel?: () => void;
}

/** The field for a key. The key is tested first; if the test fails, the reason is shown, and it can be saved anyway. */
export function KeyForm({ provider: { provider, title }, onStored, onCancel }: KeyFormProps) {
  const t = useSettingsText();
  const words = useText();
  const [key, setKey] = useState('');
  const [isTesting, setTesting] = useState(false);
  const [failure, setFailure] = useState<{ title: string; reason: string; canForce: boolean }>();
  const field = useRef<HTMLInputElement>(null);
  const id = useId();
  const save = async (force: boolean) => {
    if (key.trim() === '') {
      setFailure({ title: t.key.empty, reason: '', canForce: false });
      field.current?.focus();
      return;
    }
    setTesting(true);
    setFailure(undefined);
    try {
      const answer = await client.setKey({ params: { provider }, body: { key, force } });
      if (answer.isStored) {
        // The key does not stay in the memory of the page.
        setKey('');
        await reloadSettings();
        onStored(answer.provider, answer.test);
        return;
      }
      const what = answer.test.result === 'refused' ? t.key.refused(title) : t.key.unknown;
      setFailure({ title: what, reason: answer.test.message ?? '', canForce: true });
    } catch (error) {
      setFailure({ title: t.key.unknown, reason: toReason(error), canForce: false });
    } finally {
      setTesting(false);
    }
    field.current?.focus();
  };
  return (
    <form
      className="key-form column"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        void save(false);
      }}
    >
      <label htmlFor={`${id}-key`}>{t.key.label(title)}</label>
      <div className="key-field line">
        <input
          ref={field}
          id={`${id}-key`}
          className="field mono"
          type="password"
          autoComplete="off"
          autoCapitalize="off"
          spellCheck={false}
          maxLength={4_096}
          aria-invalid={failure !== undefined}
          aria-describedby={`${id}-hint ${id}-error`}
          value={key}
          onChange={({ target }) => setKey(target.value)}
        />
        <Button type="submit" variant={key.trim() === '' ? 'plain' : 'primary'} disabled={isTesting}>
          {t.key.save}
        </Button>
        {onCancel ? <Button onClick={onCancel}>{words.app.cancel}</Button> : null}
      </div>
      <p id={`${id}-hint`} className="small muted" role="status">
        {isTesting ? t.key.testing : t.key.hint}
      </p>
      <div id={`${id}-error`} role="alert" className="column key-failure">
        {failure ? (
          <>
            <p className="bad">{failure.title}</p>
            {failure.reason === '' ? null : <p className="wrap">{failure.reason}</p>}
            {failure.canForce ? (
              <Button onClick={() => void save(true)} disabled={isTesting}>
                {t.key.saveAnyway}
              </Button>
            ) : null}
          </>
        ) : null}
      </div>
    </form>
  );
}
