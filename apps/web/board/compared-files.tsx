import { memo, useState } from 'react';
import { toMarkedLines } from '@klaus/core/conversation';
import { BOTH_NUMBERS, DiffLineView, DiffRange } from '../diff/diff-line.tsx';
import { useBoardText } from '../text/board-text.ts';
import { Button } from '../ui/button.tsx';
import { findSame, toLetter, type Compared, type ComparedFile } from './compared.ts';
import '../diff/diff.css';

/** Files in the index. */
const MAX_INDEX = 60;
/** Lines of a file that are shown at first. */
const MAX_LINES = 200;

interface ComparedFilesProps {
  paths: readonly string[];
  /** Of each session; undefined until it is loaded. */
  values: readonly (Compared | undefined)[];
}

/** The changed files, each with its change in every session, so that they scroll together. */
export function ComparedFiles({ paths, values }: ComparedFilesProps) {
  const t = useBoardText();
  const fileOf = (path: string) => values.map((value) => value?.files.find((file) => file.path === path));
  const show = (path: string) => document.querySelector(`[data-path="${CSS.escape(path)}"]`)?.scrollIntoView();
  return (
    <>
      <nav className="compared-index" aria-label={t.filesChanged}>
        <ul>
          {paths.slice(0, MAX_INDEX).map((path) => (
            <li key={path}>
              <button type="button" className="bare line" onClick={() => show(path)}>
                <span className="mono ellipsis">{path}</span>
                {fileOf(path).map((file, at) =>
                  file ? (
                    <span key={toLetter(at)} className="compared-letter">
                      {toLetter(at)}
                    </span>
                  ) : null,
                )}
              </button>
            </li>
          ))}
        </ul>
      </nav>
      {paths.map((path) => (
        <ComparedPath key={path} path={path} files={fileOf(path)} />
      ))}
    </>
  );
}

function ComparedPath({ path, files }: { path: string; files: readonly (ComparedFile | undefined)[] }) {
  const t = useBoardText();
  return (
    <section className="compared-path" aria-label={path} data-path={path}>
      <h2 className="mono small ellipsis" title={path}>
        {path}
      </h2>
      <div className="compared-cells">
        {files.map((file, at) => {
          const same = findSame(files, at);
          const letter = toLetter(at);
          return (
            <div key={letter} className="compared-cell" role="group" aria-label={t.of(path, letter)}>
              <p className="small muted line compared-cell-head">
                <span className="compared-letter">{letter}</span>
                {file ? <span className="number">{t.lines(file.added, file.removed)}</span> : null}
                <CellNote {...{ file, same }} />
              </p>
              {file && same === undefined && !file.hidden ? (
                <FileHunks file={file} isNarrow={files.length > 2} />
              ) : null}
            </div>
          );
        })}
      </div>
    </section>
  );
}

function CellNote({ file, same }: { file: ComparedFile | undefined; same: number | undefined }) {
  const t = useBoardText();
  if (!file) return <span>{t.notChanged}</span>;
  if (file.hidden) return <span>{t[file.hidden]}</span>;
  return same === undefined ? null : <span>{t.sameAs(toLetter(same))}</span>;
}

const FileHunks = memo(function FileHunks({ file, isNarrow }: { file: ComparedFile; isNarrow: boolean }) {
  const t = useBoardText();
  const [isComplete, setComplete] = useState(false);
  const total = file.hunks.reduce((sum, { lines }) => sum + lines.length, 0);
  let left = isComplete ? Infinity : MAX_LINES;
  return (
    <div className="diff">
      {file.hunks.map((hunk) => {
        if (left <= 0) return null;
        const lines = toMarkedLines(hunk).slice(0, left);
        left -= Math.max(1, lines.length);
        return (
          <div key={hunk.id}>
            <DiffRange hunk={hunk} />
            {lines.map((line, at) => (
              <DiffLineView key={at} hunk={hunk} line={line} numbers={isNarrow ? ['new'] : BOTH_NUMBERS} />
            ))}
          </div>
        );
      })}
      {!isComplete && total > MAX_LINES ? (
        <Button variant="quiet" onClick={() => setComplete(true)}>
          {t.showAll(total - MAX_LINES)}
        </Button>
      ) : null}
    </div>
  );
});
