import type { Work } from '../loop/work.ts';

/** No limit: the results of a recorded log are as they were cut. */
export const UNLIMITED = Number.MAX_SAFE_INTEGER;

/**
 * Characters of a result for each token of the context window. In small windows, the results of several calls must fit
 * beside the instructions: about a tenth of the window each.
 */
const CHARS_PER_TOKEN = 3 / 8;

/** Maximum characters of a tool result that the model gets: the setting, or less in a small context window. */
export function toResultLimit({ state, engine }: Pick<Work, 'state' | 'engine'>): number {
  const { maxToolOutputContext: most } = engine.settings;
  if (most === UNLIMITED || state.contextWindow === undefined) return most;
  return Math.min(most, Math.floor(state.contextWindow * CHARS_PER_TOKEN));
}
