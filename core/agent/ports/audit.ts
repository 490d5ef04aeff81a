import type { EventOf, HostEventOf, HostEventType } from '../../protocol/index.ts';

/** The result of verifying a chain. */
export type ChainReport =
  | { intact: true; records: number }
  | {
      intact: false;
      /** Records before the first invalid one. */
      records: number;
      /** The first invalid record. */
      seq: number;
      problem: 'altered' | 'dropped' | 'reordered';
      /** One sentence. */
      message: string;
    };

/** The result of verifying the chains. */
export interface AuditReport {
  /** True when all verified chains are intact, and no recovery is reported. */
  intact: boolean;
  host: ChainReport;
  /** The end of the host chain. Stored elsewhere, it later proves that no earlier record was rewritten. */
  head: { seq: number; hash: string };
  sessions: { session: string; report: ChainReport }[];
  /**
   * Recoveries of a damaged database that left something out, in order. They make the report not intact, because what was
   * left out cannot be verified. Not those up to a noted head: who noted it has seen the report.
   */
  recoveries: HostEventOf<'database.recovered'>[];
}

export interface AuditOptions {
  /** Only this session and the host chain. Default: all sessions that exist, or that the host chain knows. */
  session?: string;
  /** A record of the host chain that was noted earlier. */
  head?: { seq: number; hash: string };
}

export interface HostFilter {
  /** Only events after this seq. Default 0. */
  after?: number;
  /** Only events before this seq, the newest first. Not together with `after`. `Infinity`: from the newest one. */
  before?: number;
  /** Unix milliseconds: only events at that time or later. */
  since?: number;
  type?: HostEventType;
  /** A session, or the path of a workspace. */
  subject?: string;
}

export interface DecisionFilter {
  /** Of one session. */
  session?: string;
  /** Unix milliseconds: only decisions at that time or later. */
  since?: number;
  /** Only calls that were denied or that needed an approval. Default false. */
  denied?: boolean;
}

/** A decision of the gate with the call that it concerns. */
export interface DecisionRow {
  event: EventOf<'gate.decided'>;
  /** The input as logged; undefined for actions of the engine itself. */
  input: unknown;
}
