import type { Conversation } from '@klaus/core/conversation';
import type { FileEntry } from '@klaus/server/contract';
import { ChevronRight, File, Folder, FolderOpen } from 'lucide-react';
import { client } from '../state/client.ts';
import { go, toSession, type Route } from '../state/route.ts';
import { useText } from '../text/text.ts';
import { Empty, Pending } from '../ui/empty.tsx';
import { useSavedState } from '../ui/use-saved-state.ts';
import { useQuery } from '../ui/use-query.ts';
import { FileView } from './file-view.tsx';
import './files.css';

interface FilesViewProps {
  conversation: Conversation;
  path: string | undefined;
  line: number | undefined;
}

export function FilesView({ conversation, path, line }: FilesViewProps) {
  const t = useText();
  const { session, changed, changing, undone, run, seq } = conversation;
  // Reload after changes, undos and runs, and not at every event.
  const version = `${changed.size} ${changing.size} ${[...undone].join()} ${run ? '' : seq}`;
  return (
    <section className={`files ${path === undefined ? '' : 'files-open'}`} aria-label={t.files.title}>
      <div className="files-tree" tabIndex={0} role="group" aria-label={t.files.tree}>
        <FolderView session={session} path="" version={version} changed={changed} current={path} />
      </div>
      {path === undefined ? (
        <Empty title={t.files.choose} hint={t.files.chooseHint} />
      ) : (
        <FileView key={path} session={session} path={path} line={line} version={version} />
      )}
    </section>
  );
}

interface FolderProps {
  session: string;
  path: string;
  /** The folder is loaded again when it changes. */
  version: string;
  changed: Conversation['changed'];
  current: string | undefined;
}

function FolderView(props: FolderProps) {
  const t = useText();
  const { session, path, version, changed } = props;
  const loaded = useQuery(`${session} ${path} ${version}`, (signal) =>
    client.files({ query: { session, path } }, { signal }),
  );
  if (!loaded.value || loaded.error !== undefined) {
    return <Pending query={loaded} title={t.files.failed} rows={path === '' ? 8 : 2} />;
  }
  const entries = withDeleted(loaded.value.entries, path, changed);
  if (entries.length === 0) return <p className="muted files-none">{t.files.none}</p>;
  return (
    <ul>
      {entries.map((entry) => (
        <EntryRow key={entry.path} {...props} entry={entry} />
      ))}
    </ul>
  );
}

/** The folder of git is not shown. */
const HIDDEN = '.git';

/** The entries of a folder, including files that the session deleted, in order. */
function withDeleted(entries: readonly FileEntry[], folder: string, changed: Conversation['changed']): FileEntry[] {
  const shown = entries.filter(({ path }) => path !== HIDDEN);
  const known = new Set(shown.map(({ path }) => path));
  for (const [path, change] of changed) {
    const at = path.lastIndexOf('/');
    if (change !== 'deleted' || known.has(path) || path.slice(0, Math.max(0, at)) !== folder) continue;
    shown.push({ name: path.slice(at + 1), path, type: 'file', size: null, modifiedAt: '', change });
  }
  const rank = ({ type }: FileEntry) => (type === 'directory' ? 0 : 1);
  return shown.toSorted((a, b) => rank(a) - rank(b) || a.name.localeCompare(b.name));
}

/** The letters of version control for changes of files. */
const LETTERS = { created: 'A', modified: 'M', deleted: 'D' } as const;
const LOOKS = { created: 'good', modified: 'warn', deleted: 'bad' } as const;

type RowProps = Omit<FolderProps, 'path'> & { entry: FileEntry };

function EntryRow({ entry, ...props }: RowProps) {
  const t = useText();
  const { session, current } = props;
  const { name, path, type, change } = entry;
  const [isOpen, setOpen] = useSavedState(`folder ${session} ${path}`, current?.startsWith(`${path}/`) ?? false);
  const mark =
    change === null ? null : (
      <span
        className={`file-mark mono ${LOOKS[change]}`}
        role="img"
        aria-label={t.files.changed[change]}
        title={t.files.changed[change]}
      >
        {type === 'directory' ? '•' : LETTERS[change]}
      </span>
    );
  if (type === 'directory') {
    return (
      <li>
        <button type="button" className="file-row bare line" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          <ChevronRight size={14} className="fold-mark" />
          {isOpen ? <FolderOpen size={14} /> : <Folder size={14} />}
          <span className="ellipsis">{name}</span>
          {mark}
        </button>
        {isOpen ? <FolderView {...props} path={path} /> : null}
      </li>
    );
  }
  return (
    <li>
      <button
        type="button"
        className="file-row bare line"
        aria-current={path === current}
        title={path}
        // A deleted file can only be shown as a change.
        onClick={() => go(change === 'deleted' ? toSession(session, 'changes') : toFile(session, path))}
      >
        <span className="file-gap" />
        <File size={14} />
        <span className={`ellipsis ${change === 'deleted' ? 'file-gone muted' : ''}`}>{name}</span>
        {mark}
      </button>
    </li>
  );
}

function toFile(session: string, path: string): Route {
  return { page: 'session', id: session, tab: 'files', path };
}
