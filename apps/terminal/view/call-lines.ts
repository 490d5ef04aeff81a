import { tailOf } from '@klaus/sdk/cut-text';
import { isCommand, toOutputPart, type CallEntry, type OutputPart } from '@klaus/sdk/conversation';
import { toLine } from '@klaus/sdk/printable';
import { describeParts, formatBytes, formatCount, formatDuration, formatUsd } from '@klaus/sdk/transcript';
import { truncateToWidth, wrapTextWithAnsi } from '../screen/index.ts';
import type { Palette } from '../style/palette.ts';
import { toDebugLine } from './debug-line.ts';
import { toDiffView } from './diff-lines.ts';
import { cutLines, toOutputLines } from './output-lines.ts';
import type { ViewStyle } from './view-style.ts';
import { describeAccepted, toReviewLines } from './review-lines.ts';
import { toEnds } from './wrap.ts';

/** Calls are below the answer that they belong to, and what belongs to a call is below its title. */
const CALL_INDENT = '  ';
const INDENT = '    ';
/** Lines of a folded diff and of folded output: of its beginning and of its end. */
const DIFF = { head: 16, tail: 0 };
const FINISHED = { head: 1, tail: 4 };
const RUNNING = { head: 0, tail: 6 };
const REASON = { head: 4, tail: 0 };
/** Characters at the end of the output of a running call that are shown. */
const MAX_OUTPUT = 20_000;

export interface CallViewOptions {
  width: number;
  style: ViewStyle;
  /** Unix milliseconds. */
  now: number;
  /** The frame of the animation of a running call. */
  spinner: string;
  /** True if no process works on the calls. */
  isInterrupted: boolean;
  /** Output of a running call. */
  output: string;
  /** True: nothing is folded. */
  isExpanded: boolean;
  /** If nothing is folded: the output of a call of which the log has a part. */
  readFull?: (call: CallEntry) => string | undefined;
}

/** A tool call: its title and state, and its diff, output or reason, folded. */
export function toCallLines(call: CallEntry, options: CallViewOptions): string[] {
  const { width, style } = options;
  const { palette } = style;
  const title = `${toMark(call, options)} ${toTitle(call, palette)}${toFacts(call, options)}`;
  return [truncateToWidth(`${CALL_INDENT}${title}`, width, '…'), ...toBody(call, options)];
}

function toMark({ state, result }: CallEntry, { style: { palette }, spinner, isInterrupted }: CallViewOptions): string {
  if (state === 'asked') return palette.warn('?');
  if (state === 'running') return isInterrupted ? palette.warn('✗') : palette.accent(spinner);
  if (state === 'waiting' || !result) return palette.muted('○');
  return result.outcome === 'ok' ? palette.good('✓') : palette.bad('✗');
}

/** `Run command npm test`: the name of the tool in words, and its object. `github: search issues`: one of an MCP server. */
export function toTitle({ name, input }: Pick<CallEntry, 'name' | 'input'>, palette: Palette): string {
  const { tool, subject } = describeParts(name, input, 400);
  const [, server, own = tool] = /^mcp__(.+?)__(.+)$/.exec(tool) ?? [];
  const words = own.replaceAll('_', ' ');
  const title = server === undefined ? words.charAt(0).toUpperCase() + words.slice(1) : `${server}: ${words}`;
  return `${title}${subject === '' ? '' : ` ${palette.muted(subject)}`}`;
}

function toFacts(call: CallEntry, { style: { palette }, now, isInterrupted }: CallViewOptions): string {
  const { state, result, child, startedAt } = call;
  const facts: string[] = [];
  if (child) facts.push(`${toLine(child.agent, 40)} ${child.state}, ${formatUsd(child.usd)}`);
  if (state === 'running' && !isInterrupted && startedAt !== undefined)
    facts.push(formatDuration(Math.max(0, now - startedAt)));
  if (state === 'asked') facts.push('waits for your answer');
  if (call.answer?.hunks) facts.push(describeAccepted(call));
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
  const { style, width, isExpanded, readFull } = options;
  const { palette } = style;
  const { result, diff } = call;
  if (call.state === 'running') {
    // Not behind the title, which may fill the line.
    return options.isInterrupted ? [palette.warn(`${INDENT}interrupted`)] : toRunningOutput(options);
  }
  if (!result) return [];
  const output = (isExpanded && readFull?.(call)) || result.output;
  const part = toOutputPart(result);
  if (result.outcome !== 'ok') {
    const isOutput = result.outcome === 'error' && isCommand(call.input);
    const lines = toOutputLines(output, palette, { isQuiet: isOutput && !isExpanded }).flatMap((line) =>
      // A reason is read to its end.
      isExpanded || isOutput ? [line] : wrapTextWithAnsi(line, Math.max(1, width - INDENT.length)),
    );
    return toFolded(lines, isOutput ? FINISHED : REASON, {
      ...options,
      part: result.outcome === 'error' ? part : undefined,
    });
  }
  if (diff !== undefined)
    return [
      ...toFolded(toDiffView(diff, width - INDENT.length, style), DIFF, options),
      ...toReviewLines(call, { width, palette, indent: INDENT }),
    ];
  if (isCommand(call.input)) {
    const shown = isExpanded ? output : withoutRejected(call, output);
    return [
      ...toFolded(toOutputLines(withoutCommand(shown), palette, { isQuiet: !isExpanded }), FINISHED, {
        ...options,
        part,
      }),
      ...toReviewLines(call, { width, palette, indent: INDENT }),
    ];
  }
  if (!isExpanded) {
    const line = toDebugLine(call);
    return line === undefined ? [] : cutLines([palette.muted(line)], width, INDENT);
  }
  return toFolded(toOutputLines(output, palette), DIFF, options);
}

/** The output without the hunks that the user rejected, which would look like what the command changed. */
function withoutRejected({ answer }: CallEntry, output: string): string {
  const at = answer?.hunks ? output.search(/^The user rejected \d+ of \d+ hunks/m) : -1;
  return at < 0 ? output : output.slice(0, at).trimEnd();
}

/** Only the end is processed for each frame. */
function toRunningOutput(options: CallViewOptions): string[] {
  const { output, isExpanded, style } = options;
  const lines = toOutputLines(isExpanded ? output : tailOf(output, MAX_OUTPUT), style.palette, {
    isQuiet: !isExpanded,
  });
  const above = output.slice(0, -MAX_OUTPUT).split('\n').length - 1;
  return toFolded(lines, RUNNING, { ...options, above });
}

interface FoldOptions extends CallViewOptions {
  part?: OutputPart | undefined;
  /** Further lines before the first one. */
  above?: number;
}

function toFolded(lines: readonly string[], ends: { head: number; tail: number }, options: FoldOptions): string[] {
  const { width, style, isExpanded, part, above = 0 } = options;
  if (isExpanded) return cutLines(lines, width, INDENT);
  const { head, hidden, tail } = toEnds(lines, ends);
  const rest = describeRest(hidden + above, head.length + tail.length, part);
  return [
    ...cutLines(head, width, INDENT),
    ...(rest === undefined ? [] : [style.palette.muted(`${INDENT}… ${rest}, Ctrl-O shows them`)]),
    ...cutLines(tail, width, INDENT),
  ];
}

/** The lines that are not shown; of a part, those of the complete output. */
function describeRest(hidden: number, shown: number, part: OutputPart | undefined): string | undefined {
  if (part?.lines !== undefined)
    return `${formatCount(Math.max(1, part.lines - shown))} more lines of ${formatCount(part.lines)}`;
  if (part) return `more lines of ${formatBytes(part.bytes)}`;
  return hidden > 0 ? `${formatCount(hidden)} more lines` : undefined;
}

/** The output without the line of the command, which the title shows. */
function withoutCommand(output: string): string {
  return output.startsWith('$ ') ? output.slice(output.indexOf('\n') + 1) : output;
}
