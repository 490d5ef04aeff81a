import { decide, RULES } from '../../policy/index.ts';
import { toKlausError, toOwnCall, type EventBody, type TreeId, headOf } from '../../protocol/index.ts';
import { toGateContext } from '../calls/gate-context.ts';
import { createToolContext } from '../calls/tool-context.ts';
import { listNames } from '../workspace/unreverted-places.ts';
import { runOf } from '../state/state.ts';
import type { Work } from './work.ts';

/** Name of the checkpoint in the log: a call of the engine. */
const CHECKPOINT = 'git_checkpoint';

/** Commits the workspace to its private ref, if the gate allows it. */
export async function makeCheckpoint(work: Work): Promise<EventBody[]> {
  const { state, engine } = work;
  const run = runOf(state).id;
  const decision = decide(
    {
      name: CHECKPOINT,
      effects: ['write'],
      access: [{ kind: 'exec', command: 'git commit-tree' }],
      altered: false,
      engine: true,
    },
    { ...toGateContext(work), patchApproval: false },
    [...RULES, ...engine.rules],
  );
  const callHash = engine.ids.digest(JSON.stringify([CHECKPOINT, {}]));
  const head = { run, turn: state.turn, call: toOwnCall('checkpoint', run), index: 0, name: CHECKPOINT };
  const bodies: EventBody[] = [{ type: 'gate.decided', ...head, attempt: 1, ...decision, callHash }];
  if (decision.verdict !== 'allow') return bodies;
  try {
    const context = await createToolContext(work, head.call);
    const title = headOf(state.title ?? state.firstPrompt ?? 'work', 60);
    const result = await engine.checkpoint(context, `klaus: ${title}`);
    // A process may have crashed between its commit and its event.
    const made = 'skipped' in result ? result.last : result;
    if (!made || made.commit === state.checkpoint) return bodies;
    bodies.push({ type: 'workspace.committed', run, ...made, ...(await snapshotRefs(work)) });
    if (made.leftOut.length > 0) {
      const text = `Left out of the checkpoint because they hold secrets: ${made.leftOut.join(', ')}.`;
      bodies.push({ type: 'notice', run, level: 'warn', text });
    }
    const { large = [] } = made;
    if (large.length > 0) {
      const text = `Left out of the checkpoint because they are large or binary (undo has them): ${listNames(byFolder(large))}.`;
      bodies.push({ type: 'notice', run, level: 'info', text });
    }
  } catch (error) {
    const text = `No checkpoint was made: ${toKlausError(error).message}`;
    bodies.push({ type: 'notice', run, level: 'warn', text });
  }
  return bodies;
}

/** The state of git's own data with the ref of the checkpoint, for other machines. */
async function snapshotRefs(work: Work): Promise<{ gitTree?: TreeId }> {
  const { left } = work.state;
  if (work.engine.settings.keepsStates !== true || !left) return {};
  return { gitTree: await (await work.snapshots()).snapshotGit(left.tree) };
}

/** If a folder has more files than this, only the folder is named, such as one with build output. */
const MAX_OF_FOLDER = 3;

/** Groups many files of one top folder into one entry with their number. */
function byFolder(paths: readonly string[]): string[] {
  const folders = Map.groupBy(paths, (path) => path.slice(0, path.indexOf('/') + 1));
  return [...folders].flatMap(([folder, own]) =>
    folder !== '' && own.length > MAX_OF_FOLDER ? [`${folder} (${own.length} files)`] : own,
  );
}
