import type { SessionView } from '@klaus/server/contract';
import { Columns2, Plus } from 'lucide-react';
import { useMemo, useState } from 'react';
import { attempt } from '../actions/attempt.ts';
import { resumeSession } from '../actions/session-actions.ts';
import { client } from '../state/client.ts';
import { host, nameOf, sessionOf } from '../state/host.ts';
import { go } from '../state/route.ts';
import { useStore } from '../state/store.ts';
import { useBoardText } from '../text/board-text.ts';
import { useText } from '../text/text.ts';
import { BackButton } from '../ui/back-button.tsx';
import { Button } from '../ui/button.tsx';
import { Loading } from '../ui/empty.tsx';
import { BoardCard, DRAGGED } from './board-card.tsx';
import { COLUMNS, isResumable, toColumns, type Column } from './columns.ts';
import { Comparison } from './comparison.tsx';
import { StartForm } from './start-form.tsx';
import './board.css';

/** Most cards of a column; the queue is shown completely. */
const MAX_CARDS = 50;
const MAX_COMPARED = 4;

/** The sessions as cards in columns by state, or the comparison of some of them. */
export function BoardPage({ compared }: { compared: readonly string[] | undefined }) {
  return compared && compared.length > 0 ? <Comparison sessions={compared.slice(0, MAX_COMPARED)} /> : <Board />;
}

function Board() {
  const t = useBoardText();
  const words = useText();
  const { sessions, attention, settings, isLoading } = useStore(host);
  const [selected, setSelected] = useState<readonly string[]>([]);
  const [moved, setMoved] = useState('');
  const [isStarting, setStarting] = useState(false);
  const columns = useMemo(() => toColumns({ sessions, attention }), [sessions, attention]);
  const move = async (id: string, position: number) => {
    const at = sessions.get(id);
    // A card from another column continues its run.
    if (at?.state !== 'queued') return at && isResumable(at) ? resumeSession(id) : undefined;
    const answer = await attempt(() => client.moveQueued({ params: { id }, body: { position } }));
    const session = sessionOf(host.get(), id);
    const name = (session && nameOf(session)) ?? words.sessions.untitled;
    if (answer?.position != null) setMoved(t.moved(name, answer.position));
  };
  const select = (id: string, isSelected: boolean) =>
    setSelected((ids) => (isSelected ? [...ids.slice(-MAX_COMPARED + 1), id] : ids.filter((it) => it !== id)));
  const chosen = selected.filter((id) => sessions.has(id));
  return (
    <div className="pane board">
      <header className="pane-head line ruled">
        <BackButton />
        <h1>{t.title}</h1>
        <span className="grow" />
        <Button needs="operator" icon={Plus} aria-expanded={isStarting} onClick={() => setStarting(!isStarting)}>
          {t.start}
        </Button>
        <Button
          icon={Columns2}
          title={t.compareHint}
          disabled={chosen.length < 2}
          onClick={() => go({ page: 'board', compared: chosen })}
        >
          {t.compare(chosen.length)}
        </Button>
      </header>
      {isStarting ? (
        <StartForm
          onStarted={(started, isAll) => {
            setSelected(started.slice(0, MAX_COMPARED));
            if (isAll) setStarting(false);
          }}
        />
      ) : null}
      <p className="unseen" role="status" aria-live="polite">
        {moved}
      </p>
      {isLoading ? <Loading rows={6} /> : null}
      {isLoading ? null : (
        <div className="board-columns" tabIndex={0} role="group" aria-label={t.title}>
          {COLUMNS.map((column) => (
            <BoardColumn
              key={column}
              {...{ column, selected }}
              sessions={columns[column]}
              canMove={settings?.canMoveQueued ?? true}
              onSelect={select}
              onMove={(id, position) => void move(id, position)}
            />
          ))}
        </div>
      )}
    </div>
  );
}

interface BoardColumnProps {
  column: Column;
  sessions: readonly SessionView[];
  selected: readonly string[];
  /** True if the order of the queue can be changed. */
  canMove: boolean;
  onSelect: (session: string, isSelected: boolean) => void;
  onMove: (session: string, position: number) => void;
}

function BoardColumn({ column, sessions, selected, canMove, onSelect, onMove }: BoardColumnProps) {
  const t = useBoardText();
  const shown = column === 'queued' ? sessions : sessions.slice(0, MAX_CARDS);
  return (
    <section
      className={`board-column column ${sessions.length === 0 ? 'board-column-empty' : ''}`}
      aria-labelledby={`board-${column}`}
      data-column={column}
      // Below the cards of the queue: its end.
      onDragOver={(event) => {
        if (column === 'queued' && event.dataTransfer.types.includes(DRAGGED)) event.preventDefault();
      }}
      onDrop={(event) => {
        const dragged = event.dataTransfer.getData(DRAGGED);
        if (column === 'queued' && dragged !== '') onMove(dragged, Math.max(1, sessions.length));
      }}
    >
      <h2 id={`board-${column}`} className="line small">
        {t.columns[column]} <span className="muted number">{sessions.length}</span>
      </h2>
      {shown.length === 0 ? <p className="small muted">{t.none}</p> : null}
      <ul className="column">
        {shown.map((session) => (
          <BoardCard
            key={session.id}
            session={session}
            count={sessions.length}
            canMove={canMove}
            isSelected={selected.includes(session.id)}
            onSelect={(isSelected) => onSelect(session.id, isSelected)}
            onMove={onMove}
          />
        ))}
      </ul>
      {shown.length < sessions.length ? <p className="small muted">{t.more(sessions.length - shown.length)}</p> : null}
    </section>
  );
}
