import type { HookGroups } from '../../protocol/settings/hook-settings.ts';
import type { Tier } from '../../protocol/settings/provider-table.ts';
import type { ReviewerName } from '../../protocol/settings/reviewer-settings.ts';
import type { ExecLimits } from '../ports/sandbox.ts';
import type { DeployOptions } from '../ports/tools/deploy-options.ts';
import type { WebSearchSettings } from '../ports/web-client.ts';

export interface RetrySettings {
  /** Maximum requests for one turn, including the first. */
  attempts: number;
  /** First wait in milliseconds; doubles each time, with jitter. */
  baseMs: number;
  /** Maximum wait in milliseconds, unless the provider asks for a longer one. */
  maxMs: number;
  /** Milliseconds after the first failure of an outage during which requests are repeated, regardless of `attempts`; 0: off. */
  waitMs: number;
  /** Milliseconds without a byte after which a request fails whose answer has begun. */
  idleMs: number;
  /** The same before the first token. Default: 5 minutes, and an hour for a server of the own network. */
  firstTokenMs?: number;
}

/** Reviewers of the calls of sessions. */
export interface ReviewSettings {
  /** Those of all sessions; an agent can add others. */
  use: readonly ReviewerName[];
  /** Tiers that replace those of the reviewers. */
  tiers?: Partial<Readonly<Record<ReviewerName, Tier>>>;
  /** Milliseconds after which a request to a model counts as failed. */
  timeoutMs: number;
}

export interface EngineSettings {
  maxOutputTokens: number;
  /** Maximum invalid tool inputs in a row, and maximum continuations of an answer in a row. */
  maxRetries: number;
  retry: RetrySettings;
  /** Maximum characters of a tool result that the model gets. */
  maxToolOutputContext: number;
  maxSearchResults: number;
  /** Absent: the tools cannot search the web. */
  webSearch?: WebSearchSettings;
  execLimits: ExecLimits;
  gitIdentity: { name: string; email: string };
  deploy: DeployOptions;
  /** Fraction of the context window at which the history is compacted. */
  compactAt: number;
  /** Milliseconds after which an approval expires. */
  approvalTtlMs: number;
  /** When background processes that do not survive are ended: with their run, or when Klaus is closed. */
  endProcesses: 'run' | 'close';
  /** The state of an open turn is stored before the session is given back, for other machines. Default false. */
  keepsStates?: boolean;
  /** Absent: no call is reviewed. */
  reviews?: ReviewSettings;
  /** Language servers check edited files. Absent: none does. */
  lsp?: { timeoutMs: number };
  /** What the formatter of the project does after an edit. Absent: nothing. */
  formatter?: { mode: 'offer' | 'apply'; timeoutMs: number };
  /** Encodings of files by glob: `src/*.c=gbk`. Default: none. */
  encodings?: readonly string[];
  /** What runs on events of sessions. Absent: nothing. */
  hooks?: HookGroups;
  /** The user's additional globs of secret files, relative to the workspace. */
  secretPatterns: readonly string[];
  /** Globs of files that a policy denies reading. Commands find them empty. */
  hiddenPatterns: readonly string[];
}
