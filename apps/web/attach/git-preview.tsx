import type { GitTextView } from '@klaus/server/contract';
import { estimateTokens } from '../composer/estimate.tsx';
import { DiffText } from '../diff/diff-text.tsx';
import { formatBytes, formatCount, formatShort } from '../text/format.ts';
import { useAttachText } from '../text/attach/attach-text.ts';
import { CodeText } from '../ui/code-text.tsx';

/** Most characters of a text that can be attached, as the server limits it. For a message only. */
const MAX_CHARS = 150_000;
/** Paths of a list that are shown. */
const MAX_PATHS = 8;

/** Lines before the names of a file, which the preview does not show. Lines of content begin with another character. */
const HEADER = /^(?:diff --git|index|new file mode|deleted file mode|old mode|new mode) .*\n/gm;

interface GitPreviewProps {
  value: GitTextView;
  kind: 'diff' | 'commit';
}

/** What a text of Git contains, and what it leaves out. */
export function GitPreview({ value: { text, size, files, leftOut }, kind }: GitPreviewProps) {
  const t = useAttachText();
  if (text === null) {
    const words = (kind === 'diff' ? t.tooLargeDiff : t.tooLarge)(formatCount(size), formatCount(MAX_CHARS));
    return (
      <div role="alert" className="column">
        <p className="warn">{words}</p>
        <Paths title={t.files(files.length)} paths={files} />
      </div>
    );
  }
  // Before the diff of a commit is its message.
  const at = text.search(/^diff --git /m);
  const [head, diff] = kind === 'diff' || at < 0 ? ['', text] : [text.slice(0, at), text.slice(at)];
  const message = at < 0 && kind === 'commit' ? text : head;
  const part = { type: 'file', name: '', mediaType: 'text/plain', text } as const;
  const tokens = formatShort(estimateTokens('', [{ part }]));
  return (
    <>
      <p className="number" role="status">
        {t.size(t.files(files.length), formatBytes(text.length), tokens)}
      </p>
      {leftOut.length > 0 ? <Paths title={t.leftOut(leftOut.length)} paths={leftOut} isWarning /> : null}
      <div className="attach-preview column" role="group" aria-label={t.preview}>
        {message.trim() === '' ? null : <pre className="attach-text wrap">{message.trim()}</pre>}
        {at < 0 ? null : <DiffText diff={diff.replaceAll(HEADER, '')} />}
      </div>
    </>
  );
}

function Paths({ title, paths, isWarning = false }: { title: string; paths: readonly string[]; isWarning?: boolean }) {
  const t = useAttachText();
  return (
    <div className="small">
      <p className={isWarning ? 'warn' : 'muted'}>{title}</p>
      <ul className="attach-paths mono">
        {paths.slice(0, MAX_PATHS).map((path) => (
          <li key={path} dir="auto">
            {path}
          </li>
        ))}
        {paths.length > MAX_PATHS ? <li className="muted">{t.more(paths.length - MAX_PATHS)}</li> : null}
      </ul>
    </div>
  );
}

/** The folder has no repository. @param folder Absent: not known. */
export function NoRepository({ folder }: { folder: string | undefined }) {
  const t = useAttachText();
  return (
    <div className="empty column muted">
      <p className="empty-title">{t.noRepository}</p>
      <p className="empty-hint">
        <CodeText text={t.noRepositoryHint(folder === undefined ? t.noRepositoryFolder : `\`${folder}\``)} />
      </p>
    </div>
  );
}
