import type { Decision, Mode } from '@klaus/core/protocol';
import type { GivenGrant } from './opening-grant.ts';

export interface ExplainOptions {
  /** Id of a session whose grant and mode count. Default: those that a new session would have. */
  session?: string;
  /** The grant of that new session. */
  grant?: GivenGrant;
  /** Default: the session's, else the configured one. */
  mode?: Mode;
}

/** One access that a call needs, and whether the grant covers it. Authorities are texts. */
export interface ExplainedAccess {
  /** In words: `write /srv/app/a.ts`. */
  what: string;
  covered: boolean;
  by: string[];
  nearest?: { authority: string; why: string };
  needs?: string[];
}

/** What the gate would decide about a call, and why. */
export interface Explanation {
  name: string;
  input: unknown;
  /** The call in one line. */
  title: string;
  mode: Mode;
  /** The grant in one line. */
  grant: string;
  decision: Decision;
  access: ExplainedAccess[];
  /** Text for `--grant` that would cover what is not covered; empty when everything is. */
  wouldCover: string;
}
