import { headOf } from '@klaus/core/cut-text';
import type { SessionView } from '@klaus/server/contract';
import { ArrowDown, ArrowUp, Play } from 'lucide-react';
import type { DragEvent, KeyboardEvent } from 'react';
import { host, nameOf } from '../state/host.ts';
import { toHash, toSession } from '../state/route.ts';
import { useStore } from '../state/store.ts';
import { useBoardText } from '../text/board-text.ts';
import { formatAgo, formatCents, formatTime, formatUsd } from '../text/format.ts';
import { hasAccess } from '../state/access.ts';
import { useText } from '../text/text.ts';
import { withoutMarks } from '../text/render/without-marks.ts';
import { IconButton } from '../ui/button.tsx';
import { StateMark } from '../ui/state-mark.tsx';
import { useNow } from '../ui/use-now.ts';
import { isResumable } from './columns.ts';

/** The kind of data of a dragged card: the id of its session. */
export const DRAGGED = 'text/x-klaus-session';

interface BoardCardProps {
  session: SessionView;
  /** Number of cards in its column. */
  count: number;
  /** True if a queued card can be moved. */
  canMove: boolean;
  isSelected: boolean;
  onSelect: (isSelected: boolean) => void;
  /** Moves a session to a position of the queue, from 1. */
  onMove: (session: string, position: number) => void;
}

export function BoardCard({ session, count, canMove, isSelected, onSelect, onMove }: BoardCardProps) {
  const t = useBoardText();
  const words = useText();
  const now = useNow();
  const { attention } = useStore(host);
  const { id, state, agent, usd, updatedAt, problem, outcomeReason, summary } = session;
  const position = canMove ? session.position : null;
  const name = nameOf(session) ?? words.sessions.untitled;
  const item = attention.items.find((each) => each.session === id);
  const line = withoutMarks(item?.line ?? problem ?? (state === 'failed' ? outcomeReason : summary) ?? '');
  const move = (to: number) => to >= 1 && to <= count && onMove(id, to);
  const canResume = isResumable(session);
  const start = {
    draggable: hasAccess('operator'),
    onDragStart: (event: DragEvent) => event.dataTransfer.setData(DRAGGED, id),
  };
  const drag =
    position === null
      ? canResume
        ? start
        : {}
      : {
          ...start,
          onDragOver: (event: DragEvent) => event.dataTransfer.types.includes(DRAGGED) && event.preventDefault(),
          onDrop: (event: DragEvent) => {
            const dragged = event.dataTransfer.getData(DRAGGED);
            event.preventDefault();
            event.stopPropagation();
            if (dragged !== '' && dragged !== id) onMove(dragged, position);
          },
          onKeyDown: (event: KeyboardEvent) => {
            if (!event.altKey || (event.key !== 'ArrowUp' && event.key !== 'ArrowDown')) return;
            event.preventDefault();
            move(position + (event.key === 'ArrowUp' ? -1 : 1));
          },
        };
  return (
    <li className="board-card column" data-session={id} {...drag}>
      <div className="line">
        <StateMark state={state} outcome={session.outcome} />
        <a href={toHash(toSession(id))} className="grow board-name" dir="auto" title={headOf(name, 300)}>
          {name}
        </a>
        <input
          type="checkbox"
          className="board-pick"
          aria-label={t.select(name)}
          checked={isSelected}
          onChange={(event) => onSelect(event.target.checked)}
        />
      </div>
      {line === '' ? null : (
        <p className="small muted ellipsis" dir="auto" title={headOf(line, 300)}>
          {line}
        </p>
      )}
      <div className="line small muted board-facts">
        <span className="ellipsis">{agent}</span>
        <span className="number" title={formatUsd(usd)}>
          {formatCents(usd)}
        </span>
        <span className="number" title={formatTime(Date.parse(item?.since ?? updatedAt))}>
          {formatAgo(Date.parse(item?.since ?? updatedAt), now)}
        </span>
        {canResume ? (
          <span className="line board-moves">
            <IconButton needs="operator" label={t.again(name)} icon={Play} onClick={() => onMove(id, 1)} />
          </span>
        ) : null}
        {position === null ? null : (
          <span className="line board-moves">
            <IconButton
              needs="operator"
              label={t.up(name)}
              icon={ArrowUp}
              disabled={position <= 1}
              onClick={() => move(position - 1)}
            />
            <IconButton
              needs="operator"
              label={t.down(name)}
              icon={ArrowDown}
              disabled={position >= count}
              onClick={() => move(position + 1)}
            />
          </span>
        )}
      </div>
    </li>
  );
}
