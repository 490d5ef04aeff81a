/** The effects of a turn according to the log. */
export interface TurnEffects {
  /** Files that tools reported as changed. */
  paths: Set<string>;
  /** Hashes of these files after the change; null: deleted. */
  edited: Map<string, string | null>;
  /** False after a call whose result does not list its changes, such as a command. */
  isKnown: boolean;
  /** Names of the tools that ran. */
  tools: Set<string>;
  /** True if the user approved a call of the turn. */
  isApproved: boolean;
  /** What the questions about these calls said: texts of the calls, and why they were asked. */
  approved: string[];
  /** The call that began last. */
  last?: { call: string; index: number; name: string };
}
