import type { EventOf } from '../../protocol/index.ts';
import { toNamedTexts } from './named-texts.ts';
import type { State } from './state.ts';

export function foldSnapshot(state: State, event: EventOf<'workspace.snapshotted'>): void {
  state.tree = event.tree;
  if (state.run) state.base = state.run.base ??= event.tree;
  state.origin ??= event.tree;
  state.run?.unreverted.push(...(event.unreverted ?? []));
  if (event.moment === 'before') {
    state.openSnapshot = event;
    // A command whose changes were approved began before this snapshot; its accepted changes are applied after it.
    const begun = state.calls.filter((call) => call.started);
    const isApproved = begun.some((call) => call.asked?.subject.kind === 'changes' && call.answer === 'approved');
    const approved = begun.flatMap((call) =>
      call.asked && call.answer === 'approved' ? toNamedTexts(call, call.asked) : [],
    );
    const tools = new Set(begun.map(({ name }) => name));
    // Changes of background processes are not known either.
    const isQuiet = [...state.processes.values()].every(({ last }) => last.state !== 'started');
    state.turnEffects = {
      paths: new Set(),
      edited: new Map(),
      isKnown: begun.length === 0 && isQuiet,
      tools,
      isApproved,
      approved,
    };
    return;
  }
  const before = state.openSnapshot;
  if (state.run && (before?.tree !== event.tree || before.uncovered)) state.run.changedFiles = true;
  const { run, tree, gitTree, at, hidden } = event;
  state.left = { run, tree, at, gitTree, hidden };
  delete state.openSnapshot;
  delete state.turnEffects;
}

export function foldCommit(state: State, { commit }: EventOf<'workspace.committed'>): void {
  state.checkpoint = commit;
  if (state.run) state.run.checkpointed = true;
}
