const ALL = 'klaus-found';
const CURRENT = 'klaus-found-current';

/** Ranges that are marked at most. */
const MAX_RANGES = 2_000;

/** The occurrences of a text in an element, also across elements. */
function findRanges(element: Element, wanted: string): Range[] {
  const nodes: { node: Text; start: number }[] = [];
  let text = '';
  const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    nodes.push({ node: node as Text, start: text.length });
    text += node.nodeValue ?? '';
  }
  const lower = text.toLowerCase();
  const ranges: Range[] = [];
  // Lower case of a few characters has another length; their positions would be wrong.
  if (lower.length !== text.length) return ranges;
  const at = (offset: number, isEnd: boolean) =>
    nodes.findLast(({ start }) => (isEnd ? start < offset : start <= offset))!;
  for (let from = lower.indexOf(wanted); from >= 0; from = lower.indexOf(wanted, from + wanted.length)) {
    if (ranges.length >= MAX_RANGES) break;
    const [first, last] = [at(from, false), at(from + wanted.length, true)];
    const range = document.createRange();
    range.setStart(first.node, from - first.start);
    range.setEnd(last.node, from + wanted.length - last.start);
    ranges.push(range);
  }
  return ranges;
}

/** Marks a text in the rendered rows of a list without changing them. @returns The range of the current occurrence. */
export function markFound(
  list: Element,
  query: string,
  current: { row: number; nth: number } | undefined,
): Range | undefined {
  if (!('highlights' in CSS)) return undefined;
  const wanted = query.toLowerCase();
  const all: Range[] = [];
  let found: Range | undefined;
  for (const row of wanted === '' ? [] : list.querySelectorAll('[data-index]')) {
    const ranges = findRanges(row, wanted);
    if (Number(row.getAttribute('data-index')) === current?.row) {
      // A folded part or a drawn formula shows fewer occurrences than the text of the row has.
      found = ranges[Math.min(current.nth, ranges.length - 1)];
    }
    all.push(...ranges.slice(0, MAX_RANGES - all.length));
  }
  CSS.highlights.set(ALL, new Highlight(...all.filter((range) => range !== found)));
  CSS.highlights.set(CURRENT, new Highlight(...(found ? [found] : [])));
  return found;
}

export function clearFound(): void {
  if (!('highlights' in CSS)) return;
  CSS.highlights.delete(ALL);
  CSS.highlights.delete(CURRENT);
}
