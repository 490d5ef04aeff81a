import type { ModelServerTest, ModelServerView } from '@klaus/server/contract';
import { useState } from 'react';
import { client } from '../../state/client.ts';
import { reloadSettings } from '../../state/host.ts';
import { showToast } from '../../state/toasts.ts';
import { useSettingsText } from '../../text/settings/settings-text.ts';
import { useText } from '../../text/text.ts';
import { Button } from '../../ui/button.tsx';
import { toReason } from '../../ui/empty.tsx';
import { FormField, PLAIN_FIELD, TextField } from '../form-field.tsx';

type Wire = ModelServerView['wire'];
const WIRES: readonly Wire[] = ['chat', 'responses', 'messages'];

interface Draft {
  name: string;
  baseUrl: string;
  wire: Wire;
  key: string;
  model: string;
  isDefault: boolean;
}

const EMPTY: Draft = { name: '', baseUrl: '', wire: 'chat', key: '', model: '', isDefault: false };

interface ServerFormProps {
  /** True if there is no model yet: its model becomes the default. */
  isFirst?: boolean;
  onStored: () => void;
  onCancel?: () => void;
}

/** A compatible server: it is tested, and then stored as an entry of `servers`. */
export function ServerForm({ isFirst = false, onStored, onCancel }: ServerFormProps) {
  const t = useSettingsText();
  const words = useText();
  const [draft, setDraft] = useState<Draft>({ ...EMPTY, isDefault: isFirst });
  const { name, baseUrl, wire, key, model, isDefault } = draft;
  const [isBusy, setBusy] = useState(false);
  const [test, setTest] = useState<ModelServerTest>();
  const [failure, setFailure] = useState<string>();
  const server = {
    ...{ baseUrl: baseUrl.trim(), wire },
    ...(key.trim() === '' ? {} : { key: key.trim() }),
    ...(model.trim() === '' ? {} : { model: model.trim() }),
  };
  const run = async (work: () => Promise<ModelServerTest | undefined>) => {
    setBusy(true);
    setFailure(undefined);
    try {
      setTest(await work());
    } catch (error) {
      setTest(undefined);
      setFailure(toReason(error));
    } finally {
      setBusy(false);
    }
  };
  const save = (force: boolean) =>
    run(async () => {
      const given = { ...server, name: name.trim(), isDefault: isDefault && model.trim() !== '', force };
      const answer = await client.addModelServer({ body: given });
      if (!answer.isStored) return answer.test;
      // The key does not stay in the memory of the page.
      setDraft({ ...draft, key: '' });
      await reloadSettings();
      showToast({ kind: 'info', text: t.models.stored(name.trim()), lastsMs: 10_000 });
      onStored();
      return undefined;
    });
  const tryIt = () => run(() => client.tryModelServer({ body: server }));
  return (
    <form
      className="server-form column"
      aria-label={t.models.add}
      onSubmit={(event) => {
        event.preventDefault();
        void save(false);
      }}
    >
      <ServerFields draft={draft} onChange={setDraft} models={test?.models ?? []} />
      <div className="line form-actions">
        <Button type="submit" needs="admin" variant="primary" disabled={isBusy}>
          {t.models.save}
        </Button>
        <Button needs="admin" disabled={isBusy || baseUrl.trim() === ''} onClick={() => void tryIt()}>
          {t.models.test}
        </Button>
        {onCancel ? <Button onClick={onCancel}>{words.app.cancel}</Button> : null}
      </div>
      <p role="status" className={isBusy || test ? 'small wrap' : 'unseen'}>
        {isBusy ? t.models.testing : test ? <TestText test={test} /> : ''}
      </p>
      <div role="alert" className="column key-failure">
        {failure === undefined ? null : <p className="bad wrap">{failure}</p>}
        {test && test.result !== 'accepted' && !isBusy ? (
          <Button disabled={name.trim() === ''} onClick={() => void save(true)}>
            {t.models.saveAnyway}
          </Button>
        ) : null}
      </div>
    </form>
  );
}

interface ServerFieldsProps {
  draft: Draft;
  onChange: (draft: Draft) => void;
  /** Ids that are offered for the model. */
  models: readonly string[];
}

function ServerFields({ draft, onChange, models }: ServerFieldsProps) {
  const t = useSettingsText();
  const change = (part: Partial<Draft>) => onChange({ ...draft, ...part });
  return (
    <>
      <TextField
        label={t.models.name}
        hint={t.models.nameHint}
        required
        maxLength={100}
        value={draft.name}
        onChange={(name) => change({ name })}
      />
      <TextField
        label={t.models.baseUrl}
        hint={t.models.baseUrlHint}
        required
        type="url"
        maxLength={8_192}
        value={draft.baseUrl}
        onChange={(baseUrl) => change({ baseUrl })}
      />
      <FormField label={t.models.wire}>
        {(ids) => (
          <select
            {...ids}
            className="field"
            value={draft.wire}
            onChange={({ target }) => change({ wire: target.value as Wire })}
          >
            {WIRES.map((each) => (
              <option key={each} value={each}>
                {t.models.wires[each]}
              </option>
            ))}
          </select>
        )}
      </FormField>
      <TextField
        label={t.models.key}
        hint={t.models.keyHint}
        type="password"
        maxLength={4_096}
        value={draft.key}
        onChange={(key) => change({ key })}
      />
      <FormField label={t.models.model} hint={t.models.modelHint}>
        {(ids) => (
          <>
            <input
              {...ids}
              {...PLAIN_FIELD}
              list={`${ids.id}-models`}
              maxLength={500}
              value={draft.model}
              onChange={({ target }) => change({ model: target.value })}
            />
            <datalist id={`${ids.id}-models`}>
              {models.map((each) => (
                <option key={each} value={each} />
              ))}
            </datalist>
          </>
        )}
      </FormField>
      <label className="line check">
        <input
          type="checkbox"
          checked={draft.isDefault}
          onChange={({ target }) => change({ isDefault: target.checked })}
        />
        {t.models.isDefault}
      </label>
    </>
  );
}

/** The result of a test, with the models that the server lists. */
export function TestText({ test: { result, message, models } }: { test: ModelServerTest }) {
  const t = useSettingsText();
  const shown = models.slice(0, 5).join(', ');
  return (
    <span className={result === 'accepted' ? 'good' : 'bad'}>
      {t.models[result]}
      {message === null ? '' : `: ${message}`}
      {models.length === 0 ? '' : ` · ${t.models.found(models.length)}: ${shown}${models.length > 5 ? '…' : ''}`}
    </span>
  );
}
