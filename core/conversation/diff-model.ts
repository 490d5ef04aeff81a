import { isHidden, type Hunk, type HunkAnswer } from '@klaus/core/protocol';

/** One line of a diff. Numbers are from 1; null on a side without the line. */
export interface DiffLine {
  kind: 'same' | 'removed' | 'added' | 'note';
  text: string;
  old: number | null;
  new: number | null;
  /** Index in the lines of its hunk. */
  at: number;
  /** Text of the line that it replaces, or that replaces it. */
  other?: string;
  /** True: only whitespace differs, which is not shown. */
  isSpace?: true;
}

export function toDiffLines({ lines, oldStart, newStart, oldLines, newLines }: Hunk): DiffLine[] {
  // A side without lines names the line before it.
  let old = oldLines === 0 ? oldStart + 1 : oldStart;
  let fresh = newLines === 0 ? newStart + 1 : newStart;
  return lines.map((line, at): DiffLine => {
    const text = line.slice(1);
    const sign = line[0];
    if (sign === '-') return { kind: 'removed', text, old: old++, new: null, at };
    if (sign === '+') return { kind: 'added', text, old: null, new: fresh++, at };
    if (sign === '\\') return { kind: 'note', text: text.trim(), old: null, new: null, at };
    return { kind: 'same', text, old: old++, new: fresh++, at };
  });
}

/** Pairs removed lines with the added lines that follow them. */
export function toPairs(lines: readonly DiffLine[]): { left: DiffLine | null; right: DiffLine | null }[] {
  const pairs: { left: DiffLine | null; right: DiffLine | null }[] = [];
  let removed: DiffLine[] = [];
  let added: DiffLine[] = [];
  const flush = () => {
    for (let at = 0; at < Math.max(removed.length, added.length); at++) {
      pairs.push({ left: removed[at] ?? null, right: added[at] ?? null });
    }
    removed = [];
    added = [];
  };
  for (const line of lines) {
    if (line.kind === 'removed') {
      if (added.length > 0) flush();
      removed.push(line);
    } else if (line.kind === 'added') added.push(line);
    else {
      flush();
      pairs.push({ left: line, right: line });
    }
  }
  flush();
  return pairs;
}

/** The new lines of a hunk as text, for editing. */
export function toNewText({ lines }: Hunk): string {
  let text = '';
  let before = '';
  for (const line of lines) {
    if (line.startsWith(' ') || line.startsWith('+')) text += `${line.slice(1)}\n`;
    // The file ends without a line feed.
    else if (line.startsWith('\\') && !before.startsWith('-')) text = text.slice(0, -1);
    before = line;
  }
  return text;
}

/** The user's decisions on hunks. */
export interface Review {
  rejected: ReadonlySet<string>;
  /** New text of edited hunks, by id. */
  edited: ReadonlyMap<string, string>;
  /** Hunks that are not decided. The others are accepted unless they are rejected. */
  undecided: ReadonlySet<string>;
}

/** A review in which all hunks are accepted whose content is shown. The user decides about the others. */
export function newReview(hunks: readonly Hunk[]): Review {
  return { rejected: new Set(), edited: new Map(), undecided: new Set(hunks.filter(isHidden).map(({ id }) => id)) };
}

/** Accepts or rejects hunks. A rejection discards the edit of a hunk. */
export function judgeHunks(review: Review, ids: readonly string[], isAccepted: boolean): Review {
  const rejected = new Set(review.rejected);
  const edited = new Map(review.edited);
  const undecided = new Set(review.undecided);
  for (const id of ids) {
    undecided.delete(id);
    if (isAccepted) rejected.delete(id);
    else {
      rejected.add(id);
      edited.delete(id);
    }
  }
  return { rejected, edited, undecided };
}

/** Sets the text of a hunk. An edited hunk is accepted. */
export function editHunk(review: Review, hunk: Hunk, text: string): Review {
  const rejected = new Set(review.rejected);
  const edited = new Map(review.edited);
  rejected.delete(hunk.id);
  if (text === toNewText(hunk)) edited.delete(hunk.id);
  else edited.set(hunk.id, text);
  return { ...review, rejected, edited };
}

/**
 * Converts a review to an answer: without hunks if all are accepted unchanged or all are rejected. Undecided hunks are
 * not accepted.
 */
export function toAnswer(
  review: Review,
  hunks: readonly Hunk[],
): { answer: 'approved' | 'rejected'; hunks?: HunkAnswer } {
  const taken = hunks.filter(({ id }) => !review.rejected.has(id) && !review.undecided.has(id));
  if (taken.length === 0 && hunks.length > 0) return { answer: 'rejected' };
  if (taken.length === hunks.length && review.edited.size === 0) return { answer: 'approved' };
  const edited = [...review.edited].map(([id, text]) => ({ id, text }));
  return {
    answer: 'approved',
    hunks: { accepted: taken.map(({ id }) => id), ...(edited.length > 0 ? { edited } : {}) },
  };
}

/** Parses the hunks of a unified diff for display. Ids and numbers match those of an approval. */
export function parseDiff(diff: string): Hunk[] {
  const hunks: Hunk[] = [];
  let path = '';
  let before = '';
  let current: Hunk | undefined;
  const left = { old: 0, new: 0 };
  const toId = () => `${path}#${hunks.filter((it) => it.path === path).length + 1}`;
  for (const line of diff.split('\n')) {
    if (current && (left.old > 0 || left.new > 0 || line.startsWith('\\'))) {
      current.lines.push(line === '' ? ' ' : line);
      if (!line.startsWith('+') && !line.startsWith('\\')) left.old -= 1;
      if (!line.startsWith('-') && !line.startsWith('\\')) left.new -= 1;
      continue;
    }
    const head = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/.exec(line);
    if (head) {
      left.old = Number(head[2] ?? 1);
      left.new = Number(head[4] ?? 1);
      current = {
        id: toId(),
        path,
        kind: 'text',
        oldStart: Number(head[1]),
        oldLines: left.old,
        newStart: Number(head[3]),
        newLines: left.new,
        lines: [],
      };
      hunks.push(current);
      continue;
    }
    if (current && line.startsWith('\\')) current.lines.push(line);
    if (line.startsWith('--- ')) {
      before = toPath(line.slice(4));
      current = undefined;
    } else if (line.startsWith('+++ ')) path = toPath(line.slice(4)) || before;
    else if (line !== '' && path !== '' && !line.startsWith('diff ') && !line.startsWith('index ')) {
      // A change without lines has a note.
      const none = { oldStart: 0, oldLines: 0, newStart: 0, newLines: 0, lines: [] };
      hunks.push({ id: toId(), path, kind: 'binary', ...none, note: line });
    }
  }
  return hunks;
}

function toPath(name: string): string {
  const plain = name.split('\t')[0]!;
  return plain === '/dev/null' ? '' : plain.replace(/^[ab]\//, '');
}
