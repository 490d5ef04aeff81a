import type { Ulid } from '../../protocol/index.ts';

/** The only source of ids and randomness in core. */
export interface Ids {
  /** A new ULID, monotonic within the process. */
  ulid(): Ulid;
  /** Lower-case SHA-256 of the UTF-8 bytes. */
  digest(content: string | Uint8Array): string;
  /** Uniform in [0, 1). */
  random(): number;
}
