import { Redo2, Undo2 } from 'lucide-react';
import { useMemo, useState } from 'react';
import { parseDiff, toRows, type Conversation } from '@klaus/core/conversation';
import { redoTurn } from '../actions/session-actions.ts';
import { DiffRowView } from '../diff/diff-row.tsx';
import { LayoutSwitch } from '../diff/layout-switch.tsx';
import { client } from '../state/client.ts';
import { overlay } from '../state/overlay.ts';
import { preferences } from '../state/preferences.ts';
import { useStore } from '../state/store.ts';
import { useText } from '../text/text.ts';
import { Button } from '../ui/button.tsx';
import { Empty, Pending } from '../ui/empty.tsx';
import { useQuery } from '../ui/use-query.ts';
import { VirtualList } from '../ui/virtual-list.tsx';
import { lazyComponent } from '../ui/lazy-component.tsx';
import { toImageChanges } from '../viewers/image-changes.ts';
import '../diff/diff.css';
import './files.css';

const ImageDiff = lazyComponent(async () => (await import('../viewers/image-diff.tsx')).ImageDiff);

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
  const images = useMemo(() => toImageChanges(loaded.value?.changes ?? []), [loaded.value]);
  const rows = useMemo(() => toRows(hunks, split ? 'split' : 'unified'), [hunks, split]);
  return (
    <section className="pane" aria-label={t.changes.title}>
      <div className="pane-head line ruled">
        <label className="check line">
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
        <span className="grow" />
        <LayoutSwitch />
        <Button
          needs="operator"
          icon={Undo2}
          disabled={changing.size === 0}
          onClick={() => overlay.set({ kind: 'undo', session, turn: undefined })}
        >
          {t.changes.undo}
        </Button>
        <Button
          needs="operator"
          icon={Redo2}
          disabled={conversation.undone.size === 0}
          onClick={() => void redoTurn(session)}
        >
          {t.changes.redo}
        </Button>
      </div>
      <Pending query={loaded} title={t.changes.failed} rows={10} />
      {loaded.value && rows.length === 0 ? <Empty title={t.changes.none} hint={t.changes.noneHint} /> : null}
      {rows.length > 0 ? (
        <VirtualList
          label={t.changes.title}
          className="diff"
          count={rows.length}
          estimateSize={(at) => (rows[at]!.kind === 'file' ? 36 : 20)}
          overscan={20}
        >
          {(at) => {
            const row = rows[at]!;
            const change = row.kind === 'hunk' ? images.get(row.hunk.path) : undefined;
            return change ? (
              <ImageDiff session={session} turn={turn} version={version} {...change} />
            ) : (
              <DiffRowView row={row} heading="h2" />
            );
          }}
        </VirtualList>
      ) : null}
    </section>
  );
}
