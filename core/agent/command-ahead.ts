import { allowsTool } from '../policy/index.ts';
import { toCommandView } from './command-view.ts';
import { isReviewed } from './gate-context.ts';
import { openedOf } from './state.ts';
import { createToolContext } from './tool-context.ts';
import type { Work } from './work.ts';

/** An answer that comes sooner leaves no time to make one, and the last answer of a run needs none. */
const DELAY_MS = 60;
/** After so many in a row that no command took, none is made until a command runs again. */
const MAX_UNUSED = 4;

/** The sandbox that is made while the model answers, for the first command of the answer. */
export interface CommandAhead {
  /** Absent: there is none, and none is to come. What it resolves to ends it, and says whether no command took it. */
  end?: Promise<(() => Promise<boolean>) | undefined> | undefined;
  /** Aborted when the answer is there. */
  answered?: AbortController;
  /** How many in a row no command took. */
  unused: number;
}

/**
 * Makes the sandbox of the next command, unless {@link stopCommandAhead} is called within a moment. What fails here is
 * left to the command's own start.
 *
 * Nothing is made where commands work on layers: each has a folder of its own.
 */
export function startCommandAhead(work: Work): void {
  const { ahead, engine, state } = work;
  if (ahead.end || ahead.unused >= MAX_UNUSED) return;
  const now = engine.clock.now();
  const tool = openedOf(state)
    .tools.map((name) => engine.tools.find(name))
    .find((each) => each?.prestart !== undefined);
  if (!tool || isReviewed(work, tool) || !allowsTool(state.grant, tool.name, now)) return;
  const answered = new AbortController();
  const start = async (): Promise<(() => Promise<boolean>) | undefined> => {
    await engine.clock.sleep(DELAY_MS, answered.signal);
    if (answered.signal.aborted) return undefined;
    const [sandbox, context] = await Promise.all([work.sandbox(), createToolContext(work, '')]);
    return sandbox.prestart?.({ ...tool.prestart!(context), ...toCommandView(work) });
  };
  ahead.answered = answered;
  ahead.end = start().catch(() => undefined);
}

/** The answer is there: a sandbox that is not being made yet is not made any more. */
export function stopCommandAhead({ ahead }: Pick<Work, 'ahead'>): void {
  ahead.answered?.abort();
}

/** Ends it, if no command has taken it. */
export async function endCommandAhead(work: Pick<Work, 'ahead'>): Promise<void> {
  stopCommandAhead(work);
  const { ahead } = work;
  const { end } = ahead;
  if (!end) return;
  ahead.end = undefined;
  const endOne = await end;
  if (endOne) ahead.unused = (await endOne()) ? ahead.unused + 1 : 0;
}
