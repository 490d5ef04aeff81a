import type { CheckKind } from '../../protocol/index.ts';

/** How a program that checks something is called. Lists are words with a space between them. */
export interface Runner {
  kind: CheckKind;
  /** First words that make it a check; absent: it always is one. */
  verbs?: string;
  /** False if it is also a check without any verb. Default true. */
  needsVerb?: boolean;
  /** With one of these options it checks; absent: it always does. */
  needs?: string;
  /** Options that narrow the check. Those that end with `=` also take a value in the next word. */
  filters?: string;
  /** Options that take a value in the next word and do not narrow the check. */
  valued?: string;
  /** Options whose value, also in the next word, is code or configuration that it loads. */
  loads?: string;
  /** Options with which it only lists or explains, or always succeeds. */
  nothing?: string;
  /** Options whose value is the path of the checked project. */
  projects?: string;
  /** Options that change files, so that the call is not a check. */
  fixFlags?: string;
}

/** Options with which most programs describe themselves. */
export const ASKS = '--help -h --version -v -V';
