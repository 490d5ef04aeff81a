import type { Event, EventOf, EventType } from './event.ts';

/**
 * Fields in which two runs of the same work may differ. The canonical log is the log without them: clocks, chain,
 * commit ids, and the figures of a request. A request that is sent again finds a warm prompt cache, and hashes cover
 * times and paths in tool results. Identifiers are renamed by order of appearance, machine paths by `replacements`.
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
  'answeredBy',
  'refusedBy',
  'from',
  'to',
  'klaus',
  'instance',
  'attempt',
  'requestHash',
  'contentHash',
  'reserved',
  'held',
  'modelInfo',
  'usage',
  'usd',
  'estimated',
] as const;

/**
 * Events that record only that a process or a child session ended, that something waited, or what was reserved or
 * counted. The canonical log is without
 * them, because the others record what was done.
 */
const IS_DISTURBANCE: { readonly [T in EventType]: boolean | ((event: EventOf<T>) => boolean) } = {
  'session.opened': false,
  'session.changed': false,
  'session.closed': false,
  'run.started': false,
  'run.finished': false,
  'runner.opened': true,
  'turn.started': false,
  'model.requested': true,
  'model.attempted': ({ outcome }) => outcome !== 'ok',
  'turn.finished': false,
  'message.added': false,
  'gate.decided': ({ attempt }) => attempt > 1,
  'tool.started': ({ attempt }) => attempt > 1,
  'tool.waiting': true,
  'tool.finished': false,
  'approval.asked': false,
  'approval.answered': false,
  'approval.changed': false,
  'grant.changed': false,
  'grant.escalated': false,
  'child.opened': false,
  'child.finished': true,
  'child.closed': true,
  'workspace.snapshotted': false,
  'workspace.restored': false,
  'workspace.committed': false,
  'workingCopy.ended': false,
  'evidence.verified': false,
  'compaction.requested': false,
  'context.compacted': false,
  'context.pinned': false,
  'context.unpinned': false,
  'content.refused': false,
  'process.changed': false,
  'usage.counted': true,
  notice: true,
};

export function isDisturbance(event: Event): boolean {
  const entry = IS_DISTURBANCE[event.type] as boolean | ((event: Event) => boolean);
  return typeof entry === 'boolean' ? entry : entry(event);
}

/** Phases of a call. Events of one phase keep their order: a call may be judged, approved and judged again. */
const PHASE = { 'gate.decided': 0, 'approval.asked': 0, 'tool.started': 1, 'tool.finished': 2 } as const;

/**
 * Sorts events by turn, then call, then phase. Calls may run in parallel, so the order of their results in the log
 * depends on timing. So does the call that finds the instructions of a folder first; they follow all results.
 */
export function sortCanonically(events: readonly Event[]): Event[] {
  const keyed = events.map((event, at) => ({ event, at, key: toKey(event) }));
  // A block is a longest sequence of call events of one turn. All other events keep their position.
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
  if (event.type === 'approval.asked' && (event.subject.kind === 'call' || event.subject.kind === 'plan')) {
    return { turn: event.turn, index: event.subject.index, phase: PHASE[event.type] };
  }
  return undefined;
}

/**
 * The canonical form of a log: two sessions that did the same work have equal canonical logs.
 *
 * @param replacements Texts to replace, such as the workspace's path, with their replacements.
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
