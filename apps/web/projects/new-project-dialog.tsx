import type { CloneView } from '@klaus/server/contract';
import { useState } from 'react';
import { client } from '../state/client.ts';
import { filters } from '../state/filters.ts';
import { host } from '../state/host.ts';
import { closeOverlay } from '../state/overlay.ts';
import { useStore } from '../state/store.ts';
import { useListsText } from '../text/lists/lists-text.ts';
import { useText } from '../text/text.ts';
import { CodeText } from '../ui/code-text.tsx';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { toReason } from '../ui/empty.tsx';
import { CloneProgress } from './clone-progress.tsx';
import { openProject } from './open-project.ts';
import { parentOf } from './project-path.ts';
import './projects.css';

const SOURCES = ['folder', 'git'] as const;

/** Adds a folder of the server as a project, or clones a repository. */
export function NewProjectDialog() {
  const t = useListsText().projects;
  const [source, setSource] = useState<(typeof SOURCES)[number]>('folder');
  const [clone, setClone] = useState<CloneView | undefined>();
  return (
    <Dialog title={t.new} onClose={closeOverlay} className="new-project">
      {clone ? (
        <CloneProgress first={clone} onAgain={() => setClone(undefined)} />
      ) : (
        <div className="dialog-body column">
          <p className="muted small">
            <CodeText text={t.limits} />
          </p>
          <div className="segments" role="group" aria-label={t.from}>
            {SOURCES.map((it) => (
              <button key={it} type="button" aria-pressed={it === source} onClick={() => setSource(it)}>
                {it === 'folder' ? t.fromFolder : t.fromGit}
              </button>
            ))}
          </div>
          {source === 'folder' ? <FolderForm /> : <GitForm onStart={setClone} />}
        </div>
      )}
    </Dialog>
  );
}

/** The folder beside which a new project probably belongs. */
function useParent(): string {
  const { settings } = useStore(host);
  const { project } = useStore(filters);
  const workspace = settings?.workspace ?? '';
  return project === undefined || project === workspace ? workspace : parentOf(project);
}

function FolderForm() {
  const t = useListsText().projects;
  const parent = useParent();
  const [path, setPath] = useState(() => (parent === '' ? '' : `${parent}/`));
  const [create, setCreate] = useState(true);
  const { isBusy, error, run } = useRequest();
  const submit = () =>
    run(async () => {
      const added = await client.addProject({ body: { path: path.trim(), create } });
      closeOverlay();
      openProject(added.path);
    });
  return (
    <form
      className="column"
      onSubmit={(event) => {
        event.preventDefault();
        void submit();
      }}
    >
      <Field label={t.path} hint={t.pathHint} value={path} onChange={setPath} error={error} isFirst />
      <label className="check line">
        <input type="checkbox" checked={create} onChange={(event) => setCreate(event.target.checked)} />
        {t.createMissing}
      </label>
      <Foot label={t.add} isDisabled={isBusy || path.trim() === ''} />
    </form>
  );
}

function GitForm({ onStart }: { onStart: (clone: CloneView) => void }) {
  const t = useListsText().projects;
  const first = useParent();
  const [url, setUrl] = useState('');
  const [parent, setParent] = useState(first);
  const [name, setName] = useState('');
  const { isBusy, error, run } = useRequest();
  const submit = () =>
    run(async () => {
      const given = name.trim() === '' ? {} : { name: name.trim() };
      onStart(await client.startClone({ body: { url: url.trim(), parent: parent.trim(), ...given } }));
    });
  return (
    <form
      className="column"
      onSubmit={(event) => {
        event.preventDefault();
        void submit();
      }}
    >
      <Field label={t.url} hint={t.urlHint} value={url} onChange={setUrl} error={error} isFirst />
      <Field label={t.parent} value={parent} onChange={setParent} />
      <Field label={t.name} hint={t.nameHint} value={name} onChange={setName} />
      <Foot label={t.clone} isDisabled={isBusy || url.trim() === '' || parent.trim() === ''} />
    </form>
  );
}

/** A request whose failure is shown at the field. */
function useRequest() {
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>();
  const run = async (work: () => Promise<void>) => {
    setBusy(true);
    setError(undefined);
    try {
      await work();
    } catch (failure) {
      setError(failure);
    }
    setBusy(false);
  };
  return { isBusy, error, run };
}

interface FieldProps {
  label: string;
  hint?: string;
  value: string;
  onChange: (value: string) => void;
  error?: unknown;
  isFirst?: boolean;
}

function Field({ label, hint, value, onChange, error, isFirst = false }: FieldProps) {
  return (
    <label className="column project-field">
      <span className="label">{label}</span>
      <input
        className="field mono"
        value={value}
        onChange={(event) => onChange(event.target.value)}
        data-first={isFirst ? '' : undefined}
        aria-invalid={error === undefined ? undefined : true}
        autoComplete="off"
        autoCapitalize="off"
        spellCheck={false}
        dir="ltr"
      />
      {hint === undefined ? null : (
        <small className="muted">
          <CodeText text={hint} />
        </small>
      )}
      {error === undefined ? null : (
        <span role="alert" className="bad">
          <CodeText text={toReason(error)} />
        </span>
      )}
    </label>
  );
}

function Foot({ label, isDisabled }: { label: string; isDisabled: boolean }) {
  const t = useText();
  return (
    <div className="dialog-foot line">
      <Button onClick={closeOverlay}>{t.app.cancel}</Button>
      <Button variant="primary" type="submit" disabled={isDisabled}>
        {label}
      </Button>
    </div>
  );
}
