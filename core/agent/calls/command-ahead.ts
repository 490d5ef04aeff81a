import { allowsTool } from '../../policy/index.ts';
import { toCommandView } from './command-view.ts';
import { isReviewed } from './gate-context.ts';
import { openedOf } from '../loop/state.ts';
import { createToolContext } from './tool-context.ts';
import type { Work } from '../loop/work.ts';

/** An answer that comes sooner leaves no time to make one, and the last answer of a run needs none. */
const DELAY_MS = 60;
/** A run that has run so many commands is expected to run another one. */
const SERIES = 2;

/** The sandbox that is made before its command is known. */
export interface CommandAhead {
  /** Absent: there is none, and none is to come. What it resolves to ends it. */
  end?: Promise<(() => Promise<unknown>) | undefined> | undefined;
  /** Aborted when the answer is there. */
  answered?: AbortController | undefined;
  /** Commands that ran while the session was held. */
  commands: number;
  /** The first look at the workspace. After it a state costs what has changed since. */
  look?: { stop: () => void; done: Promise<void> } | undefined;
}

/**
 * Makes the sandbox of the next command while the model answers, and looks at the workspace, unless
 * {@link stopCommandAhead} is called within a moment. What fails here is left to the command's own start. The sandbox
 * stays until a command takes it, or the run ends.
 *
 * Nothing is made where commands work on layers: each has a folder of its own.
 */
export function startCommandAhead(work: Work): void {
  if (!work.ahead.end) make(work, DELAY_MS);
}

/** A command has ended: after several, the sandbox of the next is made at once. */
export function noteCommand(work: Work): void {
  work.ahead.commands++;
  if (work.ahead.commands >= SERIES) make(work, 0);
}

function make(work: Work, delayMs: number): void {
  const { ahead, engine, state } = work;
  const now = engine.clock.now();
  const tool = openedOf(state)
    .tools.map((name) => engine.tools.find(name))
    .find((each) => each?.prestart !== undefined);
  if (!tool || isReviewed(work, tool) || !allowsTool(state.grant, tool.name, now)) return;
  const answered = new AbortController();
  const before = ahead.end;
  const start = async (): Promise<(() => Promise<unknown>) | undefined> => {
    if (delayMs > 0) await engine.clock.sleep(delayMs, answered.signal);
    if (answered.signal.aborted) return undefined;
    const [sandbox, context] = await Promise.all([work.sandbox(), createToolContext(work, '')]);
    const made = sandbox.prestart?.({ ...tool.prestart!(context), ...toCommandView(work) });
    // While other programs make it.
    if (delayMs > 0) lookAhead(work);
    return made;
  };
  const made: CommandAhead['end'] = start()
    .catch(() => undefined)
    .then(async (end) => {
      const endBefore = await before;
      // What both hold has been handed over. What cannot be closed is reported where it is used.
      await endBefore?.().catch(() => {});
      if (!end && ahead.end === made) ahead.end = undefined;
      return end;
    });
  ahead.answered = answered;
  ahead.end = made;
}

function lookAhead(work: Work): void {
  const { ahead, state } = work;
  if (ahead.look || openedOf(state).snapshots === false) return;
  const controller = new AbortController();
  const stop = (): void => controller.abort();
  work.stop.addEventListener('abort', stop, { once: true });
  const look = async (): Promise<void> => {
    const snapshots = await work.snapshots();
    await snapshots.snapshot({ signal: controller.signal });
  };
  const done = look()
    .catch(() => {})
    .finally(() => work.stop.removeEventListener('abort', stop));
  ahead.look = { stop, done };
}

/** The answer is there: a sandbox that is not being made yet is not made any more. */
export function stopCommandAhead({ ahead }: Pick<Work, 'ahead'>): void {
  ahead.answered?.abort();
}

/** Ends the sandbox, if no command has taken it, and the look at the workspace. */
export async function endCommandAhead(work: Pick<Work, 'ahead'>): Promise<void> {
  stopCommandAhead(work);
  const { ahead } = work;
  const { end, look } = ahead;
  ahead.end = ahead.look = undefined;
  look?.stop();
  const endOne = await end;
  await endOne?.();
  await look?.done;
}
