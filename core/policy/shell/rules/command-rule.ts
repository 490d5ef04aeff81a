import type { Verdict } from '../../../protocol/index.ts';
import type { SimpleCommand } from '../evaluation.ts';
import type { ShellContext } from './target.ts';

export interface ShellFinding {
  verdict: Exclude<Verdict, 'allow'>;
  reason: string;
  /** In mode `ask`, the user may approve what is denied otherwise: it is a decision of a person. */
  isForPerson?: boolean;
  /** The effect needs a network. */
  needs?: 'network';
  /**
   * True if the effect also happens without a network, as with a repository on this machine. Default false: the
   * command fails offline.
   */
  worksOffline?: boolean;
  /** True if it only has that effect without a network. */
  reinstalls?: boolean;
  /** True if it objects to what cannot be known before the command runs. */
  isUnknown?: boolean;
}

export const ask = (reason: string): ShellFinding => ({ verdict: 'ask', reason });
/** Asks because a part is only known at run time. */
export const askUnknown = (reason: string): ShellFinding => ({ ...ask(reason), isUnknown: true });
export const askNetwork = (reason: string): ShellFinding => ({ ...ask(reason), needs: 'network' });
export const deny = (reason: string): ShellFinding => ({ verdict: 'deny', reason });
/** Denied, but in mode `ask` the user is asked. */
export const denyToAgent = (reason: string): ShellFinding => ({ ...deny(reason), isForPerson: true });

/** A rule about one simple command; undefined if it has no objection. */
export type CommandRule = (command: SimpleCommand, context: ShellContext) => ShellFinding | undefined;
