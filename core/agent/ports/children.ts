import type { Edge, EventBody, EventOf, Grant, Limits, Outcome, Untrusted, Usage } from '../../protocol/index.ts';

/** What a call asks of a new child session. */
export interface ChildRequest {
  /** Name of its agent. */
  agent: string;
  /** Its part of the limits. Default: a quarter of what is left of each limit of this session. */
  limits?: Partial<Limits>;
  /** `invoke`: a worker of the user with its own authority. Default `spawn`. */
  edge?: Edge;
  /** True: it gets only what this session may delegate, and the user is not asked for the rest. Default false. */
  narrow?: boolean;
}

/** A child session that a call is about to open. */
export interface ChildPlan {
  id: string;
  agent: string;
  /** SHA-256 of the file of its definition. */
  definition: string;
  edge: Edge;
  /** The authority that it asks for. */
  wanted: Grant;
  limits: Limits;
}

/** What a child and its own children used, from its opening. */
export interface ChildUse {
  usage: Usage;
  /** Null: a price is unknown. */
  usd: number | null;
  turns: number;
  toolCalls: number;
  /** Minutes in which models worked. */
  minutes: number;
}

export interface ChildReport extends ChildUse {
  id: string;
  agent: string;
  edge: Edge;
  /** `working` also while it waits for an approval; `closed`: it takes no more tasks. */
  state: 'working' | 'finished' | 'closed';
  limits: Limits;
  /** How its last run ended. */
  outcome?: Outcome;
  /** Why its last run ended, as one sentence. */
  reason?: string;
  /** The last answer of its model, which is untrusted text; '' without one. */
  result: string;
  /** Present if it has read untrusted content. */
  untrusted?: Untrusted;
}

/** The child sessions of one session. */
export interface Children {
  list(): Promise<ChildReport[]>;
  /**
   * Prepares a child session. Changes nothing.
   *
   * @throws KlausError `usage` for an unknown agent, or one that this session may not give tasks; `denied` if its grant
   *   allows no further agent; `limit` if nothing is left for it.
   */
  plan(request: ChildRequest): Promise<ChildPlan>;
  /** True for a worker of the user that this session has not started, or whose session is closed. */
  isNewWorker(agent: string): boolean;
  /** The plan of a call that was interrupted after its child was recorded; undefined if there is none. */
  planned(): ChildPlan | undefined;
  /**
   * Opens the recorded child session and gives it its task. Repeated, it has the same effect once.
   *
   * @throws KlausError `workspace.conflict` if the definition has changed since; the child is closed then.
   */
  start(plan: ChildPlan, task: string): Promise<void>;
  /**
   * Sends a message to a child session: it continues a finished one.
   *
   * @param to Its id, a unique prefix of it, or the name of its agent if only one child has it.
   * @throws KlausError `usage` for another session, or a closed one.
   */
  send(to: string, message: string): Promise<ChildReport>;
  /**
   * The child sessions that have finished, and those that have not.
   *
   * @param options.children As `to` in {@link send}. Default: all that are open.
   * @param options.any True: one that has finished is enough. @param options.keep True: they stay open.
   */
  wait(options: { children?: readonly string[]; any?: boolean; keep?: boolean }): Promise<{
    ended: ChildReport[];
    /** Empty if enough have ended. */
    pending: string[];
    /** The records of those that were closed. */
    closed: EventBody[];
  }>;
}

/** How a child session is opened. */
export interface OpenChild {
  id: string;
  parent: { session: string; call: string };
  agent: string;
  /** SHA-256 of the file of the definition that was recorded. */
  definition: string;
  /** All of its authority, for the tools in its requests. */
  grant: Grant;
  limits: Limits;
  /** The opening of its parent. */
  opened: EventOf<'session.opened'>;
  /** The present model and mode of its parent. */
  model: string;
  mode: EventOf<'session.opened'>['mode'];
  /** The title of the session. */
  title: string;
}
