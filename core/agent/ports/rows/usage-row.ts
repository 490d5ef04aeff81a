export interface UsageFilter {
  /** Of this session and its descendants. Default: all sessions. */
  session?: string;
  /** What a row sums up. `day` is one in UTC. */
  by: 'day' | 'model' | 'session' | 'agent' | 'workspace';
  /** Unix milliseconds: only requests that ended at that time or later. */
  since?: number;
  /** Only of sessions in these workspaces, by their paths as `by: 'workspace'` lists them. Default: all. */
  workspaces?: readonly string[];
}

/** Charged usage: tokens by cache class, and US dollars, null when the price of any part is unknown. */
export interface Charged {
  /** Charged requests; a request that the provider refused costs nothing. */
  requests: number;
  inputTokens: number;
  outputTokens: number;
  cacheReadTokens: number;
  cacheWriteTokens: number;
  usd: number | null;
}

export interface UsageRow extends Charged {
  /** The day (`2026-01-31`), the model, the session, the agent or the workspace. */
  key: string;
  /** US dollars that requests without the provider's figure may have cost in addition. */
  heldUsd: number;
  /** The part of requests that broke off, charged for their prompt and the streamed output. */
  broken: Charged;
  /** The part of requests that a process left open when it ended, charged at their reservation. */
  abandoned: Charged;
}

/** The size of the store. Sizes are bytes. */
export interface StoreStats {
  file: string;
  bytes: { database: number; writeAheadLog: number; blobs: number };
  blobs: number;
  tables: { name: string; rows: number }[];
  sessions: { status: string; count: number }[];
  /** Sums over all sessions; `usd` omits requests without a known price. */
  usage: { inputTokens: number; outputTokens: number; cacheReadTokens: number; cacheWriteTokens: number; usd: number };
}
