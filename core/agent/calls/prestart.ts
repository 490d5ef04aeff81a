import { allowsTool } from '../../policy/index.ts';
import { isReviewed, toCommandView } from './gate-context.ts';
import { openedOf } from '../state/state.ts';
import { createToolContext } from './tool-context.ts';
import type { Prestart, Work } from '../loop/work.ts';

/** Delay before the sandbox is started: a faster answer, or one without calls, does not need it. */
const DELAY_MS = 60;
/** After this many commands another one is expected at once. */
const SERIES = 2;

/**
 * Starts the sandbox of the next command and takes a snapshot while the model answers, unless {@link cancelPrestart} is
 * called first. A failure is ignored: the start of the command fails in the same way. The sandbox remains until a
 * command uses it, or the run ends. Commands on layers get none, because each has its own folder.
 */
export function startPrestart(work: Work): void {
  if (!work.prestart.end) start(work, DELAY_MS);
}

/** Counts a finished command. After several commands the sandbox of the next one is started at once. */
export function countCommand(work: Work): void {
  work.prestart.commands++;
  if (work.prestart.commands >= SERIES) start(work, 0);
}

/** Starts the sandbox in which the runner of a session will run its program, while the first snapshot is taken. */
export function prestartProgram(work: Work, tool: string): void {
  if (!work.prestart.end) start(work, 0, [tool]);
}

function start(work: Work, delayMs: number, tools: readonly string[] = openedOf(work.state).tools): void {
  const { prestart, engine } = work;
  const now = engine.clock.now();
  const tool = tools.map((name) => engine.tools.find(name)).find((each) => each?.prestart !== undefined);
  if (!tool || isReviewed(work, tool) || !allowsTool(work.authority.grant(), tool.name, now)) return;
  const answered = new AbortController();
  const before = prestart.end;
  const start = async (): Promise<(() => Promise<unknown>) | undefined> => {
    if (delayMs > 0) await engine.clock.sleep(delayMs, answered.signal);
    if (answered.signal.aborted) return undefined;
    const [sandbox, context] = await Promise.all([work.sandbox(), createToolContext(work, '')]);
    const made = sandbox.prestart?.({ ...tool.prestart!(context), ...toCommandView(work) });
    // The sandbox is started by other programs at the same time.
    if (delayMs > 0) snapshotAhead(work);
    return made;
  };
  const made: Prestart['end'] = start()
    .catch(() => undefined)
    .then(async (end) => {
      const endBefore = await before;
      // The new sandbox has taken over shared resources. A failure to close is reported by the next use.
      await endBefore?.().catch(() => {});
      if (!end && prestart.end === made) prestart.end = undefined;
      return end;
    });
  prestart.answered = answered;
  prestart.end = made;
}

function snapshotAhead(work: Work): void {
  const { prestart, state } = work;
  if (prestart.snapshot || openedOf(state).snapshots === false) return;
  const controller = new AbortController();
  const stop = (): void => controller.abort();
  work.stop.addEventListener('abort', stop, { once: true });
  const run = async (): Promise<void> => {
    const snapshots = await work.snapshots();
    await snapshots.snapshot({ signal: controller.signal });
  };
  const done = run()
    .catch(() => {})
    .finally(() => work.stop.removeEventListener('abort', stop));
  prestart.snapshot = { stop, done };
}

/** Cancels a start that has not begun, because the model has answered. */
export function cancelPrestart({ prestart }: Pick<Work, 'prestart'>): void {
  prestart.answered?.abort();
}

/** Closes the sandbox, if no command has used it, and stops the snapshot. */
export async function closePrestart(work: Pick<Work, 'prestart'>): Promise<void> {
  cancelPrestart(work);
  const { prestart } = work;
  const { end, snapshot } = prestart;
  prestart.end = prestart.snapshot = undefined;
  snapshot?.stop();
  const endOne = await end;
  await endOne?.();
  await snapshot?.done;
}
