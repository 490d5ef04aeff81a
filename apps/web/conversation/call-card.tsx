import { headOf } from '@klaus/core/cut-text';
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
import { memo } from 'react';
import { isCommand, isDebugTool, toOutputPart, type CallEntry } from '@klaus/core/conversation';
import { hunksOf, toChangedLine, toRejected } from '@klaus/core/protocol';
import { TerminalOutput } from '../ansi/terminal-output.tsx';
import { ChildCard } from '../children/child-card.tsx';
import { DiffText } from '../diff/diff-text.tsx';
import { Code } from '../highlight/code.tsx';
import { Markdown } from '../markdown/markdown.tsx';
import { CallApproval } from '../review/call-approval.tsx';
import { formatDuration } from '../text/format.ts';
import { LogImage } from '../image/log-image.tsx';
import { useRenderText } from '../text/render/render-text.ts';
import { toReasonText } from '../text/run/reason-text.ts';
import { useText } from '../text/text.ts';
import { CopyButton } from '../ui/copy-button.tsx';
import { lazyComponent } from '../ui/lazy-component.tsx';
import { useSavedState } from '../ui/use-saved-state.ts';
import { useNow } from '../ui/use-now.ts';
import { useIsInterrupted } from './use-is-interrupted.ts';
import { OutputView } from './output-view.tsx';
import { EvidenceView } from './evidence-view.tsx';
import { toSubject } from './subject.ts';
import './call-card.css';

const DebugView = lazyComponent(async () => (await import('../debug/debug-view.tsx')).DebugView);

/** Lines of a running call's output that are shown while the card is collapsed. */
const LIVE_LINES = 8;

interface CallCardProps {
  call: CallEntry;
  session: string;
  progress: string | undefined;
  isUndone: boolean;
}

/** One tool call with its state, and expandable details. */
export const CallCard = memo(function CallCard({ call, session, progress, isUndone }: CallCardProps) {
  const t = useText();
  const [isOpen, setOpen] = useSavedState(`call ${call.id}`, false);
  const { name, input, state, result } = call;
  const subject = toSubject(input);
  const status = toStatus(call, useIsInterrupted(session));
  return (
    <article className={`entry call call-${status}`} aria-label={headOf(`${name} ${subject}`.trim(), 200)}>
      <button type="button" className="call-head bare line" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        <ChevronRight size={14} className="fold-mark muted" />
        <CallMark status={status} />
        <span className="call-name mono">{name}</span>
        <span className="call-subject mono muted ellipsis grow">{isInCard(call) ? '' : subject}</span>
        {isUndone ? <span className="chip">{t.conversation.undone}</span> : null}
        <CallFacts call={call} status={status} />
      </button>
      {state === 'asked' && call.asked ? <CallApproval asked={call.asked} /> : null}
      {call.answer && call.answer.answer !== 'superseded' ? <Answered call={call} /> : null}
      {call.child ? <ChildCard child={call.child} call={call.id} /> : null}
      {state === 'running' && progress !== undefined && !isOpen ? (
        <TerminalOutput text={progress} label={t.call.output} last={LIVE_LINES} />
      ) : null}
      {result?.images && result.images.length > 0 ? <ResultImages images={result.images} /> : null}
      {result && !isOpen ? <FailureReason call={call} /> : null}
      {result?.evidence && !isOpen ? <EvidenceView evidence={result.evidence} isShort /> : null}
      {name === 'report' && hasDebugResult(call) ? <DebugView call={call} session={session} /> : null}
      {isOpen ? <CallBody call={call} session={session} progress={progress} /> : null}
    </article>
  );
});

/** Images that the model got, in small. */
function ResultImages({ images }: { images: NonNullable<NonNullable<CallEntry['result']>['images']> }) {
  const r = useRenderText();
  return (
    <ul className="call-images">
      {images.map((image, at) => (
        <li key={at}>
          <LogImage image={image} name={r.image.ofCall(at + 1)} />
        </li>
      ))}
    </ul>
  );
}

/** True while the question below the head shows the command. */
function isInCard({ state, asked }: CallEntry): boolean {
  return state === 'asked' && asked !== undefined && 'command' in asked.subject && asked.subject.command !== undefined;
}

/** The icon and the colour of each status of a call. */
const MARKS = {
  waiting: { Icon: CircleDashed, look: 'muted' },
  asked: { Icon: CircleQuestionMark, look: 'warn' },
  running: { Icon: LoaderCircle, look: 'accent' },
  interrupted: { Icon: CircleSlash, look: 'warn' },
  ok: { Icon: CircleCheck, look: 'good' },
  error: { Icon: CircleAlert, look: 'bad' },
  unknown: { Icon: CircleAlert, look: 'bad' },
  denied: { Icon: CircleSlash, look: 'muted' },
  cancelled: { Icon: CircleSlash, look: 'muted' },
} as const;

function toStatus({ state, result }: CallEntry, isInterrupted: boolean): keyof typeof MARKS {
  if (state === 'running' && isInterrupted) return 'interrupted';
  return state === 'finished' ? (result?.outcome ?? 'ok') : state;
}

function CallMark({ status }: { status: keyof typeof MARKS }) {
  const t = useText();
  const { Icon, look } = MARKS[status];
  const label = t.call[status];
  return (
    <span className={`inline ${look}`} role="img" aria-label={label} title={label}>
      <Icon size={14} aria-hidden className={status === 'running' ? 'spin' : ''} />
    </span>
  );
}

function CallFacts({ call, status }: { call: CallEntry; status: keyof typeof MARKS }) {
  const t = useText();
  const now = useNow(status === 'running');
  const { startedAt, result, awaits, by } = call;
  const exitCode = toExitCode(result?.detail);
  const changes = result?.changes.length ?? 0;
  return (
    <span className="call-facts small muted number">
      {by === 'user' ? <span>{t.call.byUser}</span> : null}
      {awaits && awaits.length > 0 ? <span>{t.children.waits(awaits.length)}</span> : null}
      {changes > 0 ? <span>{t.call.files(changes)}</span> : null}
      {typeof exitCode === 'number' && exitCode !== 0 ? <span className="bad">{t.call.exit(exitCode)}</span> : null}
      {status === 'interrupted' ? <span className="warn">{t.call.interrupted}</span> : null}
      {status === 'running' && startedAt !== undefined ? (
        <span>{formatDuration(Math.max(0, Math.floor((now - startedAt) / 1_000) * 1_000))}</span>
      ) : null}
      {result ? <span>{formatDuration(result.durationMs)}</span> : null}
    </span>
  );
}

/** Why a call failed, or was denied by a rule: the first line of what the model got. A command shows its exit code. */
function FailureReason({ call: { input, result, answer } }: { call: CallEntry }) {
  const { outcome, output = '', detail } = result ?? {};
  const isFailed = outcome === 'error' || outcome === 'unknown' || (outcome === 'denied' && answer === undefined);
  if (!isFailed || (isCommand(input) && hasExitCode(detail))) return null;
  const line = output.split('\n').find((each) => each.trim() !== '');
  if (line === undefined) return null;
  return <p className={`call-reason small wrap ${outcome === 'denied' ? 'muted' : 'bad'}`}>{headOf(line, 300)}</p>;
}

/** The exit code of a command; null if a signal ended it, and for other tools. */
function toExitCode(detail: unknown): number | null {
  const { exitCode } = (detail ?? {}) as { exitCode?: number | null };
  return exitCode ?? null;
}

/** False for a command that did not start. */
function hasExitCode(detail: unknown): boolean {
  return typeof detail === 'object' && detail !== null && 'exitCode' in detail;
}

function Answered({ call }: { call: CallEntry }) {
  const t = useText();
  const { answer, asked } = call;
  if (!answer) return null;
  const hunks = asked ? hunksOf(asked) : [];
  const rejected = answer.hunks ? toRejected(hunks, answer.hunks) : [];
  const scope = answer.scope !== undefined && answer.scope !== 'once' ? t.approval.scopes[answer.scope] : undefined;
  const words = [
    t.call.answer[answer.answer],
    answer.hunks ? t.call.partly(hunks.length - rejected.length, hunks.length) : undefined,
    t.call.by(answer.by),
    scope,
  ];
  return (
    <div className="call-answer small">
      <p className={answer.answer === 'approved' ? 'good' : 'muted'}>{words.filter(Boolean).join(' · ')}</p>
      {rejected.map((hunk) => (
        <p key={hunk.id} className="bad">
          {t.call.rejectedHunk(`${hunk.path}:${toChangedLine(hunk)}`)}
        </p>
      ))}
      {answer.note === undefined ? null : <p className="muted wrap call-note">{answer.note}</p>}
    </div>
  );
}

/** True if the output may be that of a tool of the debugger. */
function hasDebugResult({ name, result }: CallEntry): boolean {
  return isDebugTool(name) && result?.outcome === 'ok';
}

/** The input of a call; of a plan, its text as it was accepted. */
function CallInput({ call: { input, asked, answer }, session }: Pick<CallCardProps, 'call' | 'session'>) {
  const t = useText();
  return (
    <section>
      <p className="label line small muted">{t.call.input}</p>
      {asked?.subject.kind === 'plan' ? (
        <Markdown text={answer?.plan ?? asked.subject.plan} session={session} />
      ) : isCommand(input) ? (
        <p className="command line">
          <SquareTerminal size={14} />
          <code className="grow wrap">{input.command}</code>
          <CopyButton text={input.command} />
        </p>
      ) : (
        <Code text={typeof input === 'string' ? input : JSON.stringify(input, null, 2)} language="json" />
      )}
    </section>
  );
}

function CallBody({ call, session, progress }: Pick<CallCardProps, 'call' | 'session' | 'progress'>) {
  const t = useText();
  const { input, result, diff, decisions, asked } = call;
  const shownDiff = diff ?? (asked && 'diff' in asked.subject ? asked.subject.diff : undefined);
  const output = result?.output ?? progress;
  const outputView =
    output === undefined || output === '' ? null : (
      <OutputView
        session={session}
        call={call.id}
        text={output}
        command={isCommand(input) ? input.command : call.name}
        part={result && toOutputPart(result)}
        isRunning={result === undefined}
      />
    );
  const isTree = call.name !== 'report' && hasDebugResult(call);
  return (
    <div className="call-body column nested">
      <CallInput call={call} session={session} />
      {decisions.length > 0 ? (
        <ul className="call-gate column small">
          {decisions.map((decision) => (
            <li key={decision.seq} className="line">
              <span className={`verdict verdict-${decision.verdict}`}>{t.call.verdict[decision.verdict]}</span>
              <span className="muted">
                {decision.rule}: {toReasonText(decision.reason, t)}
              </span>
            </li>
          ))}
        </ul>
      ) : null}
      {shownDiff === undefined || shownDiff === '' ? null : <DiffText diff={shownDiff} />}
      {result?.evidence ? <EvidenceView evidence={result.evidence} /> : null}
      {isTree ? (
        <DebugView call={call} session={session}>
          {outputView}
        </DebugView>
      ) : (
        outputView
      )}
      {result && isCommand(input) ? (
        <p className="muted small">
          {t.call.ended(
            hasExitCode(result.detail) ? t.call.exit(toExitCode(result.detail)) : t.call[result.outcome],
            formatDuration(result.durationMs),
          )}
        </p>
      ) : null}
    </div>
  );
}
