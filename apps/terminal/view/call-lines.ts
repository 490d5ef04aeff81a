import { hunksOf, isCommand, toChangedLine, toRejected, type CallEntry } from '@klaus/sdk/conversation';
import { toLine } from '@klaus/sdk/printable';
import { describeCall, formatBytes, formatCount, formatDuration, formatUsd } from '@klaus/sdk/transcript';
import { truncateToWidth, wrapTextWithAnsi } from '../screen/index.ts';
import type { Palette } from '../style/palette.ts';
import { toDebugLine } from './debug-line.ts';
import { toDiffView } from './diff-lines.ts';
import { cutLines, toOutputLines } from './output-lines.ts';
import type { ViewStyle } from './view-style.ts';
import { toEnds, toSafe, wrap } from './wrap.ts';

const INDENT = '    ';
/** Lines of a folded diff and of folded output: of its beginning and of its end. */
const DIFF = { head: 16, tail: 0 };
const FINISHED = { head: 2, tail: 4 };
const RUNNING = { head: 0, tail: 6 };
const REASON = { head: 4, tail: 0 };
/** Characters at the end of long output that are shown. */
const MAX_OUTPUT = 20_000;

export interface CallViewOptions {
  width: number;
  style: ViewStyle;
  /** Unix milliseconds. */
  now: number;
  /** The frame of the animation of a running call. */
  spinner: string;
  /** Output of a running call. */
  output: string;
  /** True: nothing is folded. */
  isExpanded: boolean;
}

/** A tool call: its title and state, and its diff, output or reason, folded. */
export function toCallLines(call: CallEntry, options: CallViewOptions): string[] {
  const { width, style } = options;
  const { palette } = style;
  const title = `${toMark(call, options)} ${toTitle(call, palette)}${toFacts(call, options)}`;
  return [truncateToWidth(title, width, '…'), ...toBody(call, options)];
}

function toMark({ state, result }: CallEntry, { style: { palette }, spinner }: CallViewOptions): string {
  if (state === 'asked') return palette.warn('?');
  if (state === 'running') return palette.accent(spinner);
  if (state === 'waiting' || !result) return palette.muted('○');
  return result.outcome === 'ok' ? palette.good('✓') : palette.bad('✗');
}

/** `Run command npm test`: the name of the tool in words, and its object. */
function toTitle({ name, input }: CallEntry, palette: Palette): string {
  const words = name.replaceAll('_', ' ');
  const subject = describeCall(name, input, 400).slice(name.length);
  return `${palette.strong(words.charAt(0).toUpperCase() + words.slice(1))}${subject}`;
}

function toFacts(call: CallEntry, { style: { palette }, now }: CallViewOptions): string {
  const { state, result, child, startedAt } = call;
  const facts: string[] = [];
  if (child) facts.push(`${toLine(child.agent, 40)} ${child.state}, ${formatUsd(child.usd)}`);
  if (state === 'running' && startedAt !== undefined) facts.push(formatDuration(Math.max(0, now - startedAt)));
  if (state === 'asked') facts.push('waits for your answer');
  if (call.answer?.hunks) facts.push(toAccepted(call));
  if (call.awaits && !result) facts.push('waits for agents');
  if (result) {
    facts.push(formatDuration(result.durationMs));
    if (result.changes.length > 0)
      facts.push(
        result.changes
          .map(({ kind, path }) => `${kind} ${toLine(path, 60)}`)
          .slice(0, 3)
          .join(', '),
      );
    if (result.changes.length > 3) facts.push(`${result.changes.length - 3} more`);
  }
  return facts.length === 0 ? '' : ` ${palette.muted(facts.join(' · '))}`;
}

function toBody(call: CallEntry, options: CallViewOptions): string[] {
  const { style, width, isExpanded } = options;
  const { palette } = style;
  const { result, diff } = call;
  if (call.state === 'running')
    return toFolded(toOutputLines(options.output.slice(-MAX_OUTPUT), palette), RUNNING, options);
  if (!result) return [];
  if (result.outcome !== 'ok') {
    const lines = toOutputLines(result.output.slice(0, MAX_OUTPUT), palette);
    // A reason is read to its end.
    if (result.outcome !== 'error')
      return toFolded(
        lines.flatMap((line) => wrapTextWithAnsi(line, Math.max(1, width - INDENT.length))),
        REASON,
        options,
      );
    return toFolded(lines, isCommand(call.input) ? FINISHED : REASON, options);
  }
  if (diff !== undefined)
    return [...toFolded(toDiffView(diff, width - INDENT.length, palette), DIFF, options), ...toReview(call, options)];
  if (isCommand(call.input)) return toFolded(toOutputLines(withoutCommand(result.output), palette), FINISHED, options);
  if (!isExpanded) {
    const line = toDebugLine(call);
    return line === undefined ? [] : cutLines([palette.muted(line)], width, INDENT);
  }
  return toFolded(toOutputLines(result.output, palette), DIFF, options);
}

/** `approved 1 of 2 hunks`. */
function toAccepted({ asked, answer }: CallEntry): string {
  const hunks = asked ? hunksOf(asked) : [];
  const rejected = answer?.hunks ? toRejected(hunks, answer.hunks).length : 0;
  return `approved ${hunks.length - rejected} of ${hunks.length} hunks`;
}

/** The hunks that the user rejected, at the line that they would change, and the comments for the model. */
function toReview({ asked, answer }: CallEntry, { width, style: { palette } }: CallViewOptions): string[] {
  if (!asked || !answer) return [];
  const rejected = answer.hunks ? toRejected(hunksOf(asked), answer.hunks) : [];
  const rows = [
    ...rejected.map((hunk) => palette.bad(`✗ rejected ${toLine(hunk.path, 200)}:${toChangedLine(hunk)}`)),
    ...(answer.note === undefined ? [] : [palette.muted(`“${toSafe(answer.note)}”`)]),
  ];
  return rows.flatMap((row) => wrap(row, width, { first: INDENT, indent: INDENT.length }));
}

function toFolded(lines: readonly string[], ends: { head: number; tail: number }, options: CallViewOptions): string[] {
  const { width, style, isExpanded } = options;
  if (isExpanded) return cutLines(lines, width, INDENT);
  const { head, hidden, tail } = toEnds(lines, ends);
  const rest =
    hidden > 0 ? [style.palette.muted(`${INDENT}… ${formatCount(hidden)} more lines, Ctrl-O shows them`)] : [];
  return [...cutLines(head, width, INDENT), ...rest, ...cutLines(tail, width, INDENT)];
}

/** The output without the line of the command, which the title shows. */
function withoutCommand(output: string): string {
  const text = output.startsWith('$ ') ? output.slice(output.indexOf('\n') + 1) : output;
  return text.length <= MAX_OUTPUT
    ? text
    : `[${formatBytes(text.length - MAX_OUTPUT)} before this]\n${text.slice(-MAX_OUTPUT)}`;
}
