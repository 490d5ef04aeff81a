// The two platform types that core may use: they carry a decision to stop, and hold no clock and no I/O.
// Everything else of the platform reaches core through ports.
interface AbortSignal {
  readonly aborted: boolean;
  readonly reason: unknown;
  addEventListener(type: 'abort', listener: () => void, options?: { once?: boolean }): void;
  removeEventListener(type: 'abort', listener: () => void): void;
}
declare class AbortController {
  readonly signal: AbortSignal;
  abort(reason?: unknown): void;
}

/** Text and bytes: pure conversions. */
declare function atob(text: string): string;
declare class TextEncoder {
  encode(text: string): Uint8Array;
}
declare class TextDecoder {
  readonly encoding: string;
  constructor(label?: string, options?: { fatal?: boolean; ignoreBOM?: boolean });
  decode(bytes?: Uint8Array, options?: { stream?: boolean }): string;
}

/** Addresses: a pure parser. */
declare class URL {
  static canParse(text: string): boolean;
  constructor(text: string);
  readonly href: string;
  readonly protocol: string;
  readonly username: string;
  readonly password: string;
  hash: string;
}
