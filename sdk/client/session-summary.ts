import type { SessionRow } from '@klaus/core/agent';

export interface SessionSummary extends Pick<SessionRow, 'id' | 'title' | 'lastSeq' | 'mode' | 'model' | 'updatedAt'> {
  /** True while a process works on it, this one or another. */
  held: boolean;
}
