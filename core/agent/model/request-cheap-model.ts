import { toKlausError, toText, type EventBody } from '../../protocol/index.ts';
import { countBytes } from '../context/count-bytes.ts';
import { forecast } from '../budget/forecast.ts';
import { findModelLimit, isUnpriced, type LimitReached } from '../budget/limit-check.ts';
import type { Model, ModelRequest } from '../ports/model.ts';
import { createRequestHasher } from './request-hash.ts';
import { requestModel } from './request-model.ts';
import { createState } from '../state/state.ts';
import type { Work } from '../loop/work.ts';

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
  const { model } = found;
  const probe = createState();
  probe.bytes = countBytes(question.text);
  const settings = { ...work.engine.settings, maxOutputTokens: question.maxOutputTokens };
  const need = forecast(probe, model, { settings, overhead: question.system.length });
  if (isUnpriced(work.state, need.usd)) return { bodies: [] };
  const reached = findModelLimit(work.state, need, 0);
  if (reached) return { reached, bodies: [] };
  const request: ModelRequest = {
    system: question.system,
    tools: [],
    messages: [
      { id: question.purpose, role: 'user', origin: 'engine', parts: [{ type: 'text', text: question.text }] },
    ],
    maxOutputTokens: need.maxOutputTokens,
    session: `${work.session}-${question.purpose}`,
  };
  const result = await requestModel(work, {
    purpose: question.purpose,
    model,
    request,
    requestHash: createRequestHasher(work.engine.ids)(request),
    reserved: { tokens: need.tokens, usd: need.usd },
    worst: { input: need.promptTokens, output: need.maxOutputTokens, cacheRead: 0, cacheWrite: 0 },
  });
  // If the caller leaves, the end of the request is unknown: the next process charges it.
  if (!result.ok) return { bodies: work.isLeaving() ? [] : [result.attempted] };
  const text = toText(result.answer).trim();
  return { bodies: [result.attempted], ...(text === '' ? {} : { text }) };
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
