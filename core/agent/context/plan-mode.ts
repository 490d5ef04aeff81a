import { USE_TOOL, type EventBody } from '../../protocol/index.ts';
import { openedOf, toolsOf, type State } from '../state/state.ts';
import type { Work } from '../loop/work.ts';
import { toTextMessage } from './engine-message.ts';

/** The tool with which the model presents a plan. */
export const PRESENT_PLAN = 'present_plan';

const BEGIN = 'mode-plan:';
const END = 'mode-left:';

/** How the model presents a plan; undefined if the session does not have the tool. */
export function describePresenting(state: State): string | undefined {
  if (!toolsOf(state).includes(PRESENT_PLAN)) return undefined;
  const input = '{"plan": "…"}';
  return openedOf(state).tools.includes(PRESENT_PLAN)
    ? `${PRESENT_PLAN} ${input}`
    : `${USE_TOOL} {"name": "${PRESENT_PLAN}", "input": ${input}}`;
}

/**
 * A message before a prompt that informs the model that mode plan has begun or ended, if the history does not say so.
 * Modes never change the system prompt.
 */
export function announcePlanMode({ state, engine, authority }: Work, run: string): EventBody[] {
  const presenting = describePresenting(state);
  if (presenting === undefined || openedOf(state).parent) return [];
  const last = [...state.messages, ...state.held].findLast(({ id }) => id.startsWith(BEGIN) || id.startsWith(END));
  const isKnown = last?.id.startsWith(BEGIN) ?? false;
  const isPlan = authority.mode() === 'plan';
  if (isKnown === isPlan) return [];
  const text = isPlan
    ? 'Mode plan is on: only reading is allowed. If the task needs changes, find out what to do, then present a plan in ' +
      `Markdown with ${presenting}. The user edits and accepts it. Only then make the changes.`
    : 'Mode plan is off: changes are allowed as far as the present mode permits.';
  const id = `${isPlan ? BEGIN : END}${engine.ids.ulid()}`;
  return [toTextMessage({ run, turn: state.turn }, { id, origin: 'engine', text })];
}
