import type { EventOf, Outcome } from '@klaus/core/protocol';
import { CircleAlert, CircleCheck, CircleSlash, CircleStop, RefreshCw, TriangleAlert } from 'lucide-react';
import { resumeSession, verifySession } from '../actions/session-actions.ts';
import { useAccess } from '../state/access.ts';
import { host } from '../state/host.ts';
import { toHash } from '../state/route.ts';
import { useStore } from '../state/store.ts';
import type { Text } from '../text/en.ts';
import { formatCost, formatLimit } from '../text/format.ts';
import { toReasonText } from '../text/run/reason-text.ts';
import { useText } from '../text/text.ts';
import { Button } from '../ui/button.tsx';
import { CodeText } from '../ui/code-text.tsx';
import { EvidenceView } from './evidence-view.tsx';

/** The icon and the colour of each outcome. Only errors are red: what the user stopped or rejected did not fail. */
const MARKS = {
  done: { Icon: CircleCheck, look: 'good' },
  failed: { Icon: CircleAlert, look: 'bad' },
  model_failed: { Icon: CircleAlert, look: 'bad' },
  limit: { Icon: TriangleAlert, look: 'warn' },
  denied: { Icon: CircleSlash, look: 'muted' },
  cancelled: { Icon: CircleStop, look: 'muted' },
} as const satisfies Record<Outcome, unknown>;

/** The styles of the gate's verdicts for each status of a claim. */
const CLAIMS: Readonly<Record<string, string>> = { verified: 'allow', contradicted: 'deny' };

interface RunEndProps {
  event: EventOf<'run.finished'>;
  session: string;
  /** The failed request to the model that ended the run. */
  attempt: EventOf<'model.attempted'> | undefined;
  /** Name of the tool whose call the user rejected. */
  rejected: string | undefined;
}

/** The summary at the end of a run: the outcome, its reason, the evidence and what to do next. */
export function RunEnd({ event, session, attempt, rejected }: RunEndProps) {
  const t = useText();
  const { outcome, evidence, claims = [] } = event;
  const { Icon, look } = MARKS[outcome];
  // Only the last result of a repeated check counts.
  const last = new Map(evidence.map((check) => [check.command, check]));
  return (
    <section className={`entry end end-${look} column`}>
      <p className="end-head line">
        <Icon size={14} className={look} />
        <strong>{toTitle(event, attempt, t)}</strong>
        <span className="muted number">
          {t.facts.facts(event.turns, event.toolCalls)}, {formatCost(event.usd, event.held?.usd)}
        </span>
      </p>
      {outcome === 'done' ? null : attempt ? (
        <FailedRequest attempt={attempt} />
      ) : (
        <p>{rejected === undefined ? toReasonText(event.reason, t) : t.reasons.youRejected(rejected)}</p>
      )}
      {[...last.values()].map((check) => (
        <EvidenceView key={check.call} evidence={check} />
      ))}
      {claims.map(({ said, status, reason: why }, at) => (
        <p key={at} className="claim">
          <span className={`verdict verdict-${CLAIMS[status] ?? 'ask'}`}>{t.facts.claim[status]}</span> <q>{said}</q>{' '}
          <span className="muted">{why}</span>
        </p>
      ))}
      {last.size > 0 ? (
        <Button needs="operator" variant="quiet" keys="v" icon={RefreshCw} onClick={() => void verifySession(session)}>
          {t.facts.verifyAgain}
        </Button>
      ) : null}
      <ResumeButton event={event} session={session} />
    </section>
  );
}

function toTitle({ outcome }: EventOf<'run.finished'>, attempt: RunEndProps['attempt'], t: Text): string {
  const failure = attempt?.outcome;
  return failure === undefined || failure === 'ok' || failure === 'cancelled'
    ? t.facts.outcome[outcome]
    : t.failures.titles[failure];
}

/** The message of the provider once, the number of attempts, and where a rejected key is set. */
function FailedRequest({
  attempt: { attempt, message, model, outcome, status },
}: {
  attempt: EventOf<'model.attempted'>;
}) {
  const t = useText();
  const words = [model, message, attempt > 1 ? t.failures.attempts(attempt) : undefined].filter(Boolean);
  return (
    <>
      <p className="muted">{words.join(' · ')}</p>
      {outcome === 'auth' && status !== 403 ? (
        <p>
          <CodeText text={t.failures.rejectedKey(model.split('/')[0]!)} /> <SettingsLink />
        </p>
      ) : null}
    </>
  );
}

/** A link to the keys, for a user who may change them. */
function SettingsLink() {
  const t = useText();
  const { settings } = useStore(host);
  const isAdmin = useAccess('admin');
  if (!isAdmin || !settings?.hasSettings) return null;
  return <a href={toHash({ page: 'settings', section: 'keys' })}>{t.failures.toSettings}</a>;
}

function ResumeButton({ event: { outcome, limit }, session }: Pick<RunEndProps, 'event' | 'session'>) {
  const t = useText();
  if (outcome === 'done') return null;
  const words = limit
    ? `${t.facts.raise} (${formatLimit(limit.limit, limit.offer)})`
    : outcome === 'model_failed'
      ? t.app.retry
      : t.facts.resume;
  return (
    <Button needs="operator" onClick={() => void resumeSession(session, limit ? { [limit.limit]: limit.offer } : {})}>
      {words}
    </Button>
  );
}
