import { allowsModel } from '../../policy/index.ts';
import { isRetryable, toKlausError, type EventBody } from '../../protocol/index.ts';
import type { Model, ModelFailure } from '../ports/model.ts';
import { openedOf } from '../state/state.ts';
import type { Work } from '../loop/work.ts';
import type { PlannedFallback } from './planned-fallback.ts';

/** Milliseconds after which the model of the session is tried again: as long as providers keep a prompt cache. */
const PAUSE = 5 * 60_000;
/** The pause doubles with each failure in a row, up to this. It is also the pause of an account without credit. */
const LONGEST_PAUSE = 60 * 60_000;

/** Beginning of the notices. A replay recognizes them. */
const NOTICE = 'Not used as a fallback: ';

export function isFallbackNotice(event: EventBody): boolean {
  return event.type === 'notice' && event.text.startsWith(NOTICE);
}

/** True for the next request if it goes to the model of the session, and not to its substitute. */
export function triesFirst({ engine, state }: Pick<Work, 'engine' | 'state'>): boolean {
  const { substitute, openTurn } = state;
  if (!substitute) return true;
  if (openTurn) return openTurn.model !== substitute.model;
  return substitute.until !== undefined && engine.clock.now() >= substitute.until;
}

/** The next model of the session's list that can be used. */
export async function planFallback(
  work: Work,
  { model, failure }: { model: Model; failure: ModelFailure },
): Promise<PlannedFallback> {
  const { state, engine } = work;
  const { substitute } = state;
  const isSubstitute = substitute?.model === model.name;
  const notices: EventBody[] = [];
  if (!passesOn(failure, isSubstitute)) return { notices };
  const first = isSubstitute ? (await engine.models.resolve(state.model)).name : model.name;
  let isPast = !isSubstitute;
  for (const name of state.fallback) {
    const found = await findUsable(work, name);
    if (!isPast) isPast = typeof found !== 'string' && found.name === model.name;
    else if (typeof found === 'string') notices.push({ type: 'notice', level: 'warn', text: `${NOTICE}${found}` });
    else if (found.name !== first && found.name !== model.name) {
      const until = isSubstitute ? substitute.until : toUntil(failure, substitute?.failures ?? 0, engine.clock.now());
      return { fallback: { model: found.name, until }, notices };
    }
  }
  return { notices };
}

/**
 * Failures of the provider, and not of the request. A rejected key of the model of the session is an error of the
 * configuration, which does not pass: another provider must not hide it. One of a substitute does not
 * keep the next one from answering.
 */
function passesOn({ code, cause }: ModelFailure, isSubstitute: boolean): boolean {
  if (cause === 'no_credit' || cause === 'unknown_model') return true;
  if (code === 'auth') return isSubstitute;
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
