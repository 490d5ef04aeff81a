import type { CheckKind } from '../../protocol/index.ts';

/** How a program that checks something is called. */
export interface Runner {
  kind: CheckKind;
  /** First words that make it a check; absent: it always is one. */
  verbs?: readonly string[];
  /** With one of these options it checks; absent: it always does. */
  needs?: readonly string[];
  /** Options that narrow the check. Those that end with `=` also take a value in the next word. */
  filters?: readonly string[];
  /** Options that take a value in the next word and do not narrow the check. */
  valued?: readonly string[];
  /** Options with which it only lists or explains, or always succeeds. */
  nothing?: readonly string[];
  /** Options whose value is the path of the checked project. */
  projects?: readonly string[];
  /** Options that change files, so that the call is not a check. */
  fixFlags?: readonly string[];
}

/** Options with which most programs describe themselves. */
export const ASKS = ['--help', '-h', '--version', '-v', '-V'];
