import { AtSign, Clipboard, FileLock2 } from 'lucide-react';
import { useMemo, useState } from 'react';
import { copyText } from '../actions/copy-text.ts';
import { mention } from '../actions/signal.ts';
import { client } from '../state/client.ts';
import { go } from '../state/route.ts';
import { formatBytes } from '../text/format.ts';
import { useRenderText } from '../text/render/render-text.ts';
import { useText } from '../text/text.ts';
import { toViews, type FileView as View } from '../viewers/file-kind.ts';
import { Button, IconButton } from '../ui/button.tsx';
import { CopyButton } from '../ui/copy-button.tsx';
import { Empty, Pending } from '../ui/empty.tsx';
import { useQuery } from '../ui/use-query.ts';
import { FileContent } from './file-content.tsx';

interface FileViewProps {
  session: string;
  path: string;
  line: number | undefined;
  /** The file is loaded again when it changes. */
  version: string;
}

/** One file in its views, or the reason why it is not shown. */
export function FileView({ session, path, line, version }: FileViewProps) {
  const t = useText();
  const r = useRenderText();
  const loaded = useQuery(`${session} ${path} ${version}`, (signal) =>
    client.file({ params: { path }, query: { session } }, { signal }),
  );
  const file = loaded.value;
  const views = useMemo(() => toViews(path), [path]);
  const [chosen, setChosen] = useState<View | undefined>();
  // A part of a file is no complete document, and a line is shown in the source.
  const usual = file?.truncated || line !== undefined ? 'source' : views[0]!;
  const view = chosen ?? usual;
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
          {views.length > 1 && file?.encoding === 'utf8' ? (
            <div className="segments" role="group" aria-label={r.viewer.views}>
              {views.map((each) => (
                <button key={each} type="button" aria-pressed={each === view} onClick={() => setChosen(each)}>
                  {each === 'page' ? r.preview.show : r.viewer[each]}
                </button>
              ))}
            </div>
          ) : null}
          <IconButton label={t.files.mention} keys="@" icon={AtSign} onClick={() => mention(path)} />
          <IconButton label={t.files.copyPath} keys="w" icon={Clipboard} onClick={() => void copyText(path)} />
          {file?.encoding === 'utf8' ? <CopyButton text={file.content} label={t.files.copyContent} /> : null}
        </span>
      </header>
      <Pending query={loaded} title={t.files.fileFailed} rows={10} />
      {file?.hidden ? <Empty icon={<FileLock2 size={20} />} title={t.files.hidden} hint={t.files.hiddenHint} /> : null}
      {file && !file.hidden ? (
        <>
          {file.truncated && file.encoding === 'utf8' ? <p className="offline">{t.files.truncated}</p> : null}
          <FileContent session={session} file={file} view={view} line={line} version={version} />
        </>
      ) : null}
    </article>
  );
}
