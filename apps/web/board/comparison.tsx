import { ArrowLeft } from 'lucide-react';
import { markSeen, pinSession } from '../actions/session-actions.ts';
import { DiffText } from '../diff/diff-text.tsx';
import { client } from '../state/client.ts';
import { host, nameOf, sessionOf } from '../state/host.ts';
import { go, toHash, toSession } from '../state/route.ts';
import { useStore } from '../state/store.ts';
import { useBoardText } from '../text/board-text.ts';
import { formatUsd } from '../text/format.ts';
import { useText } from '../text/text.ts';
import { Button } from '../ui/button.tsx';
import { Empty, Pending } from '../ui/empty.tsx';
import { StateMark } from '../ui/state-mark.tsx';
import { useQuery } from '../ui/use-query.ts';

/** The changes of several sessions side by side. */
export function Comparison({ sessions }: { sessions: readonly string[] }) {
  const t = useBoardText();
  return (
    <div className="pane">
      <header className="pane-head line ruled">
        <Button icon={ArrowLeft} variant="quiet" onClick={() => go({ page: 'board' })}>
          {t.back}
        </Button>
        <h1>{t.comparison}</h1>
      </header>
      <div className="comparison" tabIndex={0} role="group" aria-label={t.comparison}>
        {sessions.map((id) => (
          <Compared key={id} id={id} others={sessions.filter((other) => other !== id)} />
        ))}
      </div>
    </div>
  );
}

function Compared({ id, others }: { id: string; others: readonly string[] }) {
  const t = useBoardText();
  const words = useText();
  const known = useStore(host);
  const session = sessionOf(known, id);
  // Loaded again when the session changed.
  const loaded = useQuery(`${id} ${session?.lastSeq ?? 0}`, (signal) =>
    client.changes({ params: { id }, query: {} }, { signal }),
  );
  const name = (session && nameOf(session)) ?? words.sessions.untitled;
  const choose = async () => {
    if (session && !session.pinned) await pinSession(session);
    for (const item of known.attention.items) if (others.includes(item.session)) await markSeen(item);
    go(toSession(id, 'changes'));
  };
  const count = loaded.value?.changes.length ?? 0;
  return (
    <section className="compared column" aria-label={name.slice(0, 80)}>
      <header className="column">
        <div className="line">
          {session ? <StateMark state={session.state} /> : null}
          <h2 className="ellipsis grow">
            <a href={toHash(toSession(id))}>{name}</a>
          </h2>
          <Button variant="primary" title={t.chooseHint(name)} onClick={() => void choose()}>
            {t.choose}
          </Button>
        </div>
        <p className="line small muted board-facts">
          <span className="ellipsis">{session?.agent}</span>
          {session ? <span className="number">{formatUsd(session.usd)}</span> : null}
          {loaded.value && count > 0 ? <span className="number">{t.changed(count)}</span> : null}
        </p>
      </header>
      <Pending query={loaded} title={t.failedToLoad} rows={6} />
      {loaded.value && count === 0 ? <Empty title={t.unchanged} /> : null}
      {loaded.value && count > 0 ? <DiffText diff={loaded.value.diff} /> : null}
    </section>
  );
}
