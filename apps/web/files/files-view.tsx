import type { FileEntry } from '@klaus/server/contract';
import { ChevronRight, File, FileLock2, Folder, FolderOpen } from 'lucide-react';
import { useState } from 'react';
import type { Conversation } from '../log/conversation.ts';
import { client } from '../state/client.ts';
import { go } from '../state/route.ts';
import { formatBytes } from '../text/format.ts';
import { useText } from '../text/text.ts';
import { CopyButton } from '../ui/copy-button.tsx';
import { Empty, Failed, Loading } from '../ui/empty.tsx';
import { useKept } from '../ui/use-kept.ts';
import { useLoaded } from '../ui/use-loaded.ts';
import { FileText } from './file-text.tsx';
import './files.css';

/** The files of a session's workspace, with those marked that it changed. */
export function FilesView({ conversation, path }: { conversation: Conversation; path: string | undefined }) {
  const t = useText();
  const { session, changed } = conversation;
  return (
    <section className={`files ${path === undefined ? '' : 'files-open'}`} aria-label={t.files.title}>
      <div className="files-tree" tabIndex={0} role="group" aria-label={t.files.tree}>
        <FolderView session={session} path="" version={changed.size} current={path} />
      </div>
      {path === undefined ? (
        <Empty title={t.files.choose} hint={t.files.chooseHint} />
      ) : (
        <FileView key={path} session={session} path={path} />
      )}
    </section>
  );
}

interface FolderProps {
  session: string;
  path: string;
  /** Asked for again when it changes. */
  version: number;
  current: string | undefined;
}

function FolderView({ session, path, version, current }: FolderProps) {
  const t = useText();
  const loaded = useLoaded(`${session} ${path} ${version}`, (signal) =>
    client.files({ query: { session, path } }, { signal }),
  );
  if (loaded.error !== undefined) return <Failed title={t.files.failed} error={loaded.error} retry={loaded.again} />;
  if (!loaded.value) return <Loading rows={path === '' ? 8 : 2} />;
  if (loaded.value.entries.length === 0) return <p className="muted files-none">{t.files.none}</p>;
  return (
    <ul>
      {loaded.value.entries.map((entry) => (
        <EntryRow key={entry.path} entry={entry} session={session} version={version} current={current} />
      ))}
    </ul>
  );
}

type RowProps = Omit<FolderProps, 'path'> & { entry: FileEntry };

function EntryRow({ entry, session, version, current }: RowProps) {
  const t = useText();
  const { name, path, type, change } = entry;
  const [isOpen, setOpen] = useKept(`folder ${session} ${path}`, current?.startsWith(`${path}/`) ?? false);
  const mark = change === null ? null : <span className={`file-mark file-${change}`}>{t.files.changed[change]}</span>;
  if (type === 'directory') {
    return (
      <li>
        <button type="button" className="file-row" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          <ChevronRight size={14} className="fold-mark" />
          {isOpen ? <FolderOpen size={14} /> : <Folder size={14} />}
          <span className="ellipsis">{name}</span>
          {mark}
        </button>
        {isOpen ? <FolderView session={session} path={path} version={version} current={current} /> : null}
      </li>
    );
  }
  return (
    <li>
      <button
        type="button"
        className="file-row"
        aria-current={path === current}
        onClick={() => go({ page: 'session', id: session, tab: 'files', path })}
      >
        <span className="file-gap" />
        <File size={14} />
        <span className="ellipsis">{name}</span>
        {mark}
      </button>
    </li>
  );
}

function FileView({ session, path }: { session: string; path: string }) {
  const t = useText();
  const loaded = useLoaded(`${session} ${path}`, (signal) =>
    client.file({ params: { path }, query: { session } }, { signal }),
  );
  const file = loaded.value;
  return (
    <article className="file" aria-label={t.files.content(path)}>
      <header className="pane-head">
        <button
          type="button"
          className="button button-quiet only-narrow"
          onClick={() => go({ page: 'session', id: session, tab: 'files' })}
        >
          {t.files.up}
        </button>
        <h2 className="mono ellipsis">{path}</h2>
        {file ? <span className="muted number">{formatBytes(file.size)}</span> : null}
        <span className="composer-gap" />
        {file?.encoding === 'utf8' ? <CopyButton text={file.content} /> : null}
      </header>
      {loaded.error === undefined ? null : (
        <Failed title={t.files.fileFailed} error={loaded.error} retry={loaded.again} />
      )}
      {!file && loaded.error === undefined ? <Loading rows={10} /> : null}
      {file?.hidden ? <Empty icon={<FileLock2 size={20} />} title={t.files.hidden} hint={t.files.hiddenHint} /> : null}
      {file && !file.hidden && file.encoding !== 'utf8' ? <Binary file={file} /> : null}
      {file && !file.hidden && file.encoding === 'utf8' ? (
        <>
          {file.truncated ? <p className="offline">{t.files.truncated}</p> : null}
          <FileText path={path} text={file.content} />
        </>
      ) : null}
    </article>
  );
}

function Binary({
  file,
}: {
  file: { mediaType: string; content: string; size: number; path: string; encoding: string };
}) {
  const t = useText();
  const [isBroken, setBroken] = useState(false);
  const isImage = /^image\/(png|jpeg|gif|webp)$/.test(file.mediaType) && file.encoding === 'base64';
  if (isImage && !isBroken) {
    return (
      <img
        className="file-image"
        src={`data:${file.mediaType};base64,${file.content}`}
        alt={file.path}
        onError={() => setBroken(true)}
      />
    );
  }
  return <Empty title={t.files.binary} hint={t.files.binaryHint(formatBytes(file.size))} />;
}
