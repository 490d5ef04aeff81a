import { hash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { deserialize } from 'node:v8';
import type { State } from '@klaus/core/agent';
import { toHash } from '../sqlite/log/record.ts';

/** A row of the table `checkpoints`. */
export interface Checkpoint {
  /** Of the last event in it. */
  seq: number;
  /** Of that event's record. */
  hash: string;
  /** SHA-256 of `state`. */
  digest: string;
  /** As node:v8 serialises it. */
  state: Uint8Array;
}

/** The state of a row; undefined when it does not match the log. @param record The stored text of its last event. */
export function fromCheckpoint(row: Checkpoint, record: string | undefined): State | undefined {
  if (record === undefined || toHash(record) !== row.hash || toDigest(row.state) !== row.digest) return undefined;
  try {
    const state = deserialize(row.state) as State;
    return state.seq === row.seq ? state : undefined;
  } catch {
    // Another version of Node serialised it in a format that this one cannot read.
    return undefined;
  }
}

export function toDigest(bytes: Uint8Array): string {
  return hash('sha256', bytes, 'hex');
}

export function isSameState(one: State, other: State): boolean {
  return isDeepStrictEqual(toPlain(one), toPlain(other));
}

/** As JSON: an absent field and an undefined one are equal. */
function toPlain(state: State): unknown {
  const text = JSON.stringify(state, (_, value: unknown) =>
    value instanceof Map || value instanceof Set ? [...value] : value,
  );
  return JSON.parse(text) as unknown;
}
