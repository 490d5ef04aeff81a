import type { Verdict } from '../../../protocol/index.ts';
import type { SimpleCommand } from '../reading.ts';
import type { ShellContext } from './target.ts';

/** What a rule found in one simple command. */
export interface ShellFinding {
  verdict: Exclude<Verdict, 'allow'>;
  reason: string;
  /** The effect needs a network. */
  needs?: 'network';
  /**
   * True if the effect also happens without a network, as with a repository on this machine. Default false: the
   * command fails offline.
   */
  worksOffline?: boolean;
}

/** A rule about one simple command; undefined if it has no objection. */
export type CommandRule = (command: SimpleCommand, context: ShellContext) => ShellFinding | undefined;
