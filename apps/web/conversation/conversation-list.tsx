import { useVirtualizer, type Virtualizer } from '@tanstack/react-virtual';
import { ArrowDown } from 'lucide-react';
import { memo, useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState, type RefObject } from 'react';
import { useSignal } from '../actions/use-signal.ts';
import { toKeysText } from '../keys/keys.tsx';
import type { Conversation } from '../log/conversation.ts';
import { hasChanges } from '../log/last-run.ts';
import type { InFlightText } from '../log/in-flight-text.ts';
import type { SessionState } from '../log/session-log.ts';
import { useText } from '../text/text.ts';
import { Button } from '../ui/button.tsx';
import { Empty, Loading } from '../ui/empty.tsx';
import { MessagePart } from './message-part.tsx';
import { EntryView, toMarks } from './entry-view.tsx';
import { estimateHeight } from './row-height.ts';
import { findRecord, toRows, type Row } from './rows.ts';
import { QueuedView, WorkingView } from './waiting-view.tsx';
import './conversation.css';

/** Pixels from the end within which new text is followed. */
const NEAR = 48;

interface ConversationListProps {
  state: SessionState;
  /** The record to show first, where the address names one. */
  seq: number | undefined;
}

/** What was said and done in a session. Only what is in sight is in the page; the end is followed while it is in sight. */
export function ConversationList({ state, seq }: ConversationListProps) {
  const t = useText();
  const scroll = useRef<HTMLDivElement>(null);
  const inner = useRef<HTMLDivElement>(null);
  const isFollowing = useRef(seq === undefined);
  const [isAway, setAway] = useState(false);
  const rows = useMemo(() => toRows(state), [state]);
  const latest = useRef(rows);
  latest.current = rows;
  // The same function always: another one would have every row of a long session measured again.
  const getItemKey = useCallback((at: number) => latest.current[at]?.key ?? at, []);
  const list = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroll.current,
    estimateSize: (at) => {
      const row = rows[at]!;
      return (row.height ??= estimateHeight(row));
    },
    getItemKey,
    overscan: 3,
    paddingStart: 16,
    paddingEnd: 16,
  });
  const toEnd = useCallback(() => {
    const element = scroll.current;
    if (!element) return;
    isFollowing.current = true;
    element.scrollTop = element.scrollHeight;
  }, []);
  useSignal('jump-to-end', toEnd);
  const { conversation, inFlight, isComplete } = state;
  const place = useRef<ScrollAnchor>({ isComplete, key: '', by: 0 });
  useLayoutEffect(() => {
    if (isFollowing.current) toEnd();
    else if (isComplete && !place.current.isComplete) {
      // What came before is there now: whoever read in the middle goes on reading there.
      const at = rows.findIndex(({ key }) => key === place.current.key);
      const to = toOffset(list, at, place.current.by);
      if (to !== undefined) scroll.current!.scrollTop = to;
    }
    place.current.isComplete = isComplete;
  });
  const lookAway = (left = distanceToEnd(scroll.current!)) => setAway(left > scroll.current!.clientHeight / 2);
  useResize(inner, () => {
    if (isFollowing.current) toEnd();
    // Who reads at the beginning is away from the end as soon as there is one, without any scrolling.
    else lookAway();
  });
  const marked = useMarked(rows, state.isComplete ? seq : undefined, (at) =>
    list.scrollToIndex(at, { align: 'center' }),
  );
  const onScroll = () => {
    const element = scroll.current!;
    const left = distanceToEnd(element);
    isFollowing.current = left < NEAR;
    const first = list.getVirtualItemForOffset(element.scrollTop);
    if (first) place.current = { isComplete, key: rows[first.index]?.key ?? '', by: element.scrollTop - first.start };
    lookAway(left);
  };
  return (
    <div className="conversation">
      <h2 className="unseen">{t.conversation.label}</h2>
      <div
        ref={scroll}
        className="conversation-scroll"
        tabIndex={0}
        role="log"
        aria-label={t.conversation.label}
        aria-live="off"
        onScroll={onScroll}
      >
        {rows.length === 0 ? <Empty title={t.conversation.empty} hint={t.conversation.emptyHint} /> : null}
        <div ref={inner} className="conversation-inner" style={{ height: list.getTotalSize() }}>
          {list.getVirtualItems().map(({ index, start }) => (
            <div
              key={rows[index]!.key}
              ref={list.measureElement}
              data-index={index}
              className="conversation-row"
              style={{ transform: `translateY(${start}px)` }}
            >
              <RowView
                row={rows[index]!}
                conversation={conversation}
                version={conversation.seq}
                progress={toProgress(rows[index]!, inFlight)}
                isMarked={index === marked}
              />
            </div>
          ))}
        </div>
      </div>
      {isAway ? (
        <Button
          className="to-end"
          icon={<ArrowDown size={14} />}
          title={`${t.conversation.toEnd} (${toKeysText('G')})`}
          onClick={toEnd}
        >
          {state.conversation.run ? t.conversation.newBelow : t.conversation.toEnd}
        </Button>
      ) : null}
    </div>
  );
}

/** Pixels between what is in sight and the end. */
const distanceToEnd = ({ scrollHeight, scrollTop, clientHeight }: HTMLElement) =>
  scrollHeight - scrollTop - clientHeight;

/** Calls back when an element has another size: rows find their height only once they are drawn. */
function useResize(element: RefObject<HTMLElement | null>, onGrown: () => void): void {
  const latest = useRef(onGrown);
  latest.current = onGrown;
  useEffect(() => {
    const observer = new ResizeObserver(() => latest.current());
    observer.observe(element.current!);
    return () => observer.disconnect();
  }, [element]);
}

/** The row at the top of what is in sight, by its key, and how many pixels of it are above. */
interface ScrollAnchor {
  /** Of the session, when that was seen. */
  isComplete: boolean;
  key: string;
  by: number;
}

/** Where to scroll to, so that a row stands `by` pixels above; undefined where there is no such row. The list is told. */
function toOffset(list: Virtualizer<HTMLDivElement, Element>, at: number, by: number): number | undefined {
  // Rows that were drawn in this picture have been measured since their places were reckoned.
  list.getTotalSize();
  const start = list.measurementsCache[at]?.start;
  if (start === undefined) return undefined;
  // What is measured before the next event of scrolling moves what stands where the list believes.
  list.scrollOffset = start + by;
  return list.scrollOffset;
}

/** The row that the address points at, brought into sight; -1 where there is none. */
function useMarked(rows: readonly Row[], seq: number | undefined, show: (at: number) => void): number {
  // What a call came to is a later record than the call: it is marked where it is shown.
  const marked = useMemo(() => (seq === undefined ? -1 : findRecord(rows, seq)), [rows, seq]);
  useEffect(() => {
    if (marked >= 0) show(marked);
    // Once for each place that is asked for, and not at every new row.
  }, [seq]);
  return marked;
}

interface RowViewProps {
  row: Row;
  conversation: Conversation;
  /** Changes with everything that the conversation says. */
  version: number;
  /** Output of a running call so far. */
  progress: string | undefined;
  /** The address points at it. */
  isMarked: boolean;
}

/** One row. It stays as it was while text is written in another one. */
const RowView = memo(function RowView({ row, conversation, progress, isMarked }: RowViewProps) {
  switch (row.kind) {
    case 'entry': {
      const { entry } = row;
      const isUndone = 'turn' in entry && conversation.undone.has(entry.turn);
      const canUndo = 'turn' in entry && entry.kind === 'user' && hasChanges(conversation, entry.turn);
      return (
        <EntryView
          entry={entry}
          session={conversation.session}
          progress={progress}
          isUndone={isUndone}
          canUndo={canUndo}
          isMarked={isMarked}
        />
      );
    }
    case 'answer': {
      const { id, text, thinking, entry, isLast, isCalling } = row;
      const isUndone = entry !== undefined && conversation.undone.has(entry.turn);
      return (
        <MessagePart
          id={id}
          text={text}
          thinking={thinking}
          whole={isLast ? entry : undefined}
          isGrowing={isLast && entry === undefined}
          isCalling={isCalling}
          marks={toMarks({ isUndone, isMarked })}
        />
      );
    }
    case 'earlier':
      return <Loading rows={3} />;
    case 'working':
      return <WorkingView conversation={conversation} />;
    case 'queued':
      return <QueuedView message={row.message} session={conversation.session} />;
  }
});

function toProgress(row: Row, { calls }: InFlightText): string | undefined {
  return row.kind === 'entry' && row.entry.kind === 'call' ? calls.get(row.entry.id)?.text : undefined;
}
