import type { LimitName } from '../../protocol/index.ts';

/** The use of the context window and of the limits, according to the log. */
export interface ContextInfo {
  /** Tokens of the next request, estimated from the last counted one. */
  used: number;
  /** Tokens. */
  window: number;
  limits: Readonly<Record<LimitName, LimitUse>>;
}

export interface LimitUse {
  /** Null: a price is unknown. */
  used: number | null;
  /** 0: unlimited. */
  cap: number;
  /** Null without a limit, or if a price is unknown. */
  left: number | null;
}
