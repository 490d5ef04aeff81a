import { readChecks } from '../../policy/index.ts';
import {
  isKlausError,
  type CheckEnvironment,
  type EventBody,
  type Receipt,
  type TreeId,
} from '../../protocol/index.ts';
import { toPrograms } from './check-environment.ts';
import type { ReadyCall } from '../calls/judged-call.ts';
import type { ToolOutput } from '../ports/tool.ts';
import { openedOf } from '../state/state.ts';
import type { Work } from '../loop/work.ts';

/** True for a call that may turn out to be a check: by its command, before it has run. */
function mayCheck({ intent }: ReadyCall): boolean {
  return intent.command !== undefined && readChecks(intent.command) !== undefined;
}

/**
 * The workspace as a check will see it. Costs a walk only where something else ran before it in the same turn.
 *
 * @param kept What is appended with the intents: the state before the turn, where this is its first effect.
 */
export async function snapshotBeforeChecks(
  work: Work,
  ready: readonly ReadyCall[],
  kept: readonly EventBody[],
): Promise<TreeId | undefined> {
  if (openedOf(work.state).snapshots === false || !ready.some(mayCheck)) return undefined;
  for (const body of kept) if (body.type === 'workspace.snapshotted') return body.tree;
  return work.state.tree ?? (await trySnapshot(work));
}

/** What a call that checked something proves: its exit code, and the states that it saw and left. */
export async function toReceipt(
  work: Work,
  evidence: NonNullable<ToolOutput['evidence']>,
  before: TreeId | undefined,
): Promise<Receipt> {
  if (openedOf(work.state).snapshots === false) return evidence;
  const environment = await inspect(work, evidence);
  const after = await trySnapshot(work);
  // Known only by its result to have been a check: what it left is what it saw, as far as can be told.
  const tree = before ?? after;
  const receipt = { ...evidence, ...(environment ? { environment } : {}) };
  if (tree === undefined) return receipt;
  return { ...receipt, tree, ...(after !== undefined && after !== tree ? { left: after } : {}) };
}

/** What the exit code depended on; undefined where that cannot be told, because a check must not fail for it. */
async function inspect(
  work: Work,
  { command, checks = [] }: NonNullable<ToolOutput['evidence']>,
): Promise<CheckEnvironment | undefined> {
  try {
    const sandbox = await work.sandbox();
    return await sandbox.inspect?.(
      toPrograms(command, checks),
      checks.map(({ cwd }) => cwd),
    );
  } catch (error) {
    if (isKlausError(error)) return undefined;
    throw error;
  }
}

/** The workspace as it is; undefined where it cannot be taken in, because a check must not fail for it. */
export async function trySnapshot(work: Work): Promise<TreeId | undefined> {
  try {
    return await (await work.snapshots()).snapshot();
  } catch (error) {
    if (isKlausError(error)) return undefined;
    throw error;
  }
}
