import type { ModelEvent } from '@klaus/core/agent';

export function mergeDeltas(events: readonly ModelEvent[]): ModelEvent[] {
  const merged: ModelEvent[] = [];
  for (let from = 0; from < events.length;) {
    const first = events[from]!;
    let to = from + 1;
    while (to < events.length && isMore(first, events[to]!)) to++;
    const isSeveral = to - from > 1 && 'text' in first;
    const text = isSeveral ? events.slice(from, to).map(toText).join('') : '';
    merged.push(isSeveral ? { ...first, text } : first);
    from = to;
  }
  return merged;
}

function toText(event: ModelEvent): string {
  return 'text' in event ? event.text : '';
}

function isMore(first: ModelEvent, next: ModelEvent): boolean {
  if (first.type === 'call') return next.type === 'call' && next.index === first.index && next.name === first.name;
  return first.type === next.type && (first.type === 'text' || first.type === 'thinking');
}
