import { headOf } from '@klaus/core/cut-text';
import type { FactEvent } from '@klaus/core/conversation';
import { LIMIT_NAMES, type EventOf } from '@klaus/core/protocol';
import { CircleAlert, GitFork, Info, TriangleAlert } from 'lucide-react';
import { memo, type ReactNode } from 'react';
import { toHash, toSession } from '../state/route.ts';
import type { Text } from '../text/en.ts';
import { formatDuration, formatLimit } from '../text/format.ts';
import { useText } from '../text/text.ts';
import { RunEnd } from './run-end.tsx';

interface FactLineProps {
  event: FactEvent;
  session: string;
  /** The failed request to the model that ended the run. */
  attempt: EventOf<'model.attempted'> | undefined;
  /** Name of the tool whose call the user rejected, at the end of a run that was denied. */
  rejected: string | undefined;
}

/** The line of an event, or the summary at the end of a run. */
export const FactLine = memo(function FactLine({ event, session, attempt, rejected }: FactLineProps) {
  const t = useText();
  if (event.type === 'run.finished')
    return <RunEnd event={event} session={session} attempt={attempt} rejected={rejected} />;
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
      const { attempt, message, model, outcome, retryInMs, fallback } = event;
      // The names of failures; the others have no line.
      const title = outcome === 'ok' || outcome === 'cancelled' ? outcome : t.failures.titles[outcome];
      const words = [
        t.facts.attempt(model, title),
        message,
        attempt > 1 ? t.failures.attempts(attempt) : undefined,
        fallback && t.facts.answersInstead(fallback.model),
        retryInMs === undefined ? undefined : t.facts.retryIn(formatDuration(retryInMs)),
      ];
      return { words: words.filter(Boolean).join(' · '), look: 'warn' };
    }
    case 'workspace.restored': {
      const kept = event.kept.length > 0 ? `; ${t.facts.kept(event.kept.length)}` : '';
      return { words: `${t.facts.restored[event.kind]}: ${t.facts.paths(event.files)}, ${t.call.by(event.by)}${kept}` };
    }
    case 'workspace.committed':
      return { words: <span title={event.ref}>{t.facts.committed(event.files)}</span> };
    case 'workingCopy.ended':
      return { words: t.facts.copyEnded[event.how] };
    case 'evidence.verified': {
      const checks = event.checks.map(({ command, result }) => `${command}: ${t.facts.checkResult[result]}`);
      const isBad = event.checks.some(({ result }) => result === 'failed' || result === 'denied');
      return { words: `${t.facts.verified}: ${checks.join(' · ')}`, look: isBad ? 'bad' : 'muted' };
    }
    case 'context.compacted':
      return { words: t.facts.compacted(event.dropped) };
    case 'context.pinned':
      return { words: `${t.facts.pinned}: ${headOf(event.text, 200)}` };
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
      {t.facts.opened(event.model, t.composer.modeNames[event.mode], event.sandbox)}
      {LIMIT_NAMES.some((limit) => (event.limits[limit] ?? 0) > 0) ? ` · ${t.facts.limits(event.limits)}` : ''}
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
