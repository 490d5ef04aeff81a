import type { Edge, Outcome, Usage } from '@klaus/core/protocol';

/** An agent that the session started, as the log of the session shows it. Immutable. */
export interface ChildView {
  /** Id of its session. */
  id: string;
  agent: string;
  edge: Edge;
  /** `finished`: its last run ended, and it can get another message. */
  state: 'working' | 'finished' | 'closed';
  /** Of its last run. */
  outcome?: Outcome;
  /** What it and the agents below it used, as of its last event in this log. */
  usage: Usage;
  usd: number | null;
  turns: number;
  toolCalls: number;
  /** Minutes in which models worked. */
  minutes: number;
  /** The calls that concern it: the one that started it, and those that sent it messages. */
  calls: readonly string[];
}
