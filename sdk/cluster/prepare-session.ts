import { existsSync } from 'node:fs';
import type { PostgresWorkerStore } from '@klaus/adapters/postgres-store';
import { splitState } from '@klaus/core/agent';
import { KlausError, type Event } from '@klaus/core/protocol';
import type { ManagedWorkspaces, OpenedWorkspace } from './managed-workspaces.ts';

export interface PrepareParts {
  store: Pick<PostgresWorkerStore, 'eventsOf'>;
  open: (root: string) => Promise<OpenedWorkspace>;
  /** Undefined: all folders are shared. */
  managed: ManagedWorkspaces | undefined;
}

/** Latest states of a session that a run may need: those of its last turns. */
const NEEDED = 12;

/** See `ClusterKlaus.prepare`. */
export async function prepareSession(
  { store, open, managed }: PrepareParts,
  session: string,
): Promise<AsyncDisposable | undefined> {
  await using stack = new AsyncDisposableStack();
  const events = await store.eventsOf(session, ['session.opened', 'workspace.snapshotted', 'approval.asked']);
  const opened = events.find((event) => event.type === 'session.opened');
  if (!opened) return stack.move();
  if (managed?.contains(opened.workspace)) {
    if (opened.snapshots === false) {
      throw new KlausError('config', 'A session without `undo.enabled` cannot run in a managed workspace.', {
        hint: 'Enable `undo.enabled`, and open a new session.',
      });
    }
    const used = await managed.use(opened.workspace, session);
    if (!used) return undefined;
    stack.use(used);
  } else checkShared(opened.workspace);
  const roots = [opened.workspace, ...(opened.writable ?? [])];
  for (const { tree, kind } of toNamed(events)) {
    for (const [index, state] of splitState(tree).entries()) {
      const { archived } = await open(roots[index] ?? opened.workspace);
      await archived.fetch(state, kind);
    }
  }
  return stack.move();
}

/** States that a run may need, the newest last. */
function toNamed(events: readonly Event[]): { tree: string; kind?: 'files' | 'git' }[] {
  const snapshotted = events.flatMap((event) => (event.type === 'workspace.snapshotted' ? [event] : [])).slice(-NEEDED);
  const last = snapshotted.at(-1);
  const trees = snapshotted.flatMap(({ tree, gitTree }) => (gitTree === undefined ? [tree] : [tree, gitTree]));
  // The changes of a question are applied after its answer.
  const asked = events.findLast((event) => event.type === 'approval.asked' && event.subject.kind === 'changes');
  if (asked?.type === 'approval.asked' && asked.subject.kind === 'changes')
    trees.push(asked.subject.from, asked.subject.to);
  return [
    ...[...new Set(trees)].map((tree) => ({ tree })),
    ...(last ? [{ tree: last.tree, kind: 'files' as const }] : []),
    ...(last?.gitTree === undefined ? [] : [{ tree: last.gitTree, kind: 'git' as const }]),
  ];
}

/** @throws KlausError `workspace.missing`. */
function checkShared(workspace: string): void {
  if (existsSync(workspace)) return;
  throw new KlausError('workspace.missing', `The folder ${workspace} of the session is not on this machine.`, {
    hint: 'Mount the file system that contains it on each worker, or set `cluster.workspaces` to `managed` for new workspaces.',
  });
}
