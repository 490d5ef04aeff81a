import type { Effect, Message, ModelFailureCode, Part, StopReason, Usage } from '../../protocol/index.ts';

/** A tool as the model sees it. */
export interface ToolSpec {
  name: string;
  description: string;
  /** JSON Schema of the input, `type: "object"`. */
  inputSchema: Record<string, unknown>;
  effects: readonly Effect[];
}

export interface ModelRequest {
  /** Fixed for the session. */
  system: string;
  /** Fixed for the session, in this order. */
  tools: readonly ToolSpec[];
  /**
   * The history. Each message is immutable and keeps its identity from request to request, so that an
   * adapter converts it once; the list itself may grow behind a request, but what is in it stays.
   */
  messages: readonly Message[];
  /** Tokens the answer may have. */
  maxOutputTokens: number;
  /** The session: names the provider's prompt cache where it wants a name. */
  session: string;
}

export interface ModelFailure {
  code: ModelFailureCode;
  message: string;
  /** HTTP status, where there was one. */
  status?: number;
  /** What the provider asked to wait, in milliseconds. */
  retryAfterMs?: number;
}

/**
 * One thing that a model says. A stream ends with exactly one `finished` or `failed`; the stream itself
 * throws only for bugs.
 */
export type ModelEvent =
  | { type: 'text'; text: string }
  | { type: 'thinking'; text: string }
  /** A piece of a call's arguments as JSON text. The whole call stands in `finished`. */
  | { type: 'call'; index: number; name: string; text: string }
  | {
      type: 'finished';
      /** The whole answer: text, thinking and calls in order. */
      parts: Part[];
      stopReason: StopReason;
      usage: Usage;
      /** The provider's own figure in US dollars, where it gives one. */
      usd?: number;
    }
  | { type: 'failed'; failure: ModelFailure };

/** US dollars per million tokens. */
export interface Price {
  input: number;
  output: number;
  cacheRead: number;
  cacheWrite: number;
}

export interface ModelInfo {
  /** Tokens of prompt and answer together. */
  contextWindow: number;
  /** Tokens of one answer. */
  maxOutputTokens: number;
  images: boolean;
  /** Price steps by prompt length, the first with `above: 0`; empty when the price is not known. */
  prices: readonly { above: number; price: Price }[];
}

export interface StreamOptions {
  signal: AbortSignal;
  /** Called when the whole request is on its way: what is done then delays it no more. */
  onSent?: () => void;
  /** Called whenever bytes arrive, also for keep-alives that yield no event. */
  onBytes?: () => void;
}

/** One model of one provider. */
export interface Model {
  /** Full name, `provider/id`. */
  readonly name: string;
  readonly info: ModelInfo;
  stream(request: ModelRequest, options: StreamOptions): AsyncIterable<ModelEvent>;
}

/** All models that this machine's keys reach. */
export interface Models {
  /**
   * @param name `provider/id`, a tier (`opus`, `sonnet`, `haiku`) or a bare known id.
   * @throws KlausError `model.unknown` with the nearest match, `auth` when no key fits, `config`.
   */
  resolve(name: string): Promise<Model>;
  /** The cheap model of the same provider, for titles, summaries and compaction. */
  cheap(model: Model): Promise<Model>;
}
