import { hash } from 'node:crypto';
import { EVENT_VERSION } from '@klaus/core/protocol';
import type { Event } from '@klaus/core/protocol';
import { corrupt, newer } from '../store-error.ts';
import { upcast } from './upcast.ts';

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
  const value = toObject(text);
  const version = value?.['v'];
  if (!value || typeof version !== 'number') throw corrupt(from.file, `${from.place} is not a valid record`);
  if (version > EVENT_VERSION) throw newer(from.file, `${from.place} has version ${version}`);
  return (version < EVENT_VERSION ? upcast(value, version) : value) as Event;
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
export function toObject(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : undefined;
  } catch {
    return undefined;
  }
}
