import type { EventOf } from '../../protocol/index.ts';
import { optional } from '../../protocol/index.ts';
import type { State } from './state.ts';

/** Takes a state of the workspace into the session's state. */
export function foldSnapshot(state: State, event: EventOf<'workspace.snapshotted'>): void {
  state.tree = event.tree;
  if (state.run) state.base = state.run.base ??= event.tree;
  state.origin ??= event.tree;
  state.run?.unreverted.push(...(event.unreverted ?? []));
  if (event.moment === 'before') {
    state.openSnapshot = event;
    // A command whose changes waited for a human began before this state, and is kept as far as he said.
    const begun = state.calls.filter((call) => call.started);
    const isApproved = begun.some((call) => call.asked?.subject.kind === 'changes' && call.answer === 'approved');
    const tools = new Set(begun.map(({ name }) => name));
    // Nor is what a background process changes meanwhile.
    const isQuiet = [...state.processes.values()].every(({ last }) => last.state !== 'started');
    state.turnEffects = {
      paths: new Set(),
      edited: new Map(),
      isKnown: begun.length === 0 && isQuiet,
      tools,
      isApproved,
    };
    return;
  }
  const before = state.openSnapshot;
  if (state.run && (before?.tree !== event.tree || before.uncovered)) state.run.changedFiles = true;
  state.left = {
    run: event.run,
    tree: event.tree,
    ...optional({ gitTree: event.gitTree }),
  };
  delete state.openSnapshot;
  delete state.turnEffects;
}
