import type { HostEventOf, Klaus } from '@klaus/sdk';
import type { Judge, ReviewMode, VerdictCache } from '@klaus/sdk/guard';
import type { GuardedSession } from './guarded-session.ts';
import type { HookEvent } from './hook-event.ts';
import type { JudgeContext, McpTrust } from './judge-context.ts';

export interface GuardOptions {
  klaus: Pick<Klaus, 'explain' | 'files' | 'home' | 'recordGuard' | 'redact' | 'store'>;
  mcp: McpTrust;
  mode: ReviewMode;
  /** The program that runs a command in the sandbox. Undefined: commands run without it. */
  sandbox?: () => string | undefined;
  /** US dollars that requests to models may cost in a day (UTC). */
  usdPerDay: number;
  /** Milliseconds after which a call is denied. It is less than the time-out of the hook. */
  deadlineMs: number;
  /** Undefined without a usable key: the reviewers apply their rules alone. */
  judge?: Judge;
  cache?: VerdictCache;
  /** Receives each decision after it is recorded. It must not throw or wait. */
  onDecision?: (event: HostEventOf<'guard.decided'>) => void;
}

/** What the handlers of the events share. */
export interface HookContext extends GuardOptions {
  event: HookEvent;
  session: GuardedSession;
  /** Absolute real path of the project. */
  root: string;
  signal: AbortSignal;
  /** Denials of reviewers that came after the call had passed: the next call gets them. */
  late: string[];
  /** Records a decision. Returns its id. */
  readonly decided: (decision: Decided) => Promise<number>;
  /** Keys of programs of projects that the user allowed. */
  accepted: Set<string>;
  /** Absolute paths of the instructions of the project, as they were found at the last prompt. */
  memory: { files?: readonly string[] };
  /** The files when a check began, by its call: see `readFilesState`. */
  begun: Map<string, string>;
  readonly observed: (
    what: HostEventOf<'guard.observed'>['what'],
    text: string,
    more?: Pick<HostEventOf<'guard.observed'>, 'passed' | 'checks' | 'doubt' | 'state'>,
  ) => Promise<void>;
}

/** What the judgement of an event needs. Without the sandbox: see `HookContext.sandbox`. */
export function toJudging(context: HookContext): JudgeContext {
  const { began, wrote, fetched } = context.session;
  return { ...context, cwd: context.event.cwd, wrote: { since: began, paths: wrote, fetched }, sandbox: undefined };
}

export type Decided = Pick<HostEventOf<'guard.decided'>, 'text' | 'verdict' | 'rule' | 'reason' | 'reviews' | 'key'>;
