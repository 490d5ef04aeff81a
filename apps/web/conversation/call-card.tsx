import {
  ChevronRight,
  CircleAlert,
  CircleCheck,
  CircleDashed,
  CircleQuestionMark,
  CircleSlash,
  LoaderCircle,
  SquareTerminal,
} from 'lucide-react';
import { TerminalOutput } from '../ansi/terminal-output.tsx';
import { DiffText } from '../diff/diff-text.tsx';
import { Code } from '../highlight/code.tsx';
import type { CallEntry } from '../log/entry.ts';
import { CallApproval } from '../review/call-approval.tsx';
import { formatDuration } from '../text/format.ts';
import type { Text } from '../text/en.ts';
import { useText } from '../text/text.ts';
import { CopyButton } from '../ui/copy-button.tsx';
import { useSavedState } from '../ui/use-saved-state.ts';
import { useNow } from '../ui/use-now.ts';
import { OutputView } from './output-view.tsx';
import { EvidenceView } from './evidence-view.tsx';
import { isCommand, toSubject } from './subject.ts';
import './call-card.css';

/** Lines of a running call's output that are shown while the card is collapsed. */
const LIVE_LINES = 8;

interface CallCardProps {
  call: CallEntry;
  session: string;
  progress: string | undefined;
  isUndone: boolean;
}

/** One tool call with its state, and expandable details. */
export function CallCard({ call, session, progress, isUndone }: CallCardProps) {
  const t = useText();
  const [isOpen, setOpen] = useSavedState(`call ${call.id}`, false);
  const { name, input, state, result } = call;
  const subject = toSubject(input);
  return (
    <article className={`entry call call-${toStatus(call)}`} aria-label={`${name} ${subject}`.trim().slice(0, 200)}>
      <button type="button" className="call-head" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        <ChevronRight size={14} className="fold-mark" />
        <CallMark call={call} />
        <span className="call-name">{name}</span>
        <span className="call-subject">{subject}</span>
        {isUndone ? <span className="chip">{t.conversation.undone}</span> : null}
        <CallFacts call={call} />
      </button>
      {state === 'asked' && call.asked ? <CallApproval asked={call.asked} /> : null}
      {call.answer && call.answer.answer !== 'superseded' ? <Answered call={call} /> : null}
      {state === 'running' && progress !== undefined && !isOpen ? (
        <TerminalOutput text={progress} label={t.call.output} last={LIVE_LINES} />
      ) : null}
      {result?.evidence && !isOpen ? <EvidenceView evidence={result.evidence} isShort /> : null}
      {isOpen ? <CallBody call={call} session={session} progress={progress} /> : null}
    </article>
  );
}

function toStatus({ state, result }: CallEntry): string {
  if (state !== 'finished') return state;
  return result?.outcome ?? 'ok';
}

function toLabel(call: CallEntry, t: Text): string {
  if (call.state === 'finished') return t.call[call.result?.outcome ?? 'ok'];
  return t.call[call.state];
}

function CallMark({ call }: { call: CallEntry }) {
  const t = useText();
  const status = toStatus(call);
  const Icon =
    status === 'running'
      ? LoaderCircle
      : status === 'asked'
        ? CircleQuestionMark
        : status === 'ok'
          ? CircleCheck
          : status === 'waiting'
            ? CircleDashed
            : status === 'denied' || status === 'cancelled'
              ? CircleSlash
              : CircleAlert;
  const label = toLabel(call, t);
  return (
    <span className="call-mark" role="img" aria-label={label} title={label}>
      <Icon size={14} aria-hidden className={status === 'running' ? 'spin' : ''} />
    </span>
  );
}

/** Time, exit code and number of files. */
function CallFacts({ call }: { call: CallEntry }) {
  const t = useText();
  const now = useNow(call.state === 'running');
  const { startedAt, result, state } = call;
  const exitCode = toExitCode(result?.detail);
  const changes = result?.changes.length ?? 0;
  return (
    <span className="call-facts number">
      {changes > 0 ? <span>{t.call.files(changes)}</span> : null}
      {typeof exitCode === 'number' && exitCode !== 0 ? <span className="bad">{t.call.exit(exitCode)}</span> : null}
      {state === 'running' && startedAt !== undefined ? (
        <span>{formatDuration(Math.max(0, Math.floor((now - startedAt) / 1_000) * 1_000))}</span>
      ) : null}
      {result ? <span>{formatDuration(result.durationMs)}</span> : null}
    </span>
  );
}

/** The exit code of a command; null if a signal ended it, and for other tools. */
function toExitCode(detail: unknown): number | null {
  const { exitCode } = (detail ?? {}) as { exitCode?: number | null };
  return exitCode ?? null;
}

function Answered({ call }: { call: CallEntry }) {
  const t = useText();
  const { answer, asked } = call;
  if (!answer) return null;
  const all = asked && asked.subject.kind !== 'limit' ? (asked.subject.hunks?.length ?? 0) : 0;
  const scope = answer.scope !== undefined && answer.scope !== 'once' ? t.approval.scopes[answer.scope] : undefined;
  const words = [
    t.call.answer[answer.answer],
    answer.hunks
      ? t.call.partly(new Set([...answer.hunks.accepted, ...(answer.hunks.edited ?? []).map(({ id }) => id)]).size, all)
      : undefined,
    t.call.by(answer.by),
    scope,
    answer.note,
  ];
  return (
    <p className={`call-answer ${answer.answer === 'approved' ? 'good' : 'bad'}`}>
      {words.filter(Boolean).join(' · ')}
    </p>
  );
}

function CallBody({ call, session, progress }: Pick<CallCardProps, 'call' | 'session' | 'progress'>) {
  const t = useText();
  const { input, result, diff, decisions, asked } = call;
  const shownDiff = diff ?? (asked && asked.subject.kind !== 'limit' ? asked.subject.diff : undefined);
  const output = result?.output ?? progress;
  return (
    <div className="call-body">
      <section>
        <p className="label">{t.call.input}</p>
        {isCommand(input) ? (
          <p className="command">
            <SquareTerminal size={14} />
            <code>{input.command}</code>
            <CopyButton text={input.command} />
          </p>
        ) : (
          <Code text={typeof input === 'string' ? input : JSON.stringify(input, null, 2)} language="json" />
        )}
      </section>
      {decisions.length > 0 ? (
        <ul className="call-gate">
          {decisions.map((decision) => (
            <li key={decision.seq}>
              <span className={`verdict verdict-${decision.verdict}`}>{t.call.verdict[decision.verdict]}</span>
              <span className="muted">
                {decision.rule}: {decision.reason}
              </span>
            </li>
          ))}
        </ul>
      ) : null}
      {shownDiff === undefined || shownDiff === '' ? null : <DiffText diff={shownDiff} />}
      {result?.evidence ? <EvidenceView evidence={result.evidence} /> : null}
      {output === undefined || output === '' ? null : (
        <OutputView
          session={session}
          call={call.id}
          text={output}
          isCut={result?.blob !== undefined}
          isRunning={result === undefined}
        />
      )}
      {result && isCommand(input) ? (
        <p className="muted call-ended">
          {t.call.ended(
            result.detail === undefined ? t.call[result.outcome] : t.call.exit(toExitCode(result.detail)),
            formatDuration(result.durationMs),
          )}
        </p>
      ) : null}
    </div>
  );
}
