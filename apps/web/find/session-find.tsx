import { ChevronDown, ChevronUp, X } from 'lucide-react';
import { useDeferredValue, useEffect, useMemo, useRef, useState, type RefObject } from 'react';
import type { Row } from '../conversation/rows.ts';
import { isFinding } from '../state/session-find.ts';
import { useChangesText } from '../text/changes/changes-text.ts';
import { useText } from '../text/text.ts';
import { IconButton } from '../ui/button.tsx';
import { saveState } from '../ui/use-saved-state.ts';
import { findMatches, MAX_MATCHES } from './find-matches.ts';
import { clearFound, markFound } from './highlights.ts';
import './find.css';

interface SessionFindProps {
  rows: readonly Row[];
  scroll: RefObject<HTMLElement | null>;
  /** Scrolls to a row. */
  onShow: (row: number) => void;
}

/** The search within a conversation, also in rows that are not rendered and in folded output. */
export function SessionFind({ rows, scroll, onShow }: SessionFindProps) {
  const t = useChangesText();
  const words = useText();
  const field = useRef<HTMLInputElement>(null);
  const [query, setQuery] = useState('');
  const wanted = useDeferredValue(query.trim());
  const matches = useMemo(() => findMatches(rows, wanted), [rows, wanted]);
  const [at, setAt] = useState(0);
  const current = matches[Math.min(at, matches.length - 1)];
  /** True until the current occurrence was scrolled into view. */
  const isDue = useRef(false);
  const show = (index: number) => {
    const match = matches[index];
    if (!match) return;
    setAt(index);
    isDue.current = true;
    for (const key of match.opens) saveState(key, true);
    onShow(match.row);
  };
  const step = (by: 1 | -1) => show((Math.min(at, matches.length - 1) + by + matches.length) % matches.length);
  useEffect(() => {
    setAt(0);
    if (matches.length > 0) show(0);
    // For a new text, and not for every new row.
  }, [wanted]);
  useEffect(() => {
    const list = scroll.current;
    if (!list) return undefined;
    let frame = 0;
    const mark = () => {
      frame = 0;
      const range = markFound(list, wanted, current);
      if (!range || !isDue.current) return;
      isDue.current = false;
      const element = range.startContainer.parentElement;
      element?.scrollIntoView({ block: 'center', inline: 'nearest' });
    };
    const later = () => (frame ||= requestAnimationFrame(mark));
    later();
    const observer = new MutationObserver(later);
    observer.observe(list, { childList: true, subtree: true, characterData: true });
    return () => {
      observer.disconnect();
      cancelAnimationFrame(frame);
    };
  }, [wanted, current, scroll]);
  useEffect(() => {
    const before = document.activeElement;
    field.current?.focus();
    return () => {
      clearFound();
      if (before instanceof HTMLElement && before.isConnected) before.focus();
      else scroll.current?.focus();
    };
  }, [scroll]);
  const close = () => isFinding.set(false);
  const total = matches.length >= MAX_MATCHES ? `${MAX_MATCHES}+` : String(matches.length);
  return (
    <search
      className="find-session line"
      aria-label={t.find.label}
      onKeyDown={(event) => {
        if (event.key !== 'Escape') return;
        event.preventDefault();
        close();
      }}
    >
      <input
        ref={field}
        className="field"
        type="text"
        role="searchbox"
        aria-label={t.find.label}
        placeholder={t.find.label}
        value={query}
        onChange={(event) => setQuery(event.target.value)}
        onKeyDown={(event) => {
          if (event.key !== 'Enter' || matches.length === 0) return;
          event.preventDefault();
          step(event.shiftKey ? -1 : 1);
        }}
      />
      <span className="muted small number find-session-count" role="status">
        {wanted === ''
          ? ''
          : matches.length === 0
            ? t.find.none
            : t.find.position(Math.min(at, matches.length - 1) + 1, total)}
      </span>
      <IconButton
        label={words.files.previous}
        icon={ChevronUp}
        disabled={matches.length === 0}
        onClick={() => step(-1)}
      />
      <IconButton label={words.files.next} icon={ChevronDown} disabled={matches.length === 0} onClick={() => step(1)} />
      <IconButton label={t.find.close} icon={X} onClick={close} />
    </search>
  );
}
