import type { NoteView } from '@klaus/server/contract';
import { Trash2 } from 'lucide-react';
import { useState } from 'react';
import { attempt } from '../actions/attempt.ts';
import { client } from '../state/client.ts';
import { host } from '../state/host.ts';
import { useStore } from '../state/store.ts';
import { showToast } from '../state/toasts.ts';
import { formatAgo } from '../text/format.ts';
import { useSettingsText } from '../text/settings/settings-text.ts';
import { useText } from '../text/text.ts';
import { Button, IconButton } from '../ui/button.tsx';
import { Empty, Pending } from '../ui/empty.tsx';
import { useQuery } from '../ui/use-query.ts';

/** The notes about a workspace. A deleted note can be restored while its message is shown. */
export function MemorySection() {
  const t = useSettingsText();
  const { settings } = useStore(host);
  const folders = useQuery('workspaces', (signal) => client.workspaces({ signal }));
  const [chosen, setChosen] = useState<string>();
  const workspace = chosen ?? settings?.workspace;
  const query = { workspace };
  const notes = useQuery(`memory ${workspace}`, (signal) => client.memory({ query }, { signal }));
  const remove = async ({ key, scope, value, category }: NoteView) => {
    if (!(await attempt(() => client.removeNote({ params: { key, scope }, query })))) return;
    notes.refetch();
    const restore = async () => {
      await attempt(() => client.setNote({ query, body: { key, value, scope, category } }));
      notes.refetch();
    };
    const action = { label: words.sessions.undo, run: () => void restore() };
    showToast({ kind: 'info', text: t.memory.removed(key), lastsMs: 10_000, action });
  };
  const words = useText();
  const shown = folders.value?.workspaces.filter(({ exists }) => exists) ?? [];
  return (
    <div className="memory column">
      {shown.length > 1 ? (
        <label className="line memory-folder">
          {t.memory.workspace}
          <select className="field" value={workspace} onChange={({ target }) => setChosen(target.value)}>
            {shown.map(({ path }) => (
              <option key={path}>{path}</option>
            ))}
          </select>
        </label>
      ) : null}
      <Pending query={notes} title={t.memory.failed} rows={3} />
      {notes.value?.notes.length === 0 ? <Empty title={t.memory.empty} hint={t.memory.emptyHint} /> : null}
      <ul className="settings-rows">
        {notes.value?.notes.map((note) => (
          <Note key={`${note.scope} ${note.key}`} note={note} onRemove={() => void remove(note)} />
        ))}
      </ul>
      <NoteForm workspace={workspace} onSaved={notes.refetch} />
    </div>
  );
}

function Note({ note, onRemove }: { note: NoteView; onRemove: () => void }) {
  const t = useSettingsText();
  const { key, value, scope, session, updatedAt } = note;
  const facts = [
    t.memory[scope],
    session === null ? t.memory.user : t.memory.session,
    formatAgo(updatedAt, Date.now()),
  ];
  return (
    <li className="line note">
      <div className="grow column">
        <strong dir="auto" className="wrap">
          {key}
        </strong>
        <p className="wrap" dir="auto">
          {value}
        </p>
        <p className="small muted">{facts.join(' · ')}</p>
      </div>
      <IconButton needs="operator" label={t.memory.remove(key)} icon={Trash2} onClick={onRemove} />
    </li>
  );
}

function NoteForm({ workspace, onSaved }: { workspace: string | undefined; onSaved: () => void }) {
  const t = useSettingsText();
  const [key, setKey] = useState('');
  const [value, setValue] = useState('');
  const [scope, setScope] = useState<NoteView['scope']>('project');
  const save = async () => {
    const body = { key: key.trim(), value: value.trim(), scope };
    if (!(await attempt(() => client.setNote({ query: { workspace }, body })))) return;
    setKey('');
    setValue('');
    onSaved();
  };
  return (
    <form
      className="note-form column"
      aria-label={t.memory.add}
      onSubmit={(event) => {
        event.preventDefault();
        void save();
      }}
    >
      <h3>{t.memory.add}</h3>
      <label className="column">
        {t.memory.key}
        <input className="field" required maxLength={200} value={key} onChange={({ target }) => setKey(target.value)} />
      </label>
      <label className="column">
        {t.memory.value}
        <textarea
          className="field"
          required
          rows={2}
          maxLength={4_000}
          value={value}
          onChange={({ target }) => setValue(target.value)}
        />
      </label>
      <label className="column">
        {t.memory.scope}
        <select className="field" value={scope} onChange={({ target }) => setScope(target.value as NoteView['scope'])}>
          <option value="project">{t.memory.project}</option>
          <option value="global">{t.memory.global}</option>
        </select>
      </label>
      <div>
        <Button needs="operator" type="submit">
          {t.memory.save}
        </Button>
      </div>
    </form>
  );
}
