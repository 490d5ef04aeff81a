import { useState } from 'react';
import { client } from '../../state/client.ts';
import { showToast } from '../../state/toasts.ts';
import { useSettingsText } from '../../text/settings/settings-text.ts';
import { Button } from '../../ui/button.tsx';
import { toReason } from '../../ui/empty.tsx';
import { FormField, TextField } from '../form-field.tsx';
import { readPairs, splitCommand } from './split-command.ts';

/** Adds a program or an address. Nothing is started. */
export function AddForm({ workspace, onAdded }: { workspace: string | undefined; onAdded: () => void }) {
  const t = useSettingsText();
  const [name, setName] = useState('');
  const [isProgram, setProgram] = useState(true);
  const [place, setPlace] = useState('');
  const [pairs, setPairs] = useState('');
  const [isSse, setSse] = useState(false);
  const [from, setFrom] = useState<'user' | 'project'>('user');
  const [failure, setFailure] = useState<string>();
  const save = async () => {
    const read = readPairs(pairs, isProgram ? '=' : ':');
    // A line can contain a secret: only its beginning is shown.
    if (read.wrong !== undefined) return setFailure(t.mcp.wrongPair(`${read.wrong.slice(0, 8)}…`));
    setFailure(undefined);
    const given = Object.keys(read.pairs).length === 0 ? {} : { [isProgram ? 'env' : 'headers']: read.pairs };
    const [command = '', ...args] = splitCommand(place);
    const server = isProgram
      ? { command, args, ...given }
      : { type: isSse ? ('sse' as const) : ('http' as const), url: place.trim(), ...given };
    try {
      await client.addMcpServer({ query: { workspace }, body: { name: name.trim(), from, server } });
    } catch (error) {
      return setFailure(toReason(error));
    }
    showToast({ kind: 'info', text: t.mcp.added(name.trim()), lastsMs: 6_000 });
    // Secrets do not stay in the memory of the page.
    for (const clear of [setName, setPlace, setPairs]) clear('');
    return onAdded();
  };
  const choose = (next: boolean) => {
    setProgram(next);
    setPlace('');
    setPairs('');
  };
  return (
    <form
      className="note-form server-form column"
      aria-label={t.mcp.add}
      onSubmit={(event) => {
        event.preventDefault();
        void save();
      }}
    >
      <h3>{t.mcp.add}</h3>
      <div className="segments" role="group" aria-label={t.mcp.kind}>
        {[true, false].map((each) => (
          <button key={String(each)} type="button" aria-pressed={isProgram === each} onClick={() => choose(each)}>
            {each ? t.mcp.program : t.mcp.remote}
          </button>
        ))}
      </div>
      <TextField label={t.mcp.name} hint={t.mcp.nameHint} required maxLength={48} value={name} onChange={setName} />
      {isProgram ? (
        <TextField
          label={t.mcp.commandLine}
          hint={t.mcp.commandHint}
          required
          rows={2}
          value={place}
          onChange={setPlace}
        />
      ) : (
        <TextField label={t.mcp.url} required value={place} onChange={setPlace} />
      )}
      <TextField
        label={isProgram ? t.mcp.env : t.mcp.headers}
        hint={isProgram ? t.mcp.envHint : t.mcp.headersHint}
        rows={2}
        value={pairs}
        onChange={setPairs}
      />
      {isProgram ? null : (
        <label className="line check">
          <input type="checkbox" checked={isSse} onChange={({ target }) => setSse(target.checked)} />
          {t.mcp.sse}
        </label>
      )}
      <FormField label={t.mcp.scope}>
        {(ids) => (
          <select
            {...ids}
            className="field"
            value={from}
            onChange={({ target }) => setFrom(target.value as typeof from)}
          >
            <option value="user">{t.mcp.user}</option>
            <option value="project">{t.mcp.project}</option>
          </select>
        )}
      </FormField>
      <div role="alert">{failure === undefined ? null : <p className="bad wrap">{failure}</p>}</div>
      <div>
        <Button needs="admin" type="submit">
          {t.mcp.save}
        </Button>
      </div>
    </form>
  );
}
