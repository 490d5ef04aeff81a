import { closestLimit, findOwnProgress, type Conversation, type InFlightText } from '@klaus/core/conversation';
import { overlay } from '../state/overlay.ts';
import { formatCost, formatCount, formatDuration, formatShare, formatShort } from '../text/format.ts';
import { useText } from '../text/text.ts';
import { useNow } from '../ui/use-now.ts';

/** Share of a limit from which the button offers to raise it. */
const NEAR = 0.8;

/** The usage of a session: context, cost, with tokens by class on hover, the closest limit and the output rate. */
export function StatusBar({ conversation, inFlight }: { conversation: Conversation; inFlight: InFlightText }) {
  const t = useText();
  const { usage, usd, held, contextTokens, contextWindow, run, requested } = conversation;
  const now = useNow(run !== undefined);
  const limit = closestLimit(conversation);
  const tokens = [
    `${t.status.input} ${formatShort(usage.input)}`,
    `${t.status.output} ${formatShort(usage.output)}`,
    `${t.status.cacheRead} ${formatShort(usage.cacheRead)}`,
    `${t.status.cacheWrite} ${formatShort(usage.cacheWrite)}`,
  ].join(' · ');
  const rate = toRate(inFlight, requested?.at, now);
  const work = findOwnProgress(inFlight)?.work;
  return (
    <footer className="status line small muted" aria-label={t.status.label}>
      {contextWindow > 0 ? (
        <Bar
          name={t.status.context}
          share={contextTokens / contextWindow}
          words={t.status.contextOf(formatShort(contextTokens), formatShort(contextWindow))}
        />
      ) : null}
      <dl className="status-cost line number" title={tokens}>
        <dt>{t.status.money}</dt>
        <dd>{formatCost(usd, held.usd)}</dd>
      </dl>
      {limit ? (
        <Bar
          name={t.status.limit}
          share={limit.share}
          words={t.status.limitOf(limit)}
          shown={t.status.limitOf(limit)}
        />
      ) : null}
      <button
        type="button"
        className="status-more bare muted"
        aria-haspopup="dialog"
        onClick={() => overlay.set({ kind: 'budget', session: conversation.session })}
      >
        {limit && limit.share >= NEAR ? t.status.raise : t.status.details}
      </button>
      <span className="grow" />
      {work === undefined ? null : <span role="status">{t.status.ownWork[work]}</span>}
      {rate === undefined ? null : <span className="number">{t.status.rate(formatCount(rate))}</span>}
      {run ? (
        <span className="number">
          {t.status.elapsed} {formatDuration(Math.max(0, Math.floor((now - run.startedAt) / 1_000) * 1_000))}
        </span>
      ) : null}
    </footer>
  );
}

/** @param props.shown Default: the share. */
function Bar(props: { name: string; share: number; words: string; shown?: string }) {
  const { name, share, words, shown = formatShare(share) } = props;
  const percent = Math.min(100, Math.round(share * 100));
  const look = percent >= 95 ? 'bad' : percent >= 80 ? 'warn' : 'accent';
  return (
    <div className="bar line" title={words}>
      <span>{name}</span>
      <div
        role="meter"
        aria-label={name}
        aria-valuemin={0}
        aria-valuemax={100}
        aria-valuenow={percent}
        aria-valuetext={words}
      >
        <span className={`bar-fill ${look}`} style={{ width: `${percent}%` }} />
      </div>
      <span className="number">{shown}</span>
    </div>
  );
}

/** Average number of characters per token in English text and code. */
const CHARACTERS = 4;

/** Estimated tokens per second of the current message; undefined without output. */
function toRate(inFlight: InFlightText, since: number | undefined, now: number): number | undefined {
  if (since === undefined || now - since < 1_000) return undefined;
  let characters = 0;
  for (const { text, thinking, call } of inFlight.messages.values())
    characters += text.length + thinking.length + call.length;
  return characters === 0 ? undefined : Math.round(characters / CHARACTERS / ((now - since) / 1_000));
}
