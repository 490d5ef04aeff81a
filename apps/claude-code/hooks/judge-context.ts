import type { Klaus, WrittenFiles } from '@klaus/sdk';
import type { ClaudeCall } from './claude-tool.ts';

/** What the rules say about a call. `allow` means no objection. */
export interface GuardFinding {
  verdict: 'allow' | 'ask' | 'deny';
  rule: string;
  reason: string;
  /** The command that runs instead: the same one in the sandbox. */
  instead?: string;
  /** The text about which it is, if an allowance of it holds until it changes. */
  lasting?: string;
}

/** How calls of MCP servers are judged. `judge`: by a reviewer. `readonly`: only those that read by name. `trust`: not. */
export type McpTrust = 'judge' | 'readonly' | 'trust';

export interface JudgeContext {
  klaus: Pick<Klaus, 'explain' | 'files' | 'home'>;
  /** Absolute real path of the project. */
  root: string;
  /** Absolute path. */
  cwd: string;
  mcp: McpTrust;
  /** The program that runs a command in the sandbox. Undefined: commands run without it. */
  sandbox?: string;
  /** True for a text that the user allowed until it changes. */
  isKnown?: (text: string) => Promise<boolean>;
  /** What the session wrote: scripts among it are judged when a command runs them. */
  wrote: WrittenFiles;
}

/** Judges a call. Runs nothing. */
export type JudgeCall = (call: ClaudeCall, context: JudgeContext) => Promise<GuardFinding>;

export function allow(rule: string, reason: string): GuardFinding {
  return { verdict: 'allow', rule, reason };
}
