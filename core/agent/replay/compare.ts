import { ERASED_FIELDS, type Event, type EventBody } from '../../protocol/index.ts';

/** Where a replayed event is not the recorded one. */
export interface Mismatch {
  /** The first field that differs, such as `message.parts.0.text`; '' is the whole event. */
  field: string;
  recorded: unknown;
  replayed: unknown;
}

const ULID = /\b[0-7][0-9A-HJKMNP-TV-Z]{25}\b/g;
/** As in the canonical log, but for the request's hash, the attempt and the states: a replay has them too. */
const ERASED: ReadonlySet<string> = new Set(
  ERASED_FIELDS.filter((name) => !['requestHash', 'attempt', 'tree', 'left', 'from', 'to', 'commit'].includes(name)),
);

/** Compares events by what the canonical log keeps of them; identifiers may have other names, but always the same. */
export function createComparison(): (recorded: Event, replayed: EventBody) => Mismatch | undefined {
  const names = new Map<string, string>();
  const taken = new Map<string, string>();
  const isSameId = (recorded: string, replayed: string): boolean => {
    if (recorded === replayed) return true;
    const known = names.get(replayed) ?? recorded;
    const other = taken.get(recorded) ?? replayed;
    if (known !== recorded || other !== replayed) return false;
    names.set(replayed, recorded);
    taken.set(recorded, replayed);
    return true;
  };
  const isSameText = (recorded: string, replayed: string): boolean => {
    if (recorded === replayed) return true;
    if (recorded.replaceAll(ULID, '') !== replayed.replaceAll(ULID, '')) return false;
    const left = recorded.match(ULID) ?? [];
    const right = replayed.match(ULID) ?? [];
    return left.length === right.length && left.every((id, at) => isSameId(id, right[at]!));
  };
  const compare = (recorded: unknown, replayed: unknown, path: readonly string[]): Mismatch | undefined => {
    const here = (): Mismatch => ({ field: path.join('.'), recorded, replayed });
    if (typeof recorded === 'string' && typeof replayed === 'string') {
      return isSameText(recorded, replayed) ? undefined : here();
    }
    if (!isObject(recorded) || !isObject(replayed)) return Object.is(recorded, replayed) ? undefined : here();
    if (Array.isArray(recorded) !== Array.isArray(replayed)) return here();
    for (const key of new Set([...Object.keys(recorded), ...Object.keys(replayed)])) {
      if (ERASED.has(key)) continue;
      const found = compare(recorded[key], replayed[key], [...path, key]);
      if (found) return found;
    }
    return undefined;
  };
  return (recorded, replayed) => {
    if (recorded.type !== replayed.type) return { field: 'type', recorded: recorded.type, replayed: replayed.type };
    // What a revocation names stands in no log, only what it left.
    if (recorded.type === 'grant.changed')
      return compare(recorded.by, 'by' in replayed ? replayed.by : undefined, ['by']);
    return compare(toBody(recorded), replayed, []);
  };
}

/** An event without its place in the log. */
export function toBody(event: Event): EventBody {
  const { v: _v, seq: _seq, prev: _prev, session: _session, at: _at, ...body } = event;
  return body as EventBody;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}
