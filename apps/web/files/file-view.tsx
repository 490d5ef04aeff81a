import { AtSign, Clipboard, FileLock2 } from 'lucide-react';
import { useState } from 'react';
import { copyText } from '../actions/copy-text.ts';
import { mention } from '../actions/signal.ts';
import { client } from '../state/client.ts';
import { go } from '../state/route.ts';
import { formatBytes } from '../text/format.ts';
import { useText } from '../text/text.ts';
import { Button, IconButton } from '../ui/button.tsx';
import { CopyButton } from '../ui/copy-button.tsx';
import { Empty, Pending } from '../ui/empty.tsx';
import { useQuery } from '../ui/use-query.ts';
import { FileText } from './file-text.tsx';

interface FileViewProps {
  session: string;
  path: string;
  line: number | undefined;
  /** The file is loaded again when it changes. */
  version: string;
}

/** One file: its text, its image, or the reason why neither is shown. */
export function FileView({ session, path, line, version }: FileViewProps) {
  const t = useText();
  const loaded = useQuery(`${session} ${path} ${version}`, (signal) =>
    client.file({ params: { path }, query: { session } }, { signal }),
  );
  const file = loaded.value;
  return (
    <article className="file column" aria-label={t.files.content(path)}>
      <header className="pane-head line ruled">
        <Button
          variant="quiet"
          className="only-narrow"
          onClick={() => go({ page: 'session', id: session, tab: 'files' })}
        >
          {t.files.up}
        </Button>
        <h2 className="mono ellipsis" title={path}>
          {path}
        </h2>
        {file ? <span className="muted number">{formatBytes(file.size)}</span> : null}
        <span className="file-tools inline">
          <IconButton label={t.files.mention} keys="@" icon={AtSign} onClick={() => mention(path)} />
          <IconButton label={t.files.copyPath} keys="w" icon={Clipboard} onClick={() => void copyText(path)} />
          {file?.encoding === 'utf8' ? <CopyButton text={file.content} label={t.files.copyContent} /> : null}
        </span>
      </header>
      <Pending query={loaded} title={t.files.fileFailed} rows={10} />
      {file?.hidden ? <Empty icon={<FileLock2 size={20} />} title={t.files.hidden} hint={t.files.hiddenHint} /> : null}
      {file && !file.hidden && file.encoding !== 'utf8' ? <Binary file={file} /> : null}
      {file && !file.hidden && file.encoding === 'utf8' ? (
        <>
          {file.truncated ? <p className="offline">{t.files.truncated}</p> : null}
          <FileText session={session} path={path} text={file.content} line={line} />
        </>
      ) : null}
    </article>
  );
}

interface BinaryProps {
  file: { mediaType: string; content: string; size: number; path: string; encoding: string };
}

function Binary({ file }: BinaryProps) {
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
