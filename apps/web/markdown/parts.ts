/** A text that grows, cut into parts; those that have ended never change again, however much text follows. */
export interface Parts {
  /** Add to the end. */
  append(text: string): void;
  /** Markdown of each part; the last one may still grow. Never empty. */
  list(): readonly string[];
}

/** Characters after which a part ends at the next place that suits: a third of a screen or so. */
const ENOUGH = 1_000;
/** Characters after which the next item of a list suits too. */
const MUCH = 4 * ENOUGH;
/** Characters after which any line suits, also within code, whose fence is then closed and opened again. */
const TOO_MUCH = 10 * ENOUGH;

const FENCE = /^\s*(`{3,}|~{3,})/;
const BLANK = /^\s*$/;
/** A line that begins something of its own, and is no item of a list that may have begun before. */
const FRESH = /^(?![-*+] |\d{1,9}[.)] )\S/;

/**
 * Cuts Markdown between its blocks, so that each part can be drawn without the others: a message of a megabyte costs
 * what is in sight of it. The same text gives the same parts in whatever pieces it comes.
 */
export function createParts(): Parts {
  const closed: string[] = [];
  let open = '';
  /** Where the first line of `open` that was not looked at begins. */
  let next = 0;
  /** The line that opened the code around `next`. */
  let fence: string | undefined;
  let isAfterBlank = false;

  const close = (at: number) => {
    const head = open.slice(0, at);
    const end = head.endsWith('\n') ? '' : '\n';
    closed.push(fence === undefined ? head : `${head}${end}${toMark(fence)}\n`);
    const again = fence === undefined ? '' : `${fence}\n`;
    open = again + open.slice(at);
    next = again.length;
  };
  const take = (line: string) => {
    if (next >= TOO_MUCH) close(next);
    else if (fence === undefined && isAfterBlank && next >= ENOUGH) {
      if (FRESH.test(line) || (next >= MUCH && /^\S/.test(line))) close(next);
    }
    if (fence === undefined) fence = FENCE.test(line) ? line : undefined;
    else if (isEnd(line, fence)) fence = undefined;
    isAfterBlank = BLANK.test(line);
    next += line.length + 1;
  };
  return {
    append(text) {
      open += text;
      for (;;) {
        const end = open.indexOf('\n', next);
        const length = (end < 0 ? open.length : end) - next;
        if (length > TOO_MUCH) {
          // A line without an end.
          const space = open.lastIndexOf(' ', next + TOO_MUCH);
          close(space > next ? space + 1 : next + TOO_MUCH);
        } else if (end < 0) return;
        else take(open.slice(next, end));
      }
    },
    list: () => (closed.length > 0 && BLANK.test(open) ? closed : [...closed, open]),
  };
}

/** Cuts a whole text, in the same way as one that comes in pieces. */
export function toParts(text: string): readonly string[] {
  if (text.length <= ENOUGH) return [text];
  const parts = createParts();
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
