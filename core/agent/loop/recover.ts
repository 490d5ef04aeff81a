import type { Access, FileChange } from '../../protocol/index.ts';
import { loadInstructions } from '../context/instructions.ts';
import { toFinished, toHead } from '../calls/judge-call.ts';
import { describeStarted, toProcessChanged } from '../calls/processes.ts';
import { performCalls } from '../calls/run-calls.ts';
import { settleChanges } from '../workspace/settle-changes.ts';
import { openedOf, type CallState } from './state.ts';
import type { Work } from './work.ts';
import { toAbsolute } from '../folders/members.ts';

/** Rows that the model is told about after an interruption. */
const MAX_ROWS = 50;

/**
 * Settles a call that a process which is gone had started. Reads run again; edits are compared with what
 * they were to become; of a shell nobody can know, so it is said and never run again.
 */
export async function recoverCall(work: Work, call: CallState): Promise<void> {
  const started = call.started!;
  if (call.asked?.subject.kind === 'changes') return settleChanges(work, call, call.asked.subject);
  const recorded = work.engine.recorded?.recovered(call);
  if (recorded) return recorded === 'again' ? repeat(work, call) : work.append([recorded]);
  switch (started.resume) {
    case 'repeat':
      return repeat(work, call);
    case 'probe': {
      const found = await probe(work, started.changes);
      if (found === 'before') return repeat(work, call);
      if (found === 'after') {
        const output = started.result ?? `Done: ${started.changes.map((change) => change.path).join(', ')}.`;
        const changes = await withModes(work, started.changes);
        const context = await loadInstructions(work, toAccess(work, changes));
        await work.append([toFinished(toHead(work, call), { outcome: 'ok', output, changes }), ...context]);
        return;
      }
      return tell(work, call, await changesOf(work, started.changes));
    }
    case 'tell': {
      if (started.background) return findStarted(work, call);
      const workspace = await work.workspace();
      const changes =
        started.mark === undefined ? [] : await workspace.changedSince(started.mark, { limit: MAX_ROWS + 1 });
      return tell(
        work,
        call,
        changes.filter(({ kind, path }) => kind !== 'deleted' || !work.state.deleted.has(path)),
      );
    }
  }
}

/** Whether a background process was started stands in its files, and it is started once or never. */
async function findStarted(work: Work, call: CallState): Promise<void> {
  const head = toHead(work, call);
  const processes = work.engine.openProcesses(work.session).list();
  const made = processes.find((each) => each.call === call.id && each.attempt === call.started!.attempt);
  if (!made || made.state === 'unstarted') {
    const output = 'Not started: Klaus was interrupted before the command began, and nothing of it ran.';
    return work.append([toFinished(head, { outcome: 'error', output })]);
  }
  // What became of it since is told like every later news of it.
  const begun = toProcessChanged({ ...made, state: 'running' }, head);
  await work.append([begun, toFinished(head, { outcome: 'ok', output: describeStarted(made) })]);
}

/** The gate looks again: the session may have changed since. Another attempt of the same call. */
async function repeat(work: Work, call: CallState): Promise<void> {
  await performCalls(work, [call]);
}

async function probe(work: Work, changes: readonly FileChange[]): Promise<'before' | 'after' | 'other'> {
  const workspace = await work.workspace();
  let before = true;
  let after = true;
  for (const change of changes) {
    const hash = await workspace.hash(change.path);
    if (hash !== change.before) before = false;
    if (hash !== change.after) after = false;
  }
  if (after && changes.length > 0) return 'after';
  return before ? 'before' : 'other';
}

/** What an edit touched, so that what its folders say is found as if nothing had come between. */
function toAccess({ state }: Work, changes: readonly FileChange[]): Access[] {
  const { workspace } = openedOf(state);
  return changes.map(({ path }) => ({ kind: 'fs', path: toAbsolute(workspace, path), right: 'w' }));
}

async function withModes(work: Work, changes: readonly FileChange[]): Promise<FileChange[]> {
  const workspace = await work.workspace();
  return Promise.all(
    changes.map(async (change) => {
      const mode = change.after === null ? undefined : (await workspace.stat(change.path))?.mode;
      return mode === undefined ? change : { ...change, mode };
    }),
  );
}

async function changesOf(work: Work, changes: readonly FileChange[]): Promise<FileChange[]> {
  const workspace = await work.workspace();
  const now: FileChange[] = [];
  for (const change of changes) {
    const hash = await workspace.hash(change.path);
    if (hash === change.before) continue;
    now.push({
      ...change,
      after: hash,
      kind: hash === null ? 'deleted' : change.before === null ? 'created' : 'modified',
    });
  }
  return now;
}

async function tell(work: Work, call: CallState, changes: readonly FileChange[]): Promise<void> {
  const rows = changes.slice(0, MAX_ROWS).map(({ kind, path }) => `  ${kind === 'deleted' ? 'missing' : kind} ${path}`);
  if (changes.length > MAX_ROWS) rows.push('  …');
  const what =
    rows.length > 0
      ? `Changed in the workspace since it began:\n${rows.join('\n')}`
      : 'Nothing in the workspace changed since it began.';
  const output =
    'Outcome unknown: Klaus was interrupted while this ran. Everything it had started was ended, and it was not run again. ' +
    `${what}\nCheck what is there before you decide whether to do it again.`;
  await work.append([toFinished(toHead(work, call), { outcome: 'unknown', output, changes: [...changes] })]);
}
