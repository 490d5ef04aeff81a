import { readChecks } from '../../policy/index.ts';
import {
  unlessFailed,
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

function mayCheck({ intent }: ReadyCall): boolean {
  return intent.command !== undefined && readChecks(intent.command) !== undefined;
}

/**
 * The workspace before a check. Takes a snapshot only if another call ran before it in the same turn.
 *
 * @param bodies Events appended with the intents: the snapshot before the turn, if this is its first effect.
 */
export async function snapshotBeforeChecks(
  work: Work,
  ready: readonly ReadyCall[],
  bodies: readonly EventBody[],
): Promise<TreeId | undefined> {
  if (openedOf(work.state).snapshots === false || !ready.some(mayCheck)) return undefined;
  for (const body of bodies) if (body.type === 'workspace.snapshotted') return body.tree;
  return work.state.tree ?? (await trySnapshot(work));
}

export async function toReceipt(
  work: Work,
  evidence: NonNullable<ToolOutput['evidence']>,
  before: TreeId | undefined,
): Promise<Receipt> {
  if (openedOf(work.state).snapshots === false) return evidence;
  const environment = await inspect(work, evidence);
  const after = await trySnapshot(work);
  // If only the result shows that the call was a check, the state before it is unknown and the one after it is used.
  const tree = before ?? after;
  const receipt = { ...evidence, ...(environment && { environment }) };
  if (tree === undefined) return receipt;
  return { ...receipt, tree, ...(after !== undefined && after !== tree ? { left: after } : {}) };
}

/** The environment of the check; undefined if it cannot be determined, which must not fail the check. */
function inspect(
  work: Work,
  { command, checks = [] }: NonNullable<ToolOutput['evidence']>,
): Promise<CheckEnvironment | undefined> {
  const folders = checks.map(({ cwd }) => cwd);
  return unlessFailed(async () => (await work.sandbox()).inspect?.(toPrograms(command, checks), folders));
}

/** The present workspace; undefined if the snapshot fails, which must not fail the check. */
export function trySnapshot(work: Work): Promise<TreeId | undefined> {
  return unlessFailed(async () => (await work.snapshots()).snapshot());
}
