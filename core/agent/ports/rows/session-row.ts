/** A session in a list. Times are ISO 8601 in UTC. */
export interface SessionRow {
  id: string;
  workspace: string;
  /** First 24 characters of the SHA-256 of the workspace's path; null before session.opened. */
  project: string | null;
  title: string | null;
  summary: string | null;
  /** Beginning of the first prompt, at most 200 characters. */
  firstPrompt: string | null;
  pinned: boolean;
  /** Lists leave it out. The next run ends it. */
  archived: boolean;
  /** Name of its agent; `klaus` for the built-in one. */
  agentType: string;
  parent: string | null;
  /** The session whose events this one began with. */
  forkedFrom: string | null;
  /** The status in the log: `running` without a process that holds the lease was interrupted; see `isClaimed`. */
  status: 'idle' | 'running' | 'waiting' | 'closed';
  model: string | null;
  mode: string | null;
  sandbox: string | null;
  /** Of the last run; null during a run. */
  outcome: string | null;
  outcomeReason: string | null;
  turns: number;
  toolCalls: number;
  inputTokens: number;
  outputTokens: number;
  cacheReadTokens: number;
  cacheWriteTokens: number;
  /** US dollars; null when the price of any part is unknown. */
  costUsd: number | null;
  lastSeq: number;
  createdAt: string;
  /** Of the last event that concerns the session itself: a prompt, a turn, the end of a call or run, a title. */
  updatedAt: string;
}

export interface SessionFilter {
  /** Text in id, title, summary, workspace or any message, ignoring case. */
  search?: string;
  /** Default 50. */
  limit?: number;
  /** Id of the last session of the previous page, under the same order. */
  before?: string;
  /** Absolute path. */
  workspace?: string;
  /** Only archived sessions, or only others. Default: both. */
  archived?: boolean;
  /** Full name, `provider/id`. */
  model?: string;
  /** Only with an event that concerns the session at or after this time, in ISO 8601. */
  since?: string;
  /** The same before this time. */
  until?: string;
  /** Only with an open run, or with such an event at or after this time, in ISO 8601. */
  activeSince?: string;
  /** Default `updated`. */
  sort?: 'updated' | 'created' | 'cost' | 'title';
  /** Default `desc`. */
  order?: 'asc' | 'desc';
}

/** A message that contains the words of a search. */
export interface MessageHit {
  session: string;
  sessionTitle: string | null;
  role: 'user' | 'assistant' | 'tool';
  /** Of its event. */
  seq: number;
  content: string;
  /** ISO 8601. */
  at: string;
}

export interface ClearFilter {
  /** Unix milliseconds: only sessions without an event since then. */
  olderThan?: number;
  /** Only these, also when pinned. Default: all sessions that are not pinned. */
  ids?: readonly string[];
  /** The door that deletes, for the host chain. Default `sdk`. */
  by?: string;
}

export interface ClearReport {
  /** Ids of the deleted sessions. */
  cleared: string[];
  /** Sessions that were not deleted because a live process holds them. */
  busy: string[];
  blobs: { count: number; bytes: number };
}

/**
 * Why a session needs the user: the kind of an open approval; or `interrupted` its run has no end and no process works
 * on it, `failed` its run did not finish, `done` its run finished and no user interface showed its end.
 */
export type AttentionKind = 'call' | 'changes' | 'plan' | 'limit' | 'interrupted' | 'failed' | 'done';

/** A session that needs the user. A child session belongs to the session that the user opened. */
export interface AttentionItem {
  /** Id of the approval; else `SESSION:SEQ` of the event. */
  id: string;
  kind: AttentionKind;
  /** The session that the user opened. */
  session: string;
  /** The child session that asks; null: the session itself. */
  child: string | null;
  /** Its title, else the beginning of its first prompt. */
  title: string | null;
  /** Absolute path. */
  workspace: string;
  /** As in {@link SessionRow}. */
  project: string | null;
  /** Agent of the session that asks or ended. */
  agent: string;
  /** Seq of the last event at that time, for {@link SessionSeen}. Null for an approval, which only an answer removes. */
  seq: number | null;
  /** ISO 8601. */
  since: string;
  /** What is asked, why the run failed, or the last line of the answer; at most 200 characters. */
  line: string;
  /** What the user can do about it. */
  action: 'answer' | 'resume' | 'look';
}

export interface AttentionList {
  /** The oldest first. */
  items: AttentionItem[];
  /** All of them, also those above the limit. */
  counts: { answer: number; failed: number; done: number };
}

export interface AttentionFilter {
  /** Default 200. Open approvals come before failures, and failures before finished runs. */
  limit?: number;
}

/** How far the user has seen a session. */
export interface SessionSeen {
  session: string;
  /** Every event up to this one was shown. */
  seq: number;
}
