/** A growing text split into parts. Closed parts never change again. */
export interface Parts {
  append(text: string): void;
  /** Markdown of each part. The last one may grow. Never empty. */
  list(): readonly string[];
}

/** Characters after which a part ends at the next block, by default: about a third of a screen. */
const MIN_PART = 1_000;
/** A part of so many times its least length also ends at the next item of a list. */
const LONG_PART = 4;
/** Characters after which a part ends at any line. A code fence is then closed and opened again. */
const MAX_PART = 10_000;

const FENCE = /^\s*(`{3,}|~{3,})/;
const BLANK = /^\s*$/;
/** A line that starts or ends a formula of several lines. */
const FORMULA = /^ {0,3}\$\$\s*$/;
/** A line that starts a new block, and not an item of a list. */
const FRESH = /^(?![-*+] |\d{1,9}[.)] )\S/;
/** An incomplete line whose first word shows whether it starts a new block. */
const STARTED = /^\S+\s/;

/**
 * Splits Markdown between its blocks, so that only the visible parts of a long message are rendered. The parts do not
 * depend on the pieces in which the text arrives.
 *
 * @param minPart Characters after which a part ends at the next block. Default 1,000; with 0,
 * each block and each item after a blank line is a part.
 */
export function createParts(minPart = MIN_PART): Parts {
  const closed: string[] = [];
  let open = '';
  /** Offset in `open` of the first line that is not processed. */
  let next = 0;
  /** The line that opened the code block at `next`. */
  let fence: string | undefined;
  let isAfterBlank = false;
  /** Open `<details>` elements at `next`, and whether a formula is open. Neither is split at a blank line. */
  let details = 0;
  let isFormula = false;

  const close = (at: number) => {
    const head = open.slice(0, at);
    const end = head.endsWith('\n') ? '' : '\n';
    closed.push(fence === undefined ? head : `${head}${end}${toMark(fence)}\n`);
    const again = fence === undefined ? '' : `${fence}\n`;
    open = again + open.slice(at);
    next = again.length;
  };
  /** True for a line at `next` with which a part starts. */
  const startsPart = (line: string): boolean =>
    fence === undefined &&
    isAfterBlank &&
    next > 0 &&
    next >= minPart &&
    details === 0 &&
    !isFormula &&
    (FRESH.test(line) || (next >= LONG_PART * minPart && /^\S/.test(line)));
  const take = (line: string) => {
    if (next >= MAX_PART || startsPart(line)) close(next);
    if (fence === undefined) {
      fence = FENCE.test(line) ? line : undefined;
      if (FORMULA.test(line)) isFormula = !isFormula;
      details = Math.max(0, details + countDetails(line));
    } else if (isEnd(line, fence)) fence = undefined;
    isAfterBlank = BLANK.test(line);
    next += line.length + 1;
  };
  return {
    append(text) {
      open += text;
      for (;;) {
        const end = open.indexOf('\n', next);
        const length = (end < 0 ? open.length : end) - next;
        if (length > MAX_PART) {
          // A long line without an end.
          const space = open.lastIndexOf(' ', next + MAX_PART);
          close(space > next ? space + 1 : next + MAX_PART);
        } else if (end < 0) return;
        else take(open.slice(next, end));
      }
    },
    list() {
      if (closed.length > 0 && BLANK.test(open)) return closed;
      const line = open.slice(next);
      if (STARTED.test(line) && startsPart(line)) return [...closed, open.slice(0, next), line];
      return [...closed, open];
    },
  };
}

/** Splits a complete text, with the same result as for a growing one. */
export function toParts(text: string, minPart = MIN_PART): readonly string[] {
  if (text.length <= minPart) return [text];
  const parts = createParts(minPart);
  parts.append(text);
  return parts.list();
}

function toMark(fence: string): string {
  return FENCE.exec(fence)![1]!;
}

function isEnd(line: string, fence: string): boolean {
  const mark = toMark(fence);
  const word = line.trim();
  return word.startsWith(mark) && word.replaceAll(mark[0]!, '') === '';
}

/** The elements that a line opens, less those that it closes. */
function countDetails(line: string): number {
  if (!line.includes('details')) return 0;
  return (line.match(/^ {0,3}<details\b/i)?.length ?? 0) - (line.match(/<\/details\b/gi)?.length ?? 0);
}
