import { Redo2, Undo2 } from 'lucide-react';
import { useVirtualizer } from '@tanstack/react-virtual';
import { useMemo, useRef, useState } from 'react';
import { redoTurn } from '../actions/session-actions.ts';
import { SIGNS } from '../diff/diff-text.tsx';
import { parseDiff, toRows, type DiffLine, type DiffRow } from '../diff/diff-model.ts';
import type { Conversation } from '../log/conversation.ts';
import { client } from '../state/client.ts';
import { overlay } from '../state/overlay.ts';
import { changePreferences, preferences } from '../state/preferences.ts';
import { useStore } from '../state/store.ts';
import { useText } from '../text/text.ts';
import { Button } from '../ui/button.tsx';
import { Empty, Failed, Loading } from '../ui/empty.tsx';
import { useQuery } from '../ui/use-query.ts';
import '../diff/diff.css';
import './files.css';

/** The changes of a session, or of one turn, to the workspace. */
export function ChangesView({ conversation, seq }: { conversation: Conversation; seq: number }) {
  const t = useText();
  const { split } = useStore(preferences);
  const { session, changing } = conversation;
  const [turn, setTurn] = useState<number | undefined>();
  // Reload after changes, undos and runs, and not at every event.
  const version = `${changing.size} ${[...conversation.undone].join()} ${conversation.run ? '' : seq}`;
  const loaded = useQuery(`${session} ${turn} ${version}`, (signal) =>
    client.changes({ params: { id: session }, query: turn === undefined ? {} : { turn } }, { signal }),
  );
  const hunks = useMemo(() => parseDiff(loaded.value?.diff ?? ''), [loaded.value]);
  const rows = useMemo(() => toRows(hunks, split ? 'split' : 'unified'), [hunks, split]);
  return (
    <section className="pane" aria-label={t.changes.title}>
      <div className="pane-head">
        <label className="check">
          <span className="muted">{t.changes.choose}</span>
          <select
            className="field"
            value={turn ?? ''}
            onChange={(event) => setTurn(event.target.value === '' ? undefined : Number(event.target.value))}
          >
            <option value="">{t.changes.all}</option>
            {[...changing].map((it) => (
              <option key={it} value={it}>
                {t.changes.turn(it)}
              </option>
            ))}
          </select>
        </label>
        {loaded.value ? <span className="muted number">{t.changes.files(loaded.value.changes.length)}</span> : null}
        <span className="composer-gap" />
        <div className="segments" role="group" aria-label={t.approval.rows}>
          <button type="button" aria-pressed={!split} onClick={() => changePreferences({ split: false })}>
            {t.approval.unified}
          </button>
          <button type="button" aria-pressed={split} onClick={() => changePreferences({ split: true })}>
            {t.approval.split}
          </button>
        </div>
        <Button
          icon={<Undo2 size={14} />}
          disabled={changing.size === 0}
          onClick={() => overlay.set({ kind: 'undo', session, turn: undefined })}
        >
          {t.changes.undo}
        </Button>
        <Button
          icon={<Redo2 size={14} />}
          disabled={conversation.undone.size === 0}
          onClick={() => void redoTurn(session)}
        >
          {t.changes.redo}
        </Button>
      </div>
      {loaded.error === undefined ? null : (
        <Failed title={t.changes.failed} error={loaded.error} retry={loaded.refetch} />
      )}
      {!loaded.value && loaded.error === undefined ? <Loading rows={10} /> : null}
      {loaded.value && rows.length === 0 ? <Empty title={t.changes.none} hint={t.changes.noneHint} /> : null}
      {rows.length > 0 ? <DiffRows rows={rows} label={t.changes.title} /> : null}
    </section>
  );
}

function DiffRows({ rows, label }: { rows: readonly DiffRow[]; label: string }) {
  const scroll = useRef<HTMLDivElement>(null);
  const list = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroll.current,
    estimateSize: (at) => (rows[at]!.kind === 'file' ? 36 : 20),
    overscan: 20,
  });
  return (
    <div ref={scroll} className="diff rows" tabIndex={0} role="group" aria-label={label}>
      <div className="rows-inner" style={{ height: list.getTotalSize() }}>
        {list.getVirtualItems().map(({ index, key, start }) => (
          <div
            key={key}
            ref={list.measureElement}
            data-index={index}
            className="rows-row"
            style={{ transform: `translateY(${start}px)` }}
          >
            <DiffRowView row={rows[index]!} />
          </div>
        ))}
      </div>
    </div>
  );
}

function DiffRowView({ row }: { row: DiffRow }) {
  switch (row.kind) {
    case 'file':
      return <h2 className="rows-file ellipsis mono">{row.path}</h2>;
    case 'hunk':
      return (
        <p className="diff-range">
          {row.hunk.note ??
            `@@ -${row.hunk.oldStart},${row.hunk.oldLines} +${row.hunk.newStart},${row.hunk.newLines} @@`}
        </p>
      );
    case 'line':
      return <LineView line={row.line} numbers={[row.line.old, row.line.new]} />;
    case 'pair':
      return (
        <div className="diff-pair">
          <LineView line={row.left} numbers={[row.left?.old ?? null]} />
          <LineView line={row.right} numbers={[row.right?.new ?? null]} />
        </div>
      );
  }
}

function LineView({ line, numbers }: { line: DiffLine | null; numbers: readonly (number | null)[] }) {
  if (!line) return <div className="diff-line diff-nothing" />;
  return (
    <div className={`diff-line diff-${line.kind}`}>
      {numbers.map((number, at) => (
        <span key={at} className="diff-number">
          {number}
        </span>
      ))}
      <span className="diff-sign">{SIGNS[line.kind]}</span>
      <span className="diff-code">{line.text}</span>
    </div>
  );
}
