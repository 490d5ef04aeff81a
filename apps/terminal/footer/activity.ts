import { findOwnProgress, type CallEntry, type Entry } from '@klaus/sdk/conversation';
import { formatCount, formatDuration, formatNumber } from '@klaus/sdk/transcript';
import { truncateToWidth } from '../screen/index.ts';
import { isWorking, type SessionView } from '../session/session-view.ts';
import type { Palette } from '../style/palette.ts';
import { toTitle } from '../view/call-lines.ts';
import { toSpinner } from '../style/spinner.ts';

/** One line that says what is being done now; none when nothing is. An interrupted run waits for the user. @param now Unix milliseconds. */
export function toActivityLines(
  view: SessionView,
  width: number,
  { palette, now }: { palette: Palette; now: number },
): string[] {
  const { conversation, drive } = view;
  if (drive?.state === 'parked' || (conversation.approvals.size > 0 && isWorking(view)))
    return ['', palette.warn('? Waiting for your answer')];
  if (!isWorking(view)) {
    if (drive !== undefined || conversation.run === undefined) return [];
    const advice = '! The last run was interrupted. Enter continues it, and so does a new message.';
    return ['', palette.warn(truncateToWidth(advice, width, '…'))];
  }
  // The time of a retry is the only one that its line has.
  const isRetrying = (conversation.retryAt ?? 0) > now;
  const time = conversation.run && !isRetrying ? formatDuration(Math.max(0, now - conversation.run.startedAt)) : '';
  const facts = [time, drive?.state === 'busy' ? 'in another process' : '', 'Esc cancels'].filter(
    (text) => text !== '',
  );
  const rest = ` · ${facts.join(' · ')}`;
  const what = truncateToWidth(describe(view, { palette, now }), Math.max(10, width - rest.length - 2), '…');
  return ['', truncateToWidth(`${palette.accent(toSpinner(now))} ${what}${palette.muted(rest)}`, width, '…')];
}

function describe(
  { conversation, inFlight }: SessionView,
  { palette, now }: { palette: Palette; now: number },
): string {
  const { retryAt, requested, entries } = conversation;
  if (retryAt !== undefined && retryAt > now)
    return `${describeFailure(entries)}. Retrying in ${formatDuration(retryAt - now)}`;
  const [message] = inFlight.messages.values();
  if (message) {
    if (message.call.text !== '') return `Preparing a call, ${formatCount(message.call.length)} characters`;
    return message.text.text === '' ? 'Thinking' : 'Writing';
  }
  const running = entries.filter((entry): entry is CallEntry => entry.kind === 'call' && entry.state === 'running');
  const waiting = running.find(({ awaits }) => awaits);
  if (waiting) return `Waiting for ${formatNumber(waiting.awaits!.length, 'agent')}`;
  const [call] = running;
  if (call) return running.length === 1 ? toTitle(call, palette) : formatNumber(running.length, 'tool call');
  if (requested?.purpose === 'compaction') return 'Compacting the context';
  if (requested?.purpose === 'review') return 'Reviewing a call';
  if (requested?.purpose === 'search') return 'Searching the web';
  const own = findOwnProgress(inFlight);
  if (own) return own.text.charAt(0).toUpperCase() + own.text.slice(1);
  return requested ? 'Waiting for the model' : 'Working';
}

/** Why the last request to the model failed. Its message is a line of the conversation. */
function describeFailure(entries: readonly Entry[]): string {
  const last = entries.findLast((entry) => entry.kind === 'fact' && entry.event.type === 'model.attempted');
  const outcome = last?.kind === 'fact' && last.event.type === 'model.attempted' ? last.event.outcome : undefined;
  if (outcome === 'rate_limited') return 'The rate limit of the model is reached';
  return outcome === 'overloaded' ? 'The model is overloaded' : 'The request to the model failed';
}
