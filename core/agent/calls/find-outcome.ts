import type { Access, EventBody, FileChange } from '../../protocol/index.ts';
import { loadInstructions } from '../context/instructions.ts';
import { toAbsolute } from '../folders/members.ts';
import { openedOf, type CallState } from '../state/state.ts';
import type { Work } from '../loop/work.ts';
import { toFinished, toHead } from './call-events.ts';
import type { ToolFinished } from './judged-call.ts';
import { describeStarted, toProcessChanged } from '../processes/process-events.ts';

/** The tool whose call contains the complete content of a file, so that the model knows it. */
const COMPLETE_WRITE = 'write_file';
/** Changed files that the report to the model lists. */
const MAX_ROWS = 50;

/** The outcome of an interrupted call: reads are repeated, edits compared, and commands reported and never repeated. */
export async function findOutcome(work: Work, call: CallState): Promise<EventBody[] | 'repeat'> {
  const started = call.started!;
  switch (started.resume) {
    case 'repeat':
      return 'repeat';
    case 'probe': {
      const found = await probe(work, started.changes);
      if (found === 'before') return 'repeat';
      if (found === 'after') {
        const output = started.result ?? `Done: ${started.changes.map((change) => change.path).join(', ')}.`;
        const changes = await withModes(work, started.changes);
        const context = await loadInstructions(work, toAccess(work, changes));
        const shown = call.name === COMPLETE_WRITE ? { shown: toShown(changes) } : {};
        return [
          toFinished(toHead(work, call), { outcome: 'ok', output, changes, ...shown, ...toSource(call) }),
          ...context,
        ];
      }
      return reportUnknown(work, call, await changesOf(work, started.changes));
    }
    case 'tell': {
      if (started.background) return findStarted(work, call);
      if (work.engine.settings.keepsStates) return reportUnknown(work, call, 'lost');
      const workspace = await work.workspace();
      const { mark } = started;
      const changes = mark === undefined ? [] : await workspace.changedSince(mark, { limit: MAX_ROWS + 1 });
      const unknown = changes.filter(({ kind, path }) => kind !== 'deleted' || !work.state.deleted.has(path));
      return reportUnknown(work, call, unknown);
    }
  }
}

function toShown(changes: readonly FileChange[]): NonNullable<ToolFinished['shown']> {
  return changes.flatMap(({ path, after }) => (after === null ? [] : [{ path, hash: after }]));
}

/** The files of a background process show whether it was started. It is started at most once. */
function findStarted(work: Work, call: CallState): EventBody[] {
  const head = toHead(work, call);
  const processes = work.engine.openProcesses(work.session).list();
  const made = processes.find((each) => each.call === call.id && each.attempt === call.started!.attempt);
  if (!made || made.state === 'unstarted') {
    const output = 'Not started: Klaus was interrupted before the command began, and nothing of it ran.';
    return [toFinished(head, { outcome: 'error', output })];
  }
  // Its end is reported like that of any other background process.
  const begun = toProcessChanged({ ...made, state: 'running' }, head);
  return [begun, toFinished(head, { outcome: 'ok', output: describeStarted(made), ...toSource(call) })];
}

/** What the interrupted attempt can have received, which counts as received. */
function toSource({ started }: CallState): Pick<ToolFinished, 'untrusted'> {
  return started?.receives === undefined ? {} : { untrusted: { source: started.receives } };
}

async function probe(work: Work, changes: readonly FileChange[]): Promise<'before' | 'after' | 'other'> {
  const workspace = await work.workspace();
  const hashes = await Promise.all(changes.map(({ path }) => workspace.hash(path)));
  if (changes.length > 0 && changes.every(({ after }, index) => hashes[index] === after)) return 'after';
  return changes.every(({ before }, index) => hashes[index] === before) ? 'before' : 'other';
}

/** The access of an edit, so that the instruction files of its folders are loaded. */
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
  const now = changes.map(async (change): Promise<FileChange[]> => {
    const after = await workspace.hash(change.path);
    if (after === change.before) return [];
    return [{ ...change, after, kind: after === null ? 'deleted' : change.before === null ? 'created' : 'modified' }];
  });
  return (await Promise.all(now)).flat();
}

/** @param found `lost`: the files are those of the state before the turn, see `reportLostChanges`. */
function reportUnknown(work: Work, call: CallState, found: readonly FileChange[] | 'lost'): EventBody[] {
  const changes = found === 'lost' ? [] : found;
  const rows = changes.slice(0, MAX_ROWS).map(({ kind, path }) => `  ${kind === 'deleted' ? 'missing' : kind} ${path}`);
  if (changes.length > MAX_ROWS) rows.push('  …');
  const what =
    found === 'lost'
      ? 'Its changes in the workspace are lost: the files are those of the last stored state.'
      : rows.length > 0
        ? `Changed in the workspace since it began:\n${rows.join('\n')}`
        : 'Nothing in the workspace changed since it began.';
  const output =
    'Outcome unknown: Klaus was interrupted while this ran. All processes of the call were ended, and it was not run again. ' +
    `${what}\nCheck the present state before you decide whether to repeat it.`;
  return [toFinished(toHead(work, call), { outcome: 'unknown', output, changes: [...changes], ...toSource(call) })];
}
