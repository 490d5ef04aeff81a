import type { FactEvent } from '@klaus/core/conversation';
import type { EventOf } from '@klaus/core/protocol';
import { CircleAlert, CircleCheck, CircleSlash, GitFork, Info, RefreshCw, TriangleAlert } from 'lucide-react';
import { memo, type ReactNode } from 'react';
import { resumeSession, verifySession } from '../actions/session-actions.ts';
import { toHash, toSession } from '../state/route.ts';
import type { Text } from '../text/en.ts';
import { formatDuration, formatLimit, formatUsd } from '../text/format.ts';
import { useText } from '../text/text.ts';
import { Button } from '../ui/button.tsx';
import { EvidenceView } from './evidence-view.tsx';

/** The line of an event, or the summary at the end of a run. */
export const FactLine = memo(function FactLine({ event, session }: { event: FactEvent; session: string }) {
  const t = useText();
  if (event.type === 'run.finished') return <RunEnd event={event} session={session} />;
  const { words, look = 'muted' } = toWords(event, t);
  const Icon = look === 'bad' ? CircleAlert : look === 'warn' ? TriangleAlert : Info;
  return (
    <p className={`entry fact line small ${look}`}>
      <Icon size={14} />
      <span className="grow">{words}</span>
    </p>
  );
});

interface Words {
  words: ReactNode;
  look?: 'muted' | 'warn' | 'bad';
}

function toWords(event: Exclude<FactEvent, EventOf<'run.finished'>>, t: Text): Words {
  switch (event.type) {
    case 'session.opened':
      return { words: <Opened event={event} /> };
    case 'session.closed':
      return { words: t.facts.closed(event.reason) };
    case 'model.attempted': {
      const what = event.message ?? event.outcome.replaceAll('_', ' ');
      const again = event.retryInMs === undefined ? '' : `; ${t.facts.retryIn(formatDuration(event.retryInMs))}`;
      return { words: `${t.facts.attempt(event.model, what)}${again}`, look: 'warn' };
    }
    case 'workspace.restored': {
      const kept = event.kept.length > 0 ? `; ${t.facts.kept(event.kept.length)}` : '';
      return { words: `${t.facts.restored[event.kind]}: ${t.facts.paths(event.files)}, ${t.call.by(event.by)}${kept}` };
    }
    case 'workspace.committed':
      return { words: t.facts.committed(event.ref, event.files) };
    case 'workingCopy.ended':
      return { words: t.facts.copyEnded(event.how) };
    case 'evidence.verified': {
      const checks = event.checks.map(({ command, result }) => `${command}: ${t.facts.checkResult[result]}`);
      const isBad = event.checks.some(({ result }) => result === 'failed' || result === 'denied');
      return { words: `${t.facts.verified}: ${checks.join(' · ')}`, look: isBad ? 'bad' : 'muted' };
    }
    case 'context.compacted':
      return { words: t.facts.compacted(event.dropped) };
    case 'context.pinned':
      return { words: `${t.facts.pinned}: ${event.text.slice(0, 200)}` };
    case 'context.unpinned':
      return { words: `${t.facts.unpinned}: ${event.pin}` };
    case 'runner.opened':
      return { words: t.facts.agentOpened(event.agent, event.resumed) };
    case 'process.changed': {
      const code = event.exitCode === undefined ? '' : `, ${t.call.exit(event.exitCode)}`;
      const words = `${event.process} ${t.facts.process[event.state]}${code}: ${event.command}`;
      return { words, look: event.state === 'lost' ? 'warn' : 'muted' };
    }
    case 'grant.escalated':
      return { words: t.facts.escalated(event.authorities.length, new Date(event.expiresAt)) };
    case 'usage.counted': {
      const { limit, percent, used, cap } = event;
      const words = t.facts.budget({
        percent,
        limit: t.limits[limit],
        used: formatLimit(limit, used),
        cap: formatLimit(limit, cap),
      });
      return { words, look: 'warn' };
    }
    case 'notice':
      return { words: event.text, look: event.level === 'info' ? 'muted' : event.level === 'warn' ? 'warn' : 'bad' };
  }
}

function Opened({ event }: { event: EventOf<'session.opened'> }) {
  const t = useText();
  return (
    <>
      {t.facts.opened(event.model, event.mode, event.sandbox)}
      {event.forked ? (
        <>
          {' · '}
          <GitFork size={12} /> {t.conversation.forkedFrom}{' '}
          <a href={toHash(toSession(event.forked.session))}>{event.forked.session}</a>
        </>
      ) : null}
    </>
  );
}

function RunEnd({ event, session }: { event: EventOf<'run.finished'>; session: string }) {
  const t = useText();
  const { outcome, reason, evidence, claims = [], limit } = event;
  const look = outcome === 'done' ? 'good' : outcome === 'cancelled' ? 'muted' : 'bad';
  const Icon = outcome === 'done' ? CircleCheck : outcome === 'cancelled' ? CircleSlash : CircleAlert;
  // Only the last result of a repeated check counts.
  const last = new Map(evidence.map((check) => [check.command, check]));
  return (
    <section className={`entry end end-${look} column`}>
      <p className="end-head line">
        <Icon size={14} className={look} />
        <strong>{t.facts.outcome[outcome]}</strong>
        <span className="muted number">
          {t.facts.facts(event.turns, event.toolCalls)}, {formatUsd(event.usd)}
        </span>
      </p>
      {outcome === 'done' ? null : <p>{reason}</p>}
      {[...last.values()].map((check) => (
        <EvidenceView key={check.call} evidence={check} />
      ))}
      {claims.map(({ said, status, reason: why }, at) => (
        <p key={at} className="claim">
          <span className={status === 'verified' ? 'good' : status === 'contradicted' ? 'bad' : 'warn'}>
            {t.facts.claim[status]}
          </span>{' '}
          <q>{said}</q> <span className="muted">{why}</span>
        </p>
      ))}
      {last.size > 0 ? (
        <Button needs="operator" variant="quiet" keys="v" icon={RefreshCw} onClick={() => void verifySession(session)}>
          {t.facts.verifyAgain}
        </Button>
      ) : null}
      {outcome === 'done' ? null : (
        <Button
          needs="operator"
          onClick={() => void resumeSession(session, limit ? { [limit.limit]: limit.offer } : {})}
        >
          {limit ? `${t.facts.raise} (${formatLimit(limit.limit, limit.offer)})` : t.facts.resume}
        </Button>
      )}
    </section>
  );
}
