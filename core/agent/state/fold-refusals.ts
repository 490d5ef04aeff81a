import type { EventOf } from '../../protocol/index.ts';
import { isRefused, type ModelRefusals } from '../refusals/model-refusals.ts';
import type { State } from './state.ts';

/** The request that ended, with or without success, was one of a turn. */
export function foldRefusedAttempt(state: State, event: EventOf<'model.attempted'>): void {
  if (event.outcome === 'ok') {
    const { left } = refusalsOf(state, event.model);
    const accepted = state.messages[state.prompted - 1]?.id;
    state.refusals.set(event.model, { accepted, inARow: 0, left: left.map(toPermanent) });
  } else if (isRefused(event)) {
    const { accepted, inARow, left } = refusalsOf(state, event.model);
    // The cause was another one, so that the history is complete again.
    state.refusals.set(event.model, { accepted, inARow: inARow + 1, left: left.filter(({ isTrial }) => !isTrial) });
  }
}

/** The turn is requested again. */
export function foldRefusal(state: State, event: EventOf<'content.refused'>): void {
  const refusals = refusalsOf(state, event.model);
  state.refusals.set(event.model, { ...refusals, left: [...refusals.left, event] });
  if (!state.run) return;
  delete state.run.failure;
  state.run.mustCompact = false;
}

function refusalsOf({ refusals }: State, model: string): ModelRefusals {
  return refusals.get(model) ?? { inARow: 0, left: [] };
}

function toPermanent({ isTrial: _, ...event }: EventOf<'content.refused'>): EventOf<'content.refused'> {
  return event;
}
