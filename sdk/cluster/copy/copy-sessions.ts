import { setTimeout as delay } from 'node:timers/promises';
import { findRoot, type SessionTransfer, type TransferredSession } from '@klaus/adapters/store';
import { KlausError, toKlausError, type ErrorCode } from '@klaus/core/protocol';
import { copyParts, planSession, type CopyParts, type CopyPlan } from './copy-parts.ts';
import { judgeKeep, judgeMove } from './judge-copy.ts';

export interface CopyOptions extends CopyParts {
  /** Ids of sessions, each with all sessions of its tree. Default: all. */
  sessions?: readonly string[] | undefined;
  /** True: plain copies, which do not run at the target. Default false: the sessions move. */
  keep?: boolean;
  /** True: only reports what would happen. Default false. */
  dryRun?: boolean;
  /** True: waits for sessions that a live process holds. Default false. */
  wait?: boolean;
  /** Called for each session, in order. */
  onSession?: (copied: CopiedSession, progress: { done: number; all: number }) => void;
}

/** What became of a session. */
export interface CopiedSession {
  session: string;
  /**
   * `copied`: it was not at the target. `continued`: the target had its beginning. `skipped`: the target has everything.
   * `busy`: a process works on it. `failed`: see `error`.
   */
  outcome: 'copied' | 'continued' | 'skipped' | 'busy' | 'failed';
  /** Events that were copied. */
  events: number;
  blobs: number;
  /** Hashes of blobs that the source does not have. */
  missingBlobs: string[];
  /** States of its workspace that were copied, or were there. */
  states: number;
  /** States that the source does not have. */
  missingStates: number;
  error?: { code: ErrorCode; message: string; hint?: string };
}

export interface CopyReport {
  sessions: CopiedSession[];
  /** Notes of the memory that were newer than those of the target. */
  notes: number;
}

/** Milliseconds between two looks at a session that a process holds. */
const BUSY_MS = 250;

/**
 * Copies sessions from one store to another, each in one transaction of the target, together with the sessions of its
 * tree. An interrupted copy is continued by the next one: nothing is copied twice.
 *
 * @throws KlausError `store.corrupt` for a damaged host chain of the source; errors of one session are in its report.
 */
export async function copySessions(options: CopyOptions): Promise<CopyReport> {
  const { from, to, keep = false, dryRun = false, onSession } = options;
  const { report, knownHashes, head: host } = await from.transfer.hostChain();
  if (!report.intact) {
    throw new KlausError('store.corrupt', `The host chain of ${from.place} is damaged: ${report.message}`, {
      hint: 'Run `klaus audit verify`. Sessions are copied from an intact store only.',
    });
  }
  const listed = await from.transfer.list();
  const trees = toTrees(listed, options.sessions);
  const all = trees.reduce((sum, tree) => sum + tree.length, 0);
  const sessions: CopiedSession[] = [];
  for (const tree of trees) {
    const context = { ...options, keep, dryRun, host, knownHashes };
    const found = keep ? await keepTree(tree, context) : await moveTree(tree, context);
    for (const copied of found) {
      sessions.push(copied);
      onSession?.(copied, { done: sessions.length, all });
    }
  }
  const workspaces = options.sessions && [
    ...new Set(listed.filter(({ id }) => trees.some((tree) => tree.includes(id))).map(({ workspace }) => workspace)),
  ];
  const notes = dryRun ? 0 : await to.transfer.storeNotes(await from.transfer.notes(workspaces));
  return { sessions, notes };
}

/** The sessions by the session that the user opened, itself last: its children are complete when it arrives. */
function toTrees(listed: readonly TransferredSession[], wanted: readonly string[] | undefined): string[][] {
  const parents = new Map(listed.map(({ id, parent }) => [id, parent]));
  const rootOf = (id: string): string =>
    findRoot(id, (one) => {
      const parent = parents.get(one);
      return parent != null && parents.has(parent) ? parent : undefined;
    });
  const trees = Map.groupBy(
    listed.map(({ id }) => id),
    rootOf,
  );
  const roots = wanted ? new Set(wanted.map(rootOf)) : new Set(trees.keys());
  return [...trees]
    .filter(([root]) => roots.has(root))
    .map(([root, ids]) => [...ids.filter((id) => id !== root), root]);
}

type Context = CopyOptions & {
  keep: boolean;
  dryRun: boolean;
  host: Awaited<ReturnType<SessionTransfer['hostChain']>>['head'];
  knownHashes: Awaited<ReturnType<SessionTransfer['hostChain']>>['knownHashes'];
};

/** Plain copies: each session alone. */
async function keepTree(tree: readonly string[], context: Context): Promise<CopiedSession[]> {
  const copied: CopiedSession[] = [];
  for (const session of tree) {
    try {
      const plan = await planSession(context, session);
      const step = judgeKeep(plan.facts);
      if (step === 'skip' || context.dryRun) copied.push(toCopied(plan, step === 'skip' ? 'skipped' : undefined));
      else {
        const move = { state: 'copy' as const, place: context.from.place };
        copied.push({ ...toCopied(plan), ...(await copyParts(context, plan, { ...context, move })) });
      }
    } catch (error) {
      copied.push(toFailed(session, error));
    }
  }
  return copied;
}

/** Moves a tree completely, or not at all: a session and its children run at the same place. */
async function moveTree(tree: readonly string[], context: Context): Promise<CopiedSession[]> {
  const { from, to, by, dryRun } = context;
  try {
    const first = await planTree(tree, context);
    if (first.every(({ step }) => step === 'skip')) return first.map(({ plan }) => toCopied(plan, 'skipped'));
    if (dryRun) return first.map(({ plan, step }) => toCopied(plan, step === 'store' ? undefined : 'skipped'));
    const moving = first.filter(({ step }) => step !== 'skip').map(({ plan }) => plan.facts.session);
    // Those of an interrupted move are leaving already.
    const here = first.filter(({ plan }) => !plan.facts.sourceMove).map(({ plan }) => plan.facts.session);
    const busy = await leave(here, context);
    if (busy.length > 0) return tree.map((session) => toBusy(session, busy));
    const copied: CopiedSession[] = [];
    try {
      // Until now the sessions could run: they may have more records.
      for (const { plan, step } of await planTree(tree, context)) {
        if (step !== 'store') copied.push(toCopied(plan, 'skipped'));
        else {
          const move = { state: 'arriving' as const, place: from.place };
          copied.push({ ...toCopied(plan), ...(await copyParts(context, plan, { ...context, move })) });
        }
      }
    } catch (error) {
      // Not those of an interrupted move, which may be complete at the target.
      await from.transfer.stay(here);
      throw error;
    }
    await to.transfer.arrived(moving);
    await from.transfer.left(moving, { place: to.place, by });
    return copied;
  } catch (error) {
    return tree.map((session) => toFailed(session, error));
  }
}

async function planTree(tree: readonly string[], context: Context) {
  const plans: { plan: CopyPlan; step: ReturnType<typeof judgeMove> }[] = [];
  for (const session of tree) {
    const plan = await planSession(context, session);
    plans.push({ plan, step: judgeMove(plan.facts) });
  }
  return plans;
}

async function leave(sessions: readonly string[], { from, to, wait = false }: Context): Promise<string[]> {
  for (;;) {
    const busy = await from.transfer.leave(sessions, to.place);
    if (busy.length === 0 || !wait) return busy;
    await delay(BUSY_MS);
  }
}

function toCopied(
  { facts, events }: CopyPlan,
  outcome: CopiedSession['outcome'] = facts.relation === 'new' ? 'copied' : 'continued',
): CopiedSession {
  return {
    session: facts.session,
    outcome,
    ...{ events: outcome === 'skipped' ? 0 : events, blobs: 0, missingBlobs: [], states: 0, missingStates: 0 },
  };
}

const NOTHING = { events: 0, blobs: 0, missingBlobs: [], states: 0, missingStates: 0 };

function toBusy(session: string, busy: readonly string[]): CopiedSession {
  const error = new KlausError('store.busy', `A process works on session ${busy.join(', ')}.`, {
    hint: 'Run the command again when it has finished, or use `--wait`.',
  });
  return { ...toFailed(session, error), outcome: 'busy' };
}

function toFailed(session: string, cause: unknown): CopiedSession {
  const { code, message, hint } = toKlausError(cause);
  return { session, outcome: 'failed', ...NOTHING, error: { code, message, hint } };
}
