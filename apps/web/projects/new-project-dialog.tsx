import { isProblemError } from '@klaus/server/client';
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
import { useQuery } from '../ui/use-query.ts';
import { CloneProgress } from './clone-progress.tsx';
import { FolderBrowser } from './folder-browser.tsx';
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
  const [at, setAt] = useState<string>();
  const { isBusy, error, clear, run } = useRequest();
  const folders = useFolders(at);
  const { canAllow = false, state, path: shown } = folders.value ?? {};
  const isOutside = isOutsideError(error) || (state === 'outside' && path.trim() === shown);
  const allow = canAllow && isOutside;
  const submit = () =>
    run(async () => {
      const added = await client.addProject({ body: { path: path.trim(), create, ...(allow ? { allow } : {}) } });
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
      <Field
        label={t.path}
        hint={t.pathHint}
        value={path}
        onChange={(text) => {
          setPath(text);
          clear();
        }}
        error={allow ? undefined : error}
        isFirst
      />
      <FolderBrowser
        query={folders}
        onOpen={(opened) => {
          setAt(opened);
          setPath(opened);
          clear();
        }}
      />
      <label className="check line">
        <input type="checkbox" checked={create} onChange={(event) => setCreate(event.target.checked)} />
        {t.createMissing}
      </label>
      <Limits canAllow={canAllow} allow={allow} />
      <Foot label={allow ? t.allow : t.add} isDisabled={isBusy || path.trim() === ''} />
    </form>
  );
}

function GitForm({ onStart }: { onStart: (clone: CloneView) => void }) {
  const t = useListsText().projects;
  const first = useParent();
  const [url, setUrl] = useState('');
  const [parent, setParent] = useState(first);
  const [name, setName] = useState('');
  const { isBusy, error, clear, run } = useRequest();
  const { canAllow = false } = useFolders(undefined).value ?? {};
  // A source that is a path is never allowed with the new folder.
  const allow = canAllow && isOutsideError(error) && !url.trim().startsWith('/') && !url.trim().startsWith('file:');
  const submit = () =>
    run(async () => {
      const given = name.trim() === '' ? {} : { name: name.trim() };
      onStart(
        await client.startClone({
          body: { url: url.trim(), parent: parent.trim(), ...given, ...(allow ? { allow } : {}) },
        }),
      );
    });
  return (
    <form
      className="column"
      onSubmit={(event) => {
        event.preventDefault();
        void submit();
      }}
    >
      <Field label={t.url} hint={t.urlHint} value={url} onChange={setUrl} error={allow ? undefined : error} isFirst />
      <Field
        label={t.parent}
        value={parent}
        onChange={(text) => {
          setParent(text);
          clear();
        }}
      />
      <Field label={t.name} hint={t.nameHint} value={name} onChange={setName} />
      <Limits canAllow={canAllow} allow={allow} />
      <Foot label={allow ? t.allowClone : t.clone} isDisabled={isBusy || url.trim() === '' || parent.trim() === ''} />
    </form>
  );
}

/** @param at Absolute path. Undefined: near the default workspace. */
function useFolders(at: string | undefined) {
  return useQuery(`folders ${at ?? ''}`, (signal) =>
    client.folders({ query: at === undefined ? {} : { path: at } }, { signal }),
  );
}

function isOutsideError(error: unknown): boolean {
  return isProblemError(error) && error.problem.code === 'workspace.outside';
}

/** Where sessions may be opened; with `allow`, what the button of the form allows. */
function Limits({ canAllow, allow }: { canAllow: boolean; allow: boolean }) {
  const t = useListsText().projects;
  if (canAllow && !allow) return null;
  return (
    <p className={`small ${allow ? 'warn' : 'muted'}`} role="status">
      <CodeText text={allow ? t.allowHint : t.limits} />
    </p>
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
  return { isBusy, error, clear: () => setError(undefined), run };
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
