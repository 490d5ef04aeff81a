import { ERASED_FIELDS, type Event, type EventBody } from '../../protocol/index.ts';

/** A difference between a replayed and a recorded event. */
export interface Mismatch {
  /** The first field that differs, such as `message.parts.0.text`; '' is the complete event. */
  field: string;
  recorded: unknown;
  replayed: unknown;
}

const ULID = /\b[0-7][0-9A-HJKMNP-TV-Z]{25}\b/g;
/** As in the canonical log, except the request's hash, the attempt and the states, which a replay also produces. */
const COMPARED: ReadonlySet<string> = new Set(['requestHash', 'attempt', 'tree', 'left', 'from', 'to', 'commit']);

const IGNORED: ReadonlySet<string> = new Set(ERASED_FIELDS.filter((field) => !COMPARED.has(field)));

/** Compares events by the fields of the canonical log. Ids may differ, but must be mapped consistently. */
export function createComparison(): (recorded: Event, replayed: EventBody) => Mismatch | undefined {
  const names = new Map<string, string>();
  const used = new Map<string, string>();
  const isSameId = (recorded: string, replayed: string): boolean => {
    if (recorded === replayed) return true;
    const known = names.get(replayed) ?? recorded;
    const other = used.get(recorded) ?? replayed;
    if (known !== recorded || other !== replayed) return false;
    names.set(replayed, recorded);
    used.set(recorded, replayed);
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
      if (IGNORED.has(key)) continue;
      const found = compare(recorded[key], replayed[key], [...path, key]);
      if (found) return found;
    }
    return undefined;
  };
  return (recorded, replayed) => {
    if (recorded.type !== replayed.type) return { field: 'type', recorded: recorded.type, replayed: replayed.type };
    // The log contains only the remaining grant, not the revoked authorities.
    if (recorded.type === 'grant.changed')
      return compare(recorded.by, 'by' in replayed ? replayed.by : undefined, ['by']);
    return compare(toBody(recorded), replayed, []);
  };
}

/** An event without its position in the log. */
export function toBody(event: Event): EventBody {
  const { v: _v, seq: _seq, prev: _prev, session: _session, at: _at, ...body } = event;
  return body as EventBody;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}
