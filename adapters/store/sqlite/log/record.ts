import { hash } from 'node:crypto';
import { EVENT_VERSION, FIRST_PREV, type Event, isRecord } from '@klaus/core/protocol';
import { corrupt, newer } from '../store-error.ts';

type Fields = Record<string, unknown>;

/** The end of a chain. */
export interface ChainHead {
  /** Of the last record; 0 when there is none. */
  seq: number;
  /** Of the last record; FIRST_PREV when there is none. */
  hash: string;
}

export const NO_HEAD: ChainHead = { seq: 0, hash: FIRST_PREV };

/** Lower-case SHA-256 of the UTF-8 bytes of a record. */
export function toHash(text: string): string {
  return hash('sha256', text, 'hex');
}

/**
 * The event of a stored record, in the current version.
 *
 * @param from The file and the position in it, for error messages.
 * @throws KlausError `store.corrupt` for an invalid record, or one of a newer version.
 */
export function fromRecord(text: string, from: { file: string; place: string }): Event {
  const value = toVersioned(text, EVENT_VERSION, from);
  return (value.v < EVENT_VERSION ? upcast(value, value.v) : value) as Event;
}

/** The event of a row of the table `events`. @throws KlausError as `fromRecord`. */
export function fromEventRow(
  { file }: { file: string },
  { session, seq, record }: { session: string; seq: number; record: string },
): Event {
  return fromRecord(record, { file, place: `record ${seq} of session ${session}` });
}

/** The fields of a record. @throws KlausError `store.corrupt` for an invalid one, or one of a newer version. */
export function toVersioned(
  text: string,
  newest: number,
  from: { file: string; place: string },
): Fields & { v: number } {
  const value = toObject(text);
  const version = value?.['v'];
  if (!value || typeof version !== 'number') throw corrupt(from.file, `${from.place} is not a valid record`);
  if (version > newest) throw newer(from.file, `${from.place} has version ${version}`);
  return value as Fields & { v: number };
}

/** The beginning of a record of the current version. */
const CURRENT = `{"v":${EVENT_VERSION},`;

/**
 * The JSON text of a stored record's event, in the current version and on one line. A record of the current version is
 * returned without parsing: the receiver detects damage when it parses the text.
 *
 * @throws KlausError as `fromRecord`.
 */
export function toText(record: string, from: { file: string; place: string }): string {
  const isCurrent = record.startsWith(CURRENT) && record.endsWith('}') && !record.includes('\n');
  return isCurrent ? record : JSON.stringify(fromRecord(record, from));
}

/** The fields of a JSON object; undefined for anything else. */
export function toObject(text: string): Fields | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** A stored record of an older version in the current shape, one version at a time. The stored text, which the chain hashes, stays. */
function upcast(record: Fields, version: number): Fields {
  let value = record;
  if (version < 2) value = fromVersion1(value);
  if (version < 3) value = fromVersion2(value);
  return value;
}

/** Version 1 named the commit on the private ref a snapshot. Since version 2 a snapshot is a stored state of the files. */
function fromVersion1(record: Fields): Fields {
  const type = record['type'] === 'workspace.snapshotted' ? 'workspace.committed' : record['type'];
  return { ...record, v: 2, type };
}

/** Version 2 named the freshness of a check `standing`. */
function fromVersion2(record: Fields): Fields {
  const { evidence } = record;
  const isRenamed = record['type'] === 'run.finished' && Array.isArray(evidence);
  // The fields keep their order.
  const rename = (row: Fields): Fields =>
    Object.fromEntries(Object.entries(row).map(([name, value]) => [name === 'standing' ? 'freshness' : name, value]));
  return { ...record, v: 3, ...(isRenamed ? { evidence: evidence.map(rename) } : {}) };
}
