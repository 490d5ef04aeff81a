import type { CheckKind } from '../../protocol/index.ts';

/** How a program that checks something is called. */
export interface Runner {
  kind: CheckKind;
  /** First words that make it a check; absent: it always is one. */
  verbs?: readonly string[];
  /** With one of these options it checks; absent: it always does. */
  needs?: readonly string[];
  /** Options that leave something out. Those that end with `=` take a value in the next word, too. */
  filters?: readonly string[];
  /** Options that take a value in the next word and leave nothing out. */
  valued?: readonly string[];
  /** Options with which it lists, explains or lets everything pass. */
  nothing?: readonly string[];
  /** Options whose value is a project: what is checked, as a path. */
  projects?: readonly string[];
  /** Option that changes files, so that it is no check. */
  fixes?: readonly string[];
}

/** Options with which most programs describe themselves. */
export const ASKS = ['--help', '-h', '--version', '-v', '-V'];
