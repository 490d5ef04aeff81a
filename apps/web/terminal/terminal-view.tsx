import { useVirtualizer } from '@tanstack/react-virtual';
import { ArrowDownToLine, ChevronDown, ChevronUp, WrapText } from 'lucide-react';
import {
  useEffect,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
  type KeyboardEvent,
  type ReactNode,
  type RefObject,
} from 'react';
import { LineView, useScreen } from '../ansi/terminal-output.tsx';
import { findLines, nextLine } from '../files/find-lines.ts';
import { useRenderText } from '../text/render/render-text.ts';
import { IconButton } from '../ui/button.tsx';
import '../ui/find-bar.css';
import './terminal.css';

interface TerminalViewProps {
  label: string;
  /** The output. It may grow: the view then stays at the end if it is there. */
  text: string;
  tools?: ReactNode;
}

const LINE_HEIGHT = 18;
/** Pixels from the end within which the view follows. */
const NEAR = 40;

/** An output with a search. Only the lines near the viewport exist. */
export function TerminalView({ label, text, tools }: TerminalViewProps) {
  const t = useRenderText();
  const scroll = useRef<HTMLDivElement>(null);
  const find = useRef<HTMLInputElement>(null);
  const isAtEnd = useRef(true);
  const lines = useScreen(text);
  const [query, setQuery] = useState('');
  const [current, setCurrent] = useState(0);
  const [isWrapped, setWrapped] = useState(false);
  const plain = useMemo(() => lines.map(({ spans }) => spans.map((span) => span.text).join('')), [lines]);
  const hits = useMemo(() => findLines(plain, query), [plain, query]);
  const found = useMemo(() => new Set(hits), [hits]);
  const list = useVirtualizer({
    count: lines.length,
    getScrollElement: () => scroll.current,
    estimateSize: () => LINE_HEIGHT,
    overscan: 20,
  });
  useEffect(() => list.measure(), [isWrapped]);
  useLayoutEffect(() => {
    if (isAtEnd.current && query === '' && lines.length > 0) list.scrollToIndex(lines.length - 1, { align: 'end' });
  }, [lines]);
  const goTo = (line: number | undefined) => {
    if (line === undefined) return;
    setCurrent(line);
    list.scrollToIndex(line - 1, { align: 'center' });
  };
  const change = (words: string) => {
    setQuery(words);
    // The last match is the nearest to the result.
    goTo(findLines(plain, words).at(-1));
  };
  return (
    <div
      className="terminal-view column"
      onKeyDown={(event) => {
        if (event.key !== 'f' || !(event.ctrlKey || event.metaKey)) return;
        event.preventDefault();
        find.current?.select();
      }}
    >
      <div className="find-bar line ruled">
        <Search field={find} query={query} onChange={change} onStep={(by) => goTo(nextLine(hits, current, by))} />
        <span className="muted small number find-count" role="status">
          {query === ''
            ? ''
            : hits.length === 0
              ? t.terminal.none
              : t.terminal.found(hits.indexOf(current) + 1, hits.length)}
        </span>
        <Steps isDisabled={hits.length === 0} onStep={(by) => goTo(nextLine(hits, current, by))} />
        <span className="grow" />
        <IconButton
          label={t.terminal.wrap}
          icon={WrapText}
          aria-pressed={isWrapped}
          onClick={() => setWrapped(!isWrapped)}
        />
        <IconButton
          label={t.terminal.toEnd}
          icon={ArrowDownToLine}
          onClick={() => list.scrollToIndex(lines.length - 1, { align: 'end' })}
        />
        {tools}
      </div>
      <div
        ref={scroll}
        className={`terminal terminal-lines ${isWrapped ? 'wrap' : ''}`}
        tabIndex={0}
        role="group"
        aria-label={label}
        onScroll={({ currentTarget: { scrollHeight, scrollTop, clientHeight } }) => {
          isAtEnd.current = scrollHeight - scrollTop - clientHeight < NEAR;
        }}
      >
        {text === '' ? <p className="muted">{t.terminal.empty}</p> : null}
        <div className="terminal-inner" style={{ height: list.getTotalSize() }}>
          {list.getVirtualItems().map(({ index, key, start }) => (
            <div
              key={key}
              ref={list.measureElement}
              data-index={index}
              className={`terminal-line ${found.has(index + 1) ? 'terminal-hit' : ''}`}
              aria-current={query !== '' && index + 1 === current ? 'location' : undefined}
              style={{ transform: `translateY(${start}px)` }}
            >
              <LineView line={lines[index]!} isLast />
            </div>
          ))}
        </div>
      </div>
    </div>
  );
}

function Steps({ isDisabled, onStep }: { isDisabled: boolean; onStep: (by: 1 | -1) => void }) {
  const t = useRenderText();
  return (
    <>
      <IconButton label={t.terminal.previous} icon={ChevronUp} disabled={isDisabled} onClick={() => onStep(-1)} />
      <IconButton label={t.terminal.next} icon={ChevronDown} disabled={isDisabled} onClick={() => onStep(1)} />
    </>
  );
}

interface SearchProps {
  field: RefObject<HTMLInputElement | null>;
  query: string;
  onChange: (query: string) => void;
  onStep: (by: 1 | -1) => void;
}

function Search({ field, query, onChange, onStep }: SearchProps) {
  const t = useRenderText();
  const press = (event: KeyboardEvent) => {
    if (event.key === 'Enter') onStep(event.shiftKey ? 1 : -1);
    else if (event.key === 'Escape' && query !== '') onChange('');
    else return;
    // Escape without a query closes the dialog.
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <input
      ref={field}
      data-first
      className="field"
      type="search"
      aria-label={t.terminal.search}
      placeholder={t.terminal.search}
      value={query}
      onChange={(event) => onChange(event.target.value)}
      onKeyDown={press}
    />
  );
}
