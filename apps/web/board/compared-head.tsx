import { headOf } from '@klaus/core/cut-text';
import { GitMerge, RotateCcw } from 'lucide-react';
import { attempt } from '../actions/attempt.ts';
import { pinSession } from '../actions/session-actions.ts';
import { client } from '../state/client.ts';
import { host, nameOf, sessionOf } from '../state/host.ts';
import { go, toHash, toSession } from '../state/route.ts';
import { useStore } from '../state/store.ts';
import { showToast } from '../state/toasts.ts';
import { useBoardText } from '../text/board-text.ts';
import { formatUsd } from '../text/format.ts';
import { useText } from '../text/text.ts';
import { Button } from '../ui/button.tsx';
import { StateMark } from '../ui/state-mark.tsx';
import { toLetter, type Compared } from './compared.ts';
import { seeEnds } from './see-ends.ts';

interface ComparedHeadProps {
  id: string;
  at: number;
  /** Undefined until it is loaded. */
  compared: Compared | undefined;
  others: readonly string[];
  onMerge: () => void;
  onDiscard: () => void;
  /** The working copy has ended, or was restored. */
  onChange: () => void;
}

/** One compared session: its facts, and what can be done with its changes. */
export function ComparedHead(props: ComparedHeadProps) {
  const { id, at, compared } = props;
  const t = useBoardText();
  const words = useText();
  const session = sessionOf(useStore(host), id);
  const name = (session && nameOf(session)) ?? words.sessions.untitled;
  const { copy, ended, files = [] } = compared ?? {};
  const sum = (key: 'added' | 'removed') => files.reduce((total, file) => total + file[key], 0);
  return (
    <section className="compared column" aria-label={`${toLetter(at)}: ${headOf(name, 80)}`} data-session={id}>
      <div className="line">
        <span className="compared-letter">{toLetter(at)}</span>
        {session ? <StateMark state={session.state} outcome={session.outcome} /> : null}
        <h2 className="ellipsis grow" title={headOf(name, 300)}>
          <a href={toHash(toSession(id))}>{name}</a>
        </h2>
      </div>
      <p className="line small muted board-facts">
        <span className="ellipsis">{session?.agent}</span>
        {session ? <span className="number">{formatUsd(session.usd)}</span> : null}
        {files.length > 0 ? (
          <span className="number">
            {t.changed(files.length)}, {t.lines(sum('added'), sum('removed'))}
          </span>
        ) : null}
        {copy ? (
          <span className="ellipsis mono">
            {copy.target === null ? copy.branch : t.branchOf(copy.branch, copy.target)}
          </span>
        ) : null}
        {ended ? <strong className={ended === 'discarded' ? 'muted' : 'good'}>{t.ended[ended]}</strong> : null}
      </p>
      {compared ? <Actions {...props} compared={compared} name={name} isHeld={session?.held === true} /> : null}
    </section>
  );
}

interface ActionsProps extends ComparedHeadProps {
  compared: Compared;
  name: string;
  isHeld: boolean;
}

function Actions({ id, compared, name, isHeld, others, onMerge, onDiscard, onChange }: ActionsProps) {
  const t = useBoardText();
  const known = useStore(host);
  const keep = async (toText: (branch: string) => string) => {
    const kept = await attempt(() => client.keepCopy({ params: { copy: compared.copy?.name ?? id }, body: {} }));
    if (kept) showToast({ kind: 'info', text: [toText(kept.branch), ...kept.notes].join(' '), lastsMs: 8_000 });
    if (kept) await seeEnds([id]);
    onChange();
  };
  const choose = async () => {
    const session = sessionOf(known, id);
    if (session && !session.pinned) await pinSession(session);
    await seeEnds(others);
    go(toSession(id, 'changes'));
  };
  const title = isHeld ? { title: t.stopFirst, disabled: true } : {};
  if (compared.copy) {
    return (
      <div className="line compared-actions">
        <Button needs="operator" variant="primary" icon={GitMerge} onClick={onMerge} {...title}>
          {t.merge}
        </Button>
        <Button needs="operator" title={t.keepHint} onClick={() => void keep(t.kept)} {...title}>
          {t.keep}
        </Button>
        <Button needs="operator" variant="danger" onClick={onDiscard} {...title}>
          {t.discard}
        </Button>
      </div>
    );
  }
  return (
    <div className="line compared-actions">
      {compared.ended === 'discarded' ? (
        <Button needs="operator" icon={RotateCcw} onClick={() => void keep(t.restored)}>
          {t.restore}
        </Button>
      ) : null}
      {compared.ended === undefined ? (
        <Button needs="operator" variant="primary" title={t.chooseHint(name)} onClick={() => void choose()}>
          {t.choose}
        </Button>
      ) : null}
    </div>
  );
}
