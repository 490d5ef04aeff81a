import { ArrowLeft, Trash2 } from 'lucide-react';
import { useState, type CSSProperties } from 'react';
import { host, sessionOf } from '../state/host.ts';
import { go } from '../state/route.ts';
import { useStore } from '../state/store.ts';
import { useBoardText } from '../text/board-text.ts';
import { Button } from '../ui/button.tsx';
import { Empty, Failed, Loading } from '../ui/empty.tsx';
import { loadCompared, toLetter, toPaths, type Compared } from './compared.ts';
import { ComparedFiles } from './compared-files.tsx';
import { ComparedHead } from './compared-head.tsx';
import { DiscardDialog, type NamedCopy } from './discard-dialog.tsx';
import { MergeDialog } from './merge-dialog.tsx';
import { seeEnds } from './see-ends.ts';
import { useEach } from './use-each.ts';

/** A dialog about working copies, as they were when it was opened. */
type Open =
  | { kind: 'merge'; copy: NamedCopy; rest: readonly NamedCopy[] }
  | { kind: 'discard'; copies: readonly NamedCopy[] };

/** The changes of several sessions side by side, file by file. */
export function Comparison({ sessions }: { sessions: readonly string[] }) {
  const t = useBoardText();
  const known = useStore(host);
  const [open, setOpen] = useState<Open | undefined>();
  // Loaded again when a call or a run has ended.
  const { results, refetch } = useEach(sessions, loadCompared, (id) => {
    const session = sessionOf(known, id);
    return `${session?.state} ${session?.toolCalls}`;
  });
  const values = results.map((result) => result?.value);
  const named = sessions.flatMap((id, at): NamedCopy[] => {
    const { copy, files = [] } = values[at] ?? {};
    return copy ? [{ id, letter: toLetter(at), copy, files: files.length }] : [];
  });
  const hasResult = values.some((value) => value?.ended !== undefined && value.ended !== 'discarded');
  const paths = toPaths(values);
  const close = () => setOpen(undefined);
  const merge = (id: string) => {
    const copy = named.find((each) => each.id === id);
    if (copy) setOpen({ kind: 'merge', copy, rest: named.filter((each) => each !== copy) });
  };
  /** The user has decided about these sessions. */
  const settle = (copies: readonly NamedCopy[]) => {
    const ids = copies.map(({ id }) => id);
    refetch(ids);
    void seeEnds(ids);
  };
  const discard = (copies: readonly NamedCopy[]) => setOpen({ kind: 'discard', copies });
  return (
    <div className="pane">
      <header className="pane-head line ruled">
        <Button icon={ArrowLeft} variant="quiet" onClick={() => go({ page: 'board' })}>
          {t.back}
        </Button>
        <h1>{t.comparison}</h1>
        <span className="grow" />
        {hasResult && named.length > 0 ? (
          <Button needs="operator" icon={Trash2} variant="danger" onClick={() => discard(named)}>
            {t.discardRest(named.length)}
          </Button>
        ) : null}
      </header>
      <div
        className="comparison"
        tabIndex={0}
        role="group"
        aria-label={t.comparison}
        style={{ '--compared': sessions.length } as CSSProperties}
      >
        <div className="compared-heads">
          {sessions.map((id, at) => (
            <ComparedHead
              key={id}
              {...{ id, at, compared: values[at], others: sessions.filter((other) => other !== id) }}
              onMerge={() => merge(id)}
              onDiscard={() => discard(named.filter((each) => each.id === id))}
              onChange={() => refetch([id])}
            />
          ))}
        </div>
        <ComparedState {...{ sessions, results }} retry={() => refetch(sessions)} />
        {paths.length > 0 ? <ComparedFiles {...{ paths, values }} /> : null}
      </div>
      {open?.kind === 'merge' ? (
        <MergeDialog
          {...open.copy}
          rest={open.rest.length}
          onClose={close}
          onMerged={() => settle([open.copy])}
          onDiscardRest={() => discard(open.rest)}
        />
      ) : null}
      {open?.kind === 'discard' ? (
        <DiscardDialog copies={open.copies} onClose={close} onChange={() => settle(open.copies)} />
      ) : null}
    </div>
  );
}

interface ComparedStateProps {
  sessions: readonly string[];
  results: ReturnType<typeof useEach<Compared>>['results'];
  retry: () => void;
}

/** What is not loaded, has failed, or has no changes. */
function ComparedState({ sessions, results, retry }: ComparedStateProps) {
  const t = useBoardText();
  const isLoading = results.some((result) => result === undefined);
  const failed = results.find((result) => result?.error !== undefined);
  const isEmpty = results.every((result) => result?.value?.files.length === 0);
  return (
    <>
      {failed ? <Failed title={t.failedToLoad} error={failed.error} retry={retry} /> : null}
      {isLoading && !failed ? <Loading rows={sessions.length * 3} /> : null}
      {isEmpty ? <Empty title={t.unchanged} /> : null}
    </>
  );
}
