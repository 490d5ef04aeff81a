import { allowsModel } from '../../policy/index.ts';
import { isRetryable, toKlausError, type EventBody, type EventOf } from '../../protocol/index.ts';
import type { Model, ModelFailure } from '../ports/model.ts';
import { openedOf, type State } from '../state/state.ts';
import type { Work } from '../loop/work.ts';

/** Milliseconds after which the model of the session is tried again: as long as providers keep a prompt cache. */
const PAUSE = 5 * 60_000;
/** The pause doubles with each failure in a row, up to this. It is also the pause of an account without credit. */
const LONGEST_PAUSE = 60 * 60_000;

/** What happens after a turn whose request failed finally. */
export interface PlannedFallback {
  /** Absent: the failure ends the run. */
  fallback?: EventOf<'model.attempted'>['fallback'];
  /** One for each model that cannot be used. */
  notices: EventBody[];
}

/** Beginning of the notices. A replay recognizes them. */
const NOTICE = 'Not used as a fallback: ';

export function isFallbackNotice(event: EventBody): boolean {
  return event.type === 'notice' && event.text.startsWith(NOTICE);
}

/** True for the next request if it goes to the model of the session, and not to the one that stands in for it. */
export function triesFirst({ engine, state }: Pick<Work, 'engine' | 'state'>): boolean {
  const { standIn, openTurn } = state;
  if (!standIn) return true;
  if (openTurn) return openTurn.model !== standIn.model;
  return standIn.until !== undefined && engine.clock.now() >= standIn.until;
}

/** True if another model can answer a turn when this one fails. */
export function hasFallback({ fallback, standIn }: Pick<State, 'fallback' | 'standIn'>): boolean {
  return standIn ? fallback.at(-1) !== standIn.model : fallback.length > 0;
}

/** The next model of the session's list that can be used. */
export async function planFallback(
  work: Work,
  { model, failure }: { model: Model; failure: ModelFailure },
): Promise<PlannedFallback> {
  const { state, engine } = work;
  const { standIn } = state;
  const isStandIn = standIn?.model === model.name;
  const notices: EventBody[] = [];
  if (!passesOn(failure, isStandIn)) return { notices };
  const first = isStandIn ? (await engine.models.resolve(state.model)).name : model.name;
  let isPast = !isStandIn;
  for (const name of state.fallback) {
    const found = await findUsable(work, name);
    if (!isPast) isPast = typeof found !== 'string' && found.name === model.name;
    else if (typeof found === 'string') notices.push({ type: 'notice', level: 'warn', text: `${NOTICE}${found}` });
    else if (found.name !== first && found.name !== model.name) {
      const until = isStandIn ? standIn.until : toUntil(failure, standIn?.failures ?? 0, engine.clock.now());
      return { fallback: { model: found.name, until }, notices };
    }
  }
  return { notices };
}

/**
 * Failures of the provider, and not of the request. A rejected key of the model of the session is an error of the
 * configuration, which does not pass: another provider must not hide it. One of a model that stands in does not
 * keep the next one from answering.
 */
function passesOn({ code, cause }: ModelFailure, isStandIn: boolean): boolean {
  if (cause === 'no_credit' || cause === 'unknown_model') return true;
  if (code === 'auth') return isStandIn;
  return isRetryable(code);
}

/** When the model of the session is tried again. An unknown model is not, until the user chooses another one. */
function toUntil({ cause, retryAfterMs = 0 }: ModelFailure, failures: number, now: number): number | undefined {
  if (cause === 'unknown_model') return undefined;
  const pause = cause === 'no_credit' ? LONGEST_PAUSE : Math.min(LONGEST_PAUSE, PAUSE * 2 ** failures);
  return now + Math.max(retryAfterMs, pause);
}

/** The model, or why it cannot be used. */
async function findUsable({ engine, state }: Work, name: string): Promise<Model | string> {
  try {
    const model = await engine.models.resolve(name);
    if (!allowsModel(openedOf(state).grant, model.name)) return `the grant does not name the model ${model.name}.`;
    if (state.limits.usd > 0 && model.info.prices.length === 0)
      return `no price is known for ${model.name}, so the budget in dollars could not be kept.`;
    return model;
  } catch (error) {
    return `${name}. ${toKlausError(error).message}`;
  }
}
