import type {
  Effect,
  EffortLevel,
  LearnedSizes,
  Message,
  ModelFailureCause,
  ModelFailureCode,
  Part,
  Sampling,
  StopReason,
  Usage,
} from '../../protocol/index.ts';

/** A tool as the model sees it. */
export interface ToolSpec {
  name: string;
  description: string;
  /** JSON Schema of the input, `type: "object"`. */
  inputSchema: Record<string, unknown>;
  effects: readonly Effect[];
}

/** A client sends of `temperature` and `effort` what the model supports; see `toSupported`. */
export interface ModelRequest extends Sampling {
  /** Fixed for the session. */
  system: string;
  /** Fixed for the session, in this order. */
  tools: readonly ToolSpec[];
  /**
   * The history. Each message is immutable and has the same identity in every request, so that an adapter converts it
   * once. Messages may be appended to the list after a request.
   */
  messages: readonly Message[];
  maxOutputTokens: number;
  /** The session: the key of the prompt cache, if the provider uses one. */
  session: string;
  /** True if the session has read untrusted text, which a model can quote. Default false. */
  isUntrusted?: boolean;
}

/** What the error of a server says in addition to its message. */
export interface FailureDetails {
  cause?: ModelFailureCause;
  /** The body as the server sent it, which can be long. */
  body?: string;
  /** Sizes of the model that the error names. */
  sizes?: LearnedSizes;
  /** Tokens of the answer with which the server would accept the request. */
  maxAnswerTokens?: number;
}

export interface ModelFailure extends FailureDetails {
  code: ModelFailureCode;
  /** The server's own words, if it said any. */
  message: string;
  /** HTTP status, if there was one. */
  status?: number;
  /** The cause, if the server named it. */
  cause?: ModelFailureCause;
  /** Milliseconds that the provider asked to wait. */
  retryAfterMs?: number;
  /** The content that the server does not accept, if its error names it. */
  refused?: Refusal;
}

/** Content that a server does not accept. */
export type Refusal =
  /** `isKind`: it accepts nothing of this kind. Otherwise it rejects a certain one. */
  | { kind: 'image' | 'state'; isKind: boolean }
  /** It requires a state with calls, and there are calls of another model. */
  | { kind: 'calls' }
  | { kind: 'tool'; tool: string };

/**
 * One event of a model's stream. A stream ends with exactly one `finished` or `failed`; it throws only for bugs.
 */
export type ModelEvent =
  | { type: 'text'; text: string }
  | { type: 'thinking'; text: string }
  /** A piece of a call's arguments as JSON text. `finished` contains the complete call. */
  | { type: 'call'; index: number; name: string; text: string }
  /**
   * What the provider has reported before the end, so that an answer that breaks off is charged for it. Later figures
   * replace earlier ones.
   *
   * `isFinal`: it includes the complete answer. `usd` and `isEstimated` as in `finished`.
   */
  | { type: 'usage'; usage: Usage; isFinal: boolean; usd?: number; isEstimated?: boolean }
  | {
      type: 'finished';
      /** The complete answer: text, thinking and calls in order. */
      parts: Part[];
      stopReason: StopReason;
      usage: Usage;
      /** True: the provider reported no usage or an impossible one; `usage` is counted from bytes. Default false. */
      isEstimated?: boolean;
      /** Tokens of the prompt as the server reported them, if they are too few to be used. */
      reportedPrompt?: number;
      /** The cost in US dollars according to the provider, if it reports one. */
      usd?: number;
      /** Results of the search, for a request of {@link ModelSearch}. Absent: the provider did not search. */
      sources?: WebSource[];
    }
  | { type: 'failed'; failure: ModelFailure };

/** One result of a search of the web. */
export interface WebSource {
  /** '' if there is none. */
  title: string;
  url: string;
  /** What the page says about the query; '' if there is nothing. */
  snippet: string;
}

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
  maxOutputTokens: number;
  images: boolean;
  /** Price steps by prompt length, the first with `above: 0`; empty if the price is unknown. */
  prices: readonly { above: number; price: Price }[];
  /** Levels of effort that the model has, the lowest first. Default: none. */
  efforts?: readonly EffortLevel[];
  /** The highest temperature that the model accepts. Default: it accepts none. */
  maxTemperature?: number;
  /** True if the model reasons and its provider does not stream all of that. Default false. */
  hidesReasoning?: boolean;
}

export interface StreamOptions {
  signal: AbortSignal;
  /** Called when the request is sent completely, so that further work does not delay it. */
  onSent?: () => void;
  /** Called when bytes arrive, also for keep-alives without an event. */
  onBytes?: () => void;
}

/** A model whose provider searches the web for each request, and returns the results as `sources`. */
export interface ModelSearch {
  /** Address that gets the query. */
  readonly url: string;
  /** Maximum US dollars for a search, in addition to its tokens. The answer contains the cost of both. */
  readonly usd: number;
  /** Tools of the request are ignored. */
  stream(request: ModelRequest, options: StreamOptions): AsyncIterable<ModelEvent>;
}

export interface Model {
  /** Full name, `provider/id`. */
  readonly name: string;
  readonly info: ModelInfo;
  /** The model and its server. Only the same one gets the `providerState` of its answers. Default: unknown. */
  readonly answeredBy?: string;
  /** Scheme, host and port of the server. Absent: unknown. */
  readonly server?: string;
  /** True if the server is on this machine or in a private network. Default false. */
  readonly isLocal?: boolean;
  /** The provider's own search of the web. Absent: it has none. */
  readonly webSearch?: ModelSearch;
  stream(request: ModelRequest, options: StreamOptions): AsyncIterable<ModelEvent>;
}

/** All models for which this machine has keys. */
export interface Models {
  /**
   * @param name `provider/id`, a tier (`opus`, `sonnet`, `haiku`) or a bare known id.
   * @throws KlausError `model.unknown` with the nearest match, `auth` without a matching key, `config`.
   */
  resolve(name: string): Promise<Model>;
  /** The cheap model of the same provider, for titles, summaries and compaction. */
  cheap(model: Model): Promise<Model>;
}
