import { toKlausError, toText, type EventBody } from '../../protocol/index.ts';
import type { LimitReached } from '../budget/limit-check.ts';
import type { Model } from '../ports/model.ts';
import type { Work } from '../loop/work.ts';
import { requestAside } from './request-aside.ts';

/** The result of a small request of the engine. The caller must append `bodies` in any case. */
export interface CheapAnswer {
  /** Undefined if the model failed, was stopped, or a limit did not allow the request. */
  text?: string;
  /** The limit that did not allow the request: nothing was sent. */
  reached?: LimitReached;
  bodies: EventBody[];
}

/** Requests a text from the cheap model of the same provider, for a title or a compaction. Counts against the limits. */
export async function requestCheapModel(
  work: Work,
  question: { purpose: 'compaction' | 'title'; system: string; text: string; maxOutputTokens: number },
): Promise<CheapAnswer> {
  const found = await findModel(work);
  if ('bodies' in found) return found;
  const { answer, reached, bodies } = await requestAside(work, { ...question, model: found.model });
  const text = answer && toText(answer).trim();
  return {
    bodies,
    ...(text === undefined || text === '' ? {} : { text }),
    ...(reached === undefined || reached === 'price' ? {} : { reached }),
  };
}

/** If the cheap model cannot be resolved, such as one that is misspelled in the configuration, only its answer is missing. */
async function findModel(work: Work): Promise<{ model: Model } | CheapAnswer> {
  try {
    return { model: await work.engine.models.cheap(await work.model()) };
  } catch (error) {
    const text = `The cheap model cannot be used: ${toKlausError(error).message}`;
    return { bodies: [{ type: 'notice', level: 'warn', text }] };
  }
}
