import { ChevronDown, ChevronUp } from 'lucide-react';
import { useEffect, useMemo, useRef, useState } from 'react';
import { useSignal } from '../actions/use-signal.ts';
import { Pieces } from '../highlight/code.tsx';
import { useLines } from '../highlight/use-lines.ts';
import '../diff/diff.css';
import { toKeysText } from '../keys/keys.tsx';
import { toHash } from '../state/route.ts';
import { useText } from '../text/text.ts';
import { IconButton } from '../ui/button.tsx';
import '../ui/find-bar.css';
import { VirtualList, type RowList } from '../ui/virtual-list.tsx';
import { findLines, nextLine } from './find-lines.ts';

interface FileTextProps {
  session: string;
  path: string;
  text: string;
  /** The line in the address, from 1. */
  line: number | undefined;
}

export function FileText({ session, path, text, line }: FileTextProps) {
  const t = useText();
  const list = useRef<RowList>(null);
  const lines = useLines(text, path);
  const [query, setQuery] = useState('');
  const [current, setCurrent] = useState(line ?? 0);
  const hits = useMemo(() => findLines(text.split('\n'), query), [text, query]);
  const found = useMemo(() => new Set(hits), [hits]);
  const goTo = (to: number | undefined) => {
    if (to === undefined) return;
    const at = Math.max(1, Math.min(lines.length, to));
    setCurrent(at);
    list.current?.scrollToIndex(at - 1, { align: 'center' });
    // Update the address without a new entry in the history of the browser.
    history.replaceState(null, '', toHash({ page: 'session', id: session, tab: 'files', path, line: at }));
  };
  useEffect(() => {
    if (line === undefined) return;
    setCurrent(line);
    list.current?.scrollToIndex(Math.max(0, Math.min(lines.length, line) - 1), { align: 'center' });
  }, [line]);
  return (
    <>
      <FindBar
        hits={hits}
        query={query}
        current={current}
        lines={lines.length}
        onQuery={(wanted) => {
          setQuery(wanted);
          const first = nextLine(findLines(text.split('\n'), wanted), Math.max(0, current - 1), 1);
          if (first !== undefined) goTo(first);
        }}
        onStep={(by) => goTo(nextLine(hits, current, by))}
        onLine={goTo}
      />
      <VirtualList
        ref={list}
        label={t.files.content(path)}
        className="diff file-text"
        count={lines.length}
        estimateSize={() => 20}
        overscan={30}
        toProps={(at) => ({
          className: `diff-line ${found.has(at + 1) ? 'file-hit' : ''}`,
          'aria-current': at + 1 === current ? 'location' : undefined,
        })}
      >
        {(at) => (
          <>
            <span className="diff-number" onClick={() => goTo(at + 1)}>
              {at + 1}
            </span>
            <code className="diff-code grow wrap">
              <Pieces line={lines[at]!} />
            </code>
          </>
        )}
      </VirtualList>
    </>
  );
}

interface FindBarProps {
  hits: readonly number[];
  query: string;
  current: number;
  lines: number;
  onQuery: (query: string) => void;
  onStep: (by: 1 | -1) => void;
  onLine: (line: number) => void;
}

function FindBar({ hits, query, current, lines, onQuery, onStep, onLine }: FindBarProps) {
  const t = useText();
  const find = useRef<HTMLInputElement>(null);
  const line = useRef<HTMLInputElement>(null);
  useSignal('find-in-file', () => find.current?.select());
  useSignal('go-to-line', () => line.current?.select());
  const position = hits.indexOf(current) + 1;
  return (
    <div className="find-bar line ruled" role="group" aria-label={t.files.find}>
      <input
        ref={find}
        className="field"
        type="search"
        aria-label={t.files.find}
        placeholder={t.files.findKeys(toKeysText('mod+f') ?? '')}
        value={query}
        onChange={(event) => onQuery(event.target.value)}
        onKeyDown={(event) => {
          if (event.key === 'Escape') onQuery('');
          else if (event.key === 'Enter') onStep(event.shiftKey ? -1 : 1);
          else return;
          event.preventDefault();
        }}
      />
      <span className="muted small number find-count" role="status">
        {query === '' ? '' : hits.length === 0 ? t.files.foundNone : t.files.found(position, hits.length)}
      </span>
      <IconButton label={t.files.previous} icon={ChevronUp} disabled={hits.length === 0} onClick={() => onStep(-1)} />
      <IconButton label={t.files.next} icon={ChevronDown} disabled={hits.length === 0} onClick={() => onStep(1)} />
      <input
        ref={line}
        className="field number find-line"
        type="number"
        inputMode="numeric"
        min={1}
        max={lines}
        aria-label={t.files.line}
        placeholder={t.files.lineShort}
        onKeyDown={(event) => {
          const wanted = Number(event.currentTarget.value);
          if (event.key === 'Enter' && wanted > 0) onLine(wanted);
        }}
      />
    </div>
  );
}
