import { isRecord } from '@klaus/core/protocol';

// Values of servers that are compatible only in part: any field can have any type.

/** '' for what is no text. */
export function toText(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** The objects of a list; none for what is no list. */
export function toRecords(value: unknown): Record<string, unknown>[] {
  return Array.isArray(value) ? value.filter(isRecord) : [];
}

/** No fields for what is no object. */
export function toRecord(value: unknown): Record<string, unknown> {
  return isRecord(value) ? value : {};
}

export function toNumber(value: unknown): number | undefined {
  return typeof value === 'number' ? value : undefined;
}
