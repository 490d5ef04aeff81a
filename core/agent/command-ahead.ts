import { allowsTool } from '../policy/index.ts';
import { toCommandView } from './command-view.ts';
import { isReviewed } from './gate-context.ts';
import { openedOf } from './state.ts';
import { createToolContext } from './tool-context.ts';
import type { Work } from './work.ts';

/** After so many in a row that no command took, none is made until a command runs again. */
const MAX_UNUSED = 4;

/** The sandbox that is made while the model answers, for the first command of the answer. */
export interface CommandAhead {
  /** Absent: there is none. */
  end?: Promise<() => Promise<boolean>> | undefined;
  /** How many in a row no command took. */
  unused: number;
}

/**
 * Makes the sandbox of the next command. What fails here is left to the command's own start.
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
  const start = async (): Promise<() => Promise<boolean>> => {
    const [sandbox, context] = await Promise.all([work.sandbox(), createToolContext(work, '')]);
    const end = await sandbox.prestart?.({ ...tool.prestart!(context), ...toCommandView(work) });
    return end ?? (() => Promise.resolve(false));
  };
  ahead.end = start().catch(() => () => Promise.resolve(false));
}

/** Ends it, if no command has taken it. */
export async function endCommandAhead({ ahead }: Pick<Work, 'ahead'>): Promise<void> {
  const { end } = ahead;
  if (!end) return;
  ahead.end = undefined;
  const isUnused = await (await end)();
  ahead.unused = isUnused ? ahead.unused + 1 : 0;
}
