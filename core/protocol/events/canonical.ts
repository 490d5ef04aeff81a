import type { Event, EventOf } from './event.ts';

/**
 * Fields that two runs of the same work may differ in. The canonical log is the log without them: clocks,
 * chain, commit ids, and what is counted of a request (a request sent again meets a warm prompt cache, and
 * its hash covers times and paths that stand in tool results). Identifiers are renamed by order of
 * appearance, machine paths by `replacements`.
 */
export const ERASED_FIELDS = [
  'v',
  'seq',
  'prev',
  'at',
  'session',
  'durationMs',
  'expiresAt',
  'retryInMs',
  'mark',
  'commit',
  'known',
  'tree',
  'gitTree',
  'left',
  'from',
  'to',
  'klaus',
  'attempt',
  'requestHash',
  'reserved',
  'modelInfo',
  'usage',
  'usd',
] as const;

/** Events that only say that a process ended or waited, or what was set aside or counted: what was done is in the others. */
export function isDisturbance(event: Event): boolean {
  return (
    (event.type === 'model.attempted' && event.outcome !== 'ok') ||
    event.type === 'model.requested' ||
    ((event.type === 'tool.started' || event.type === 'gate.decided') && event.attempt > 1) ||
    event.type === 'usage.counted' ||
    event.type === 'notice'
  );
}

/** Phases of a call. Several of one phase keep their order: a call may be judged, asked about and judged again. */
const PHASE = { 'gate.decided': 0, 'approval.asked': 0, 'tool.started': 1, 'tool.finished': 2 } as const;

/**
 * Orders events as their meaning is ordered: by turn, then call, then phase. Calls may run in parallel,
 * so the log's own order of their results is an accident of timing; so is which of them found a folder's
 * instructions first, which enter the history behind all results.
 */
export function sortCanonically(events: readonly Event[]): Event[] {
  const keyed = events.map((event, at) => ({ event, at, key: toKey(event) }));
  // A block is a maximal stretch of call events of one turn; everything else keeps its place.
  const out: Event[] = [];
  let block: typeof keyed = [];
  let found: EventOf<'message.added'>[] = [];
  const flush = () => {
    block.sort((a, b) => a.key!.index - b.key!.index || a.key!.phase - b.key!.phase || a.at - b.at);
    found.sort((a, b) => (a.message.id < b.message.id ? -1 : 1));
    out.push(...block.map((entry) => entry.event), ...found);
    block = [];
    found = [];
  };
  for (const entry of keyed) {
    const { event } = entry;
    if (block.length > 0 && event.type === 'message.added' && event.message.origin === 'context') found.push(event);
    else if (entry.key && (block.length === 0 || block[0]!.key!.turn === entry.key.turn)) block.push(entry);
    else {
      flush();
      if (entry.key) block.push(entry);
      else out.push(event);
    }
  }
  flush();
  return out;
}

function toKey(event: Event): { turn: number; index: number; phase: number } | undefined {
  if (event.type === 'gate.decided' || event.type === 'tool.started' || event.type === 'tool.finished') {
    return { turn: event.turn, index: event.index, phase: PHASE[event.type] };
  }
  if (event.type === 'approval.asked' && event.subject.kind === 'call') {
    return { turn: event.turn, index: event.subject.index, phase: PHASE[event.type] };
  }
  return undefined;
}

/**
 * The canonical form of a log: two sessions that did the same work have equal canonical logs.
 *
 * @param replacements Texts to erase, such as the workspace's path, with what stands for them.
 */
export function toCanonical(
  events: readonly Event[],
  replacements: ReadonlyMap<string, string> = new Map(),
): unknown[] {
  const names = new Map<string, string>();
  const rename = (text: string): string => {
    let out = text;
    for (const [from, to] of replacements) out = out.replaceAll(from, to);
    return out.replace(/\b[0-7][0-9A-HJKMNP-TV-Z]{25}\b/g, (id) => {
      if (!names.has(id)) names.set(id, `id-${names.size + 1}`);
      return names.get(id)!;
    });
  };
  const erased = new Set<string>(ERASED_FIELDS);
  const walk = (value: unknown): unknown => {
    if (typeof value === 'string') return rename(value);
    if (Array.isArray(value)) return value.map(walk);
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(
      Object.entries(value).flatMap(([key, item]) => (erased.has(key) ? [] : [[key, walk(item)]])),
    );
  };
  return sortCanonically(events.filter((event) => !isDisturbance(event))).map(walk);
}
