import { useVirtualizer } from '@tanstack/react-virtual';
import { ArrowDown } from 'lucide-react';
import {
  memo,
  useCallback,
  useEffect,
  useEffectEvent,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
  type RefObject,
} from 'react';
import type { InFlightText } from '@klaus/core/conversation';
import { RowContext, type RowViewProps } from '../children/row-context.ts';
import { useSignal } from '../actions/use-signal.ts';
import { toKeysText } from '../keys/keys.tsx';
import type { SessionState } from '../log/session-log.ts';
import { useText } from '../text/text.ts';
import { Button } from '../ui/button.tsx';
import { isFinding } from '../state/session-find.ts';
import { useStore } from '../state/store.ts';
import { Empty, Loading } from '../ui/empty.tsx';
import { lazyComponent } from '../ui/lazy-component.tsx';
import { usePrinting } from '../ui/use-printing.ts';
import { AllRows, Rows, type RowList } from '../ui/virtual-list.tsx';
import { MessagePart } from './message-part.tsx';
import { EntryView, toMarks } from './entry-view.tsx';
import { ReadGroupView } from './read-group-view.tsx';
import { estimateHeight, findRecord, toRows, type Row } from './rows.ts';
import { QueuedView, WorkingView } from './waiting-view.tsx';
import './conversation.css';

const SessionFind = lazyComponent(async () => (await import('../find/session-find.tsx')).SessionFind);

/** Maximum distance from the end in pixels at which the list follows new text. */
const NEAR = 48;

interface ConversationListProps {
  state: SessionState;
  /** Seq of the event to scroll to, from the address. */
  seq: number | undefined;
}

/** The conversation of a session. Only rows near the viewport are rendered. At the end, the list follows new text. */
export function ConversationList({ state, seq }: ConversationListProps) {
  const t = useText();
  const scroll = useRef<HTMLDivElement>(null);
  const inner = useRef<HTMLDivElement>(null);
  const isFollowing = useRef(seq === undefined);
  const [isAway, setAway] = useState(false);
  const isPrinting = usePrinting();
  const rows = useMemo(() => toRows(state), [state]);
  const latest = useRef(rows);
  latest.current = rows;
  // A stable function: a new one would invalidate the measurements of all rows.
  const getItemKey = useCallback((at: number) => latest.current[at]?.key ?? at, []);
  const list = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroll.current,
    estimateSize: (at) => {
      const row = rows[at]!;
      return (row.height ??= estimateHeight(row));
    },
    getItemKey,
    overscan: 2,
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
  const anchor = useRef<ScrollAnchor>({ isComplete, key: '', by: 0 });
  useLayoutEffect(() => {
    if (isFollowing.current) toEnd();
    else if (isComplete && !anchor.current.isComplete) {
      // The earlier events are loaded now. Keep the scroll position.
      const at = rows.findIndex(({ key }) => key === anchor.current.key);
      const to = toOffset(list, at, anchor.current.by);
      if (to !== undefined) scroll.current!.scrollTop = to;
    }
    anchor.current.isComplete = isComplete;
  });
  const updateAway = (left = distanceToEnd(scroll.current!)) => setAway(left > scroll.current!.clientHeight / 2);
  useResize([inner, scroll], () => {
    if (isFollowing.current) toEnd();
    // At the beginning, the distance to the end grows without a scroll event.
    else updateAway();
  });
  const marked = useMarked(rows, state.isComplete ? seq : undefined, (at) =>
    list.scrollToIndex(at, { align: 'center' }),
  );
  const onScroll = () => {
    const element = scroll.current!;
    const left = distanceToEnd(element);
    isFollowing.current = left < NEAR;
    const first = list.getVirtualItemForOffset(element.scrollTop);
    if (first) anchor.current = { isComplete, key: rows[first.index]?.key ?? '', by: element.scrollTop - first.start };
    updateAway(left);
  };
  const toRow = (at: number) => (
    <RowView
      row={rows[at]!}
      conversation={conversation}
      version={conversation.seq}
      progress={toProgress(rows[at]!, inFlight)}
      isMarked={at === marked}
    />
  );
  return (
    <div className="conversation">
      <h2 className="unseen">{t.conversation.label}</h2>
      <Find rows={rows} scroll={scroll} list={list} isFollowing={isFollowing} />
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
        <div ref={inner}>
          <RowContext value={RowView}>
            {isPrinting ? <AllRows count={rows.length}>{toRow}</AllRows> : <Rows list={list}>{toRow}</Rows>}
          </RowContext>
        </div>
      </div>
      {isAway ? (
        <Button
          className="to-end"
          icon={ArrowDown}
          title={`${t.conversation.toEnd} (${toKeysText('G')})`}
          onClick={toEnd}
        >
          {conversation.run ? t.conversation.newBelow : t.conversation.toEnd}
        </Button>
      ) : null}
    </div>
  );
}

interface FindProps {
  rows: readonly Row[];
  scroll: RefObject<HTMLElement | null>;
  list: RowList;
  isFollowing: RefObject<boolean>;
}

/** The search within the conversation, while it is open. It ends with the list. */
function Find({ rows, scroll, list, isFollowing }: FindProps) {
  const isShown = useStore(isFinding);
  useEffect(() => () => isFinding.set(false), []);
  if (!isShown) return null;
  const show = (at: number) => {
    isFollowing.current = false;
    list.scrollToIndex(at, { align: 'center' });
  };
  return <SessionFind rows={rows} scroll={scroll} onShow={show} />;
}

/** Pixels between the viewport and the end. */
const distanceToEnd = ({ scrollHeight, scrollTop, clientHeight }: HTMLElement) =>
  scrollHeight - scrollTop - clientHeight;

/**
 * Calls back when the size of one of the elements changes: rows get their height only when they are rendered, and a panel
 * below the list changes the height of its viewport.
 */
function useResize(elements: readonly RefObject<HTMLElement | null>[], onResize: () => void): void {
  const onChange = useEffectEvent(onResize);
  useEffect(() => {
    const observer = new ResizeObserver(() => onChange());
    for (const { current } of elements) observer.observe(current!);
    return () => observer.disconnect();
    // The elements stay the same.
  }, []);
}

/** The first visible row by its key, and the pixels of it above the viewport. */
interface ScrollAnchor {
  /** `isComplete` of the session at that time. */
  isComplete: boolean;
  key: string;
  by: number;
}

/** The offset at which `by` pixels of a row are above the viewport; undefined for an unknown row. Updates the list. */
function toOffset(list: RowList, at: number, by: number): number | undefined {
  // Apply the measurements of the rows that were rendered in this frame.
  list.getTotalSize();
  const start = list.measurementsCache[at]?.start;
  if (start === undefined) return undefined;
  // Measurements before the next scroll event are applied relative to this offset.
  list.scrollOffset = start + by;
  return list.scrollOffset;
}

/** The row of the event in the address, scrolled into view; -1 for none. */
function useMarked(rows: readonly Row[], seq: number | undefined, show: (at: number) => void): number {
  // The result of a call is a later event than the call, but shown in its row.
  const marked = useMemo(() => (seq === undefined ? -1 : findRecord(rows, seq)), [rows, seq]);
  useEffect(() => {
    if (marked >= 0) show(marked);
    // Once per address, and not for every new row.
  }, [seq]);
  return marked;
}

/** One row. Memoized, because in-flight text changes other rows at every frame. */
const RowView = memo(function RowView({ row, conversation, progress, isMarked }: RowViewProps) {
  switch (row.kind) {
    case 'entry':
      return (
        <EntryView
          entry={row.entry}
          attempt={row.attempt}
          conversation={conversation}
          progress={progress}
          isMarked={isMarked}
        />
      );
    case 'answer': {
      const { id, text, thinking, entry, hasCalls, isLast, isCalling } = row;
      const isUndone = entry !== undefined && conversation.undone.has(entry.turn);
      return (
        <MessagePart
          id={id}
          session={conversation.session}
          source={entry?.text}
          text={text}
          thinking={thinking}
          message={isLast ? entry : undefined}
          hasTools={!hasCalls}
          isGrowing={isLast && entry === undefined}
          isCalling={isCalling}
          marks={toMarks({ isUndone, isMarked })}
        />
      );
    }
    case 'group':
      return <ReadGroupView calls={row.calls} conversation={conversation} isMarked={isMarked} />;
    case 'earlier':
      return <Loading rows={3} />;
    case 'working':
      return <WorkingView conversation={conversation} />;
    case 'queued':
      return (
        <QueuedView message={row.message} session={conversation.session} isRunning={conversation.run !== undefined} />
      );
  }
});

function toProgress(row: Row, { calls }: InFlightText): string | undefined {
  return row.kind === 'entry' && row.entry.kind === 'call' ? calls.get(row.entry.id)?.text : undefined;
}
