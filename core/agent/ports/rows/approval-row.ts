import type { Remembered } from '../../../protocol/index.ts';

/** A question with its answer, if one was given. */
export interface ApprovalRow {
  id: string;
  session: string;
  /** Of the session. */
  sessionTitle: string | null;
  workspace: string;
  kind: 'call' | 'changes' | 'plan' | 'input' | 'limit';
  title: string;
  reason: string;
  /** For calls. */
  toolName: string | null;
  /** Unified diff, for calls that change files. */
  diff: string | null;
  command: string | null;
  /** For limits: its name, and the cap that an approval sets. */
  limitName: string | null;
  offer: number | null;
  /** ISO 8601. */
  createdAt: string;
  /** Unix milliseconds. */
  expiresAt: number;
  /** Null while the question is open. */
  answer: 'approved' | 'rejected' | 'expired' | 'superseded' | null;
  answeredBy: string | null;
  note: string | null;
  answeredAt: string | null;
}

export interface ApprovalFilter {
  /** Only questions without an answer. Default false. */
  open?: boolean;
  /** Of one session. */
  session?: string;
}

/** An approval that remains valid after its session. */
export interface RememberedRow {
  /** The approval that it was given with. */
  approval: string;
  session: string;
  /** Absolute real path. */
  workspace: string;
  remembered: Remembered;
  /** ISO 8601. */
  createdAt: string;
}
