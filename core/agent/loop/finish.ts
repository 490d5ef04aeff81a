import { decide, RULES } from '../../policy/index.ts';
import { toKlausError, type EventBody } from '../../protocol/index.ts';
import { toGateContext } from '../calls/gate-context.ts';
import { closeEvidence } from '../evidence/close-evidence.ts';
import { lookLast } from '../workspace/last-look.ts';
import { settleCalls, settleTurn, toRunFinished } from './settle.ts';
import { openedOf, runOf, type Ending } from './state.ts';
import { createToolContext } from '../calls/tool-context.ts';
import { list } from '../workspace/unreverted.ts';
import type { Work } from './work.ts';

/** The checkpoint in the log, as a call of the engine's own. */
const CHECKPOINT = 'git_checkpoint';

/** Ends the run, unless a last look at the workspace finds what ends it otherwise. */
export async function finishRun(work: Work, ending: Ending): Promise<void> {
  const { unreverted } = runOf(work.state);
  if (unreverted.length === 0) {
    await lookLast(work);
    if (unreverted.length > 0) return;
  }
  await work.append(await endRun(work, ending));
}

/** The end of the run, to be appended: what is still open is settled, what changed is committed to the private ref. */
export async function endRun(work: Work, ending: Ending): Promise<EventBody[]> {
  const { state } = work;
  const why = ending.outcome === 'cancelled' ? toClause(ending.reason) : ending.reason.replace(/\.$/, '');
  const bodies = [...settleTurn(state), ...settleCalls(work, why)];
  if (makesCheckpoint(work)) bodies.push(...(await makeCheckpoint(work)));
  // Only a run that the model ended has last words; a limit or a failing model cuts it off.
  const isWhole = ENDED.has(ending.outcome) && state.calls.length === 0 && !runOf(state).failure;
  bodies.push(toRunFinished(state, { ...ending, ...(await closeEvidence(work, isWhole)) }, bodies));
  return bodies;
}

/** Outcomes of a run that the model ended by itself. */
const ENDED: ReadonlySet<string> = new Set(['done', 'failed', 'denied']);

/** A sentence as part of another. */
export function toClause(sentence: string): string {
  return sentence.replace(/\.$/, '').replace(/^The /, 'the ');
}

/** True when a run that ended now would end with a checkpoint: none was made, and its calls may have changed something. */
export function makesCheckpoint(work: Work): boolean {
  if (openedOf(work.state).checkpoint !== 'auto' || runOf(work.state).checkpointed) return false;
  const { calls, openSnapshot } = work.state;
  // Where a state was kept before and after each turn with effects, they tell; git needs not be asked.
  if (openedOf(work.state).snapshots !== false && !openSnapshot) return runOf(work.state).changedFiles;
  const begun = [
    ...runOf(work.state).calls.filter((call) => call.outcome !== 'denied'),
    ...calls.filter((call) => call.started),
  ];
  return begun.some(({ name }) => work.engine.tools.find(name)?.effects.some((effect) => effect !== 'read') ?? false);
}

async function makeCheckpoint(work: Work): Promise<EventBody[]> {
  const { state, engine } = work;
  if (engine.recorded) return engine.recorded.checkpointed();
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
  const head = { run, turn: state.turn, call: `checkpoint-${run}`, index: 0, name: CHECKPOINT };
  const bodies: EventBody[] = [{ type: 'gate.decided', ...head, attempt: 1, ...decision, callHash }];
  if (decision.verdict !== 'allow') return bodies;
  try {
    const context = await createToolContext(work, head.call);
    const title = state.title ?? state.firstPrompt?.slice(0, 60) ?? 'work';
    const result = await engine.checkpoint(context, `klaus: ${title}`);
    // A commit that the log does not know was made by a process that did not live to say so.
    const made = 'skipped' in result ? result.standing : result;
    if (!made || made.commit === state.checkpoint) return bodies;
    bodies.push({ type: 'workspace.committed', run, ...made });
    if (made.leftOut.length > 0) {
      const text = `Left out of the checkpoint because they hold secrets: ${made.leftOut.join(', ')}.`;
      bodies.push({ type: 'notice', run, level: 'warn', text });
    }
    const { large = [] } = made;
    if (large.length > 0) {
      const text = `Left out of the checkpoint because they are large or binary (undo has them): ${list(byFolder(large))}.`;
      bodies.push({ type: 'notice', run, level: 'info', text });
    }
  } catch (error) {
    const text = `No checkpoint was made: ${toKlausError(error).message}`;
    bodies.push({ type: 'notice', run, level: 'warn', text });
  }
  return bodies;
}

/** More files of one folder are named as that folder: what a build leaves behind. */
const MAX_OF_FOLDER = 3;

/** Files by their names; many in one folder of the workspace as that folder with their number. */
function byFolder(paths: readonly string[]): string[] {
  const folders = Map.groupBy(paths, (path) => path.slice(0, path.indexOf('/') + 1));
  return [...folders].flatMap(([folder, own]) =>
    folder !== '' && own.length > MAX_OF_FOLDER ? [`${folder} (${own.length} files)`] : own,
  );
}
