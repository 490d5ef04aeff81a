import { diffArrays } from 'diff/lib/diff/array.js';
import { isEditable, KlausError, type Hunk } from '../protocol/index.ts';

export interface HunkOptions {
  /** Relative path; part of the ids. */
  path: string;
  /** Unchanged lines around a change. Default 3. Changes with at most twice as many between them are one hunk. */
  context?: number;
}

/**
 * Lines removed and added up to which the shortest difference is looked for: about a tenth of a second, which
 * grows with the square. Beyond it the file is one hunk, from the first line that differs to the last.
 */
const MAX_EDITS = 1_000;
/** Hunks of one file that a human could still answer one by one. */
const MAX_HUNKS = 500;
const NO_NEWLINE = '\\ No newline at end of file';

/** Lines that differ, as indexes from 0; ends are exclusive. */
interface Edit {
  oldFrom: number;
  oldTo: number;
  newFrom: number;
  newTo: number;
}

/** What separates two texts. Applied all together they give `after` to the byte; equal texts have none. */
export function toHunks(before: string, after: string, options: HunkOptions): Hunk[] {
  const old = toLines(before);
  const fresh = toLines(after);
  const whole = trim(old, fresh);
  if (whole.oldFrom === whole.oldTo && whole.newFrom === whole.newTo) return [];
  const context = options.context ?? 3;
  let groups = group(findEdits(old, fresh, whole), context);
  if (groups.length > MAX_HUNKS) groups = [[whole]];
  return groups.map((edits, at) => {
    const first = edits[0]!;
    const last = edits.at(-1)!;
    const lead = Math.min(context, first.oldFrom);
    const tail = Math.min(context, old.length - last.oldTo);
    return {
      id: `${options.path}#${at + 1}`,
      path: options.path,
      kind: 'text',
      ...toRange('old', first.oldFrom - lead, last.oldTo + tail),
      ...toRange('new', first.newFrom - lead, last.newTo + tail),
      lines: showEdits(edits, { old, fresh, lead, tail }),
    };
  });
}

/**
 * Takes the accepted hunks of one file: `before` itself when there are none of them, the text that the hunks
 * were made from when there are all. Hunks that have no place in a text are passed over.
 *
 * @throws KlausError `workspace.conflict` when `before` is not the text that the hunks begin from.
 */
export function applyHunks(before: string, hunks: readonly Hunk[], accepted: ReadonlySet<string>): string {
  const lines = toLines(before);
  const result: string[] = [];
  let cursor = 0;
  const wanted = hunks.filter(({ id, kind }) => accepted.has(id) && (kind === 'text' || kind === 'created'));
  for (const hunk of wanted.toSorted((a, b) => toIndex(a) - toIndex(b))) {
    const at = toIndex(hunk);
    const { old, fresh } = toSides(hunk);
    if (at < cursor || old.some((line, i) => line !== lines[at + i])) {
      throw new KlausError('workspace.conflict', `${hunk.path} is not what hunk ${hunk.id} begins from.`);
    }
    // One at a time: a call takes only so many arguments.
    for (; cursor < at; cursor++) result.push(lines[cursor]!);
    for (const line of fresh) result.push(line);
    cursor += old.length;
  }
  for (; cursor < lines.length; cursor++) result.push(lines[cursor]!);
  return result.join('');
}

/** What stands in the hunk's place when it is taken, with the unchanged lines around it: the text to edit. */
export function toNewText(hunk: Hunk): string {
  return toSides(hunk).fresh.join('');
}

/**
 * The hunk with other new lines: `text` stands in the place of all its old ones, those around the change too. Line
 * ends are those of the hunk; the last line gets one, unless the hunk's own new text ends without.
 *
 * @throws KlausError `usage` for a hunk that has no lines of its own to edit.
 */
export function replaceHunk(hunk: Hunk, text: string): Hunk {
  if (!isEditable(hunk))
    throw new KlausError('usage', `Hunk ${hunk.id} cannot be edited: it can only be taken or left.`);
  const { old, fresh: was } = toSides(hunk);
  let wanted = text;
  if (hasReturns([...old, ...was]) && !text.includes('\r')) wanted = wanted.replaceAll('\n', '\r\n');
  if (wanted !== '' && !wanted.endsWith('\n') && (was.at(-1) ?? old.at(-1) ?? '\n').endsWith('\n'))
    wanted += hasReturns([...old, ...was]) ? '\r\n' : '\n';
  const fresh = toLines(wanted);
  const whole = trim(old, fresh);
  const lines = showEdits([whole], { old, fresh, lead: whole.oldFrom, tail: old.length - whole.oldTo });
  const from = hunk.newLines === 0 ? hunk.newStart : hunk.newStart - 1;
  return { ...hunk, ...toRange('new', from, from + fresh.length), lines };
}

/** Lines with their line feeds; the last one may have none. */
function toLines(text: string): string[] {
  return text.match(/[^\n]*\n|[^\n]+/g) ?? [];
}

function hasReturns(lines: readonly string[]): boolean {
  const ended = lines.filter((line) => line.endsWith('\n'));
  return ended.length > 0 && ended.every((line) => line.endsWith('\r\n'));
}

/** Everything from the first line that differs to the last. */
function trim(old: readonly string[], fresh: readonly string[]): Edit {
  const most = Math.min(old.length, fresh.length);
  let head = 0;
  while (head < most && old[head] === fresh[head]) head++;
  let tail = 0;
  while (tail < most - head && old[old.length - 1 - tail] === fresh[fresh.length - 1 - tail]) tail++;
  return { oldFrom: head, oldTo: old.length - tail, newFrom: head, newTo: fresh.length - tail };
}

function findEdits(old: readonly string[], fresh: readonly string[], whole: Edit): Edit[] {
  const parts = diffArrays(old.slice(whole.oldFrom, whole.oldTo), fresh.slice(whole.newFrom, whole.newTo), {
    maxEditLength: MAX_EDITS,
  });
  if (!parts) return [whole];
  const edits: Edit[] = [];
  let [oldAt, newAt] = [whole.oldFrom, whole.newFrom];
  let open: Edit | undefined;
  for (const part of parts) {
    const count = part.value.length;
    if (!part.added && !part.removed) {
      open = undefined;
      oldAt += count;
      newAt += count;
      continue;
    }
    if (!open) edits.push((open = { oldFrom: oldAt, oldTo: oldAt, newFrom: newAt, newTo: newAt }));
    if (part.removed) open.oldTo = oldAt += count;
    else open.newTo = newAt += count;
  }
  return edits;
}

function group(edits: readonly Edit[], context: number): Edit[][] {
  const groups: Edit[][] = [];
  for (const edit of edits) {
    const last = groups.at(-1)?.at(-1);
    if (last && edit.oldFrom - last.oldTo <= 2 * context) groups.at(-1)!.push(edit);
    else groups.push([edit]);
  }
  return groups;
}

interface Shown {
  old: readonly string[];
  fresh: readonly string[];
  /** Unchanged lines before the first and after the last edit. */
  lead: number;
  tail: number;
}

function showEdits(edits: readonly Edit[], { old, fresh, lead, tail }: Shown): string[] {
  const lines: string[] = [];
  const show = (sign: string, from: readonly string[], { begin, end }: { begin: number; end: number }) => {
    for (let at = begin; at < end; at++) {
      const line = from[at]!;
      if (line.endsWith('\n')) lines.push(sign + line.slice(0, -1));
      else lines.push(sign + line, NO_NEWLINE);
    }
  };
  let cursor = edits[0]!.oldFrom - lead;
  for (const edit of edits) {
    show(' ', old, { begin: cursor, end: edit.oldFrom });
    show('-', old, { begin: edit.oldFrom, end: edit.oldTo });
    show('+', fresh, { begin: edit.newFrom, end: edit.newTo });
    cursor = edit.oldTo;
  }
  show(' ', old, { begin: cursor, end: cursor + tail });
  return lines;
}

/** The hunk's lines on both sides, with their line feeds. */
function toSides(hunk: Hunk): { old: string[]; fresh: string[] } {
  const old: string[] = [];
  const fresh: string[] = [];
  for (const [at, line] of hunk.lines.entries()) {
    if (line.startsWith('\\')) continue;
    const text = line.slice(1) + (hunk.lines[at + 1]?.startsWith('\\') ? '' : '\n');
    if (!line.startsWith('+')) old.push(text);
    if (!line.startsWith('-')) fresh.push(text);
  }
  return { old, fresh };
}

function toIndex(hunk: Hunk): number {
  return hunk.oldLines === 0 ? hunk.oldStart : hunk.oldStart - 1;
}

function toRange<S extends 'old' | 'new'>(side: S, from: number, to: number): Record<`${S}Start` | `${S}Lines`, number>;
function toRange(side: 'old' | 'new', from: number, to: number): Record<string, number> {
  return { [`${side}Start`]: to > from ? from + 1 : from, [`${side}Lines`]: to - from };
}
