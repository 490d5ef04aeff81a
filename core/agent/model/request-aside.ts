import type { EventBody } from '../../protocol/index.ts';
import { countBytes } from '../context/count-bytes.ts';
import { worstCase } from '../budget/cost.ts';
import { forecast, type Forecast } from '../budget/forecast.ts';
import { findModelLimit, isUnpriced, type LimitReached } from '../budget/limit-check.ts';
import type { Model, ToolSpec } from '../ports/model.ts';
import { createState } from '../state/state.ts';
import type { Work } from '../loop/work.ts';
import { createRequestHasher } from './request-hash.ts';
import { requestModel, type RequestResult } from './request-model.ts';

/** A small request of the engine that is no turn. */
export interface Aside {
  purpose: 'compaction' | 'title' | 'review' | 'search';
  model: Model;
  system: string;
  text: string;
  /** Default: none. */
  tools?: readonly ToolSpec[];
  maxOutputTokens: number;
  /** What the provider may add to its cost: tokens of the prompt, and US dollars. Default: nothing. */
  extra?: { promptTokens: number; usd: number };
}

/** Its answer. The caller must append `bodies` in any case. */
export type AsideResult = {
  /** Undefined if the model failed, was stopped, or a limit did not allow the request. */
  answer?: Extract<RequestResult, { ok: true }>['answer'];
  /** Why nothing was sent: the limit, or the price of the model is unknown. */
  reached?: LimitReached | 'price';
  bodies: Extract<EventBody, { type: 'model.attempted' }>[];
};

/** Reserves and sends a request without the history. It counts against the limits. */
export async function requestAside(work: Work, aside: Aside): Promise<AsideResult> {
  const { purpose, model, system, text, tools = [] } = aside;
  const probe = createState();
  probe.bytes = countBytes(text);
  probe.learned = work.state.learned;
  const settings = { ...work.engine.settings, maxOutputTokens: aside.maxOutputTokens };
  const overhead = system.length + (tools.length === 0 ? 0 : JSON.stringify(tools).length);
  const need = addExtra(forecast(probe, model, { settings, overhead }), model, aside.extra);
  if (isUnpriced(work.state, need.usd)) return { reached: 'price', bodies: [] };
  const reached = findModelLimit(work.state, need, 0);
  if (reached) return { reached, bodies: [] };
  const request = {
    system,
    tools,
    messages: [
      { id: purpose, role: 'user' as const, origin: 'engine' as const, parts: [{ type: 'text' as const, text }] },
    ],
    maxOutputTokens: need.maxOutputTokens,
    session: `${work.session}-${purpose}`,
  };
  const result = await requestModel(work, {
    purpose,
    model,
    request,
    requestHash: createRequestHasher(work.engine.ids)(request),
    reserved: { tokens: need.tokens, usd: need.usd },
    worst: { input: need.promptTokens, output: need.maxOutputTokens, cacheRead: 0, cacheWrite: 0 },
  });
  if (result.ok) return { answer: result.answer, bodies: [result.attempted] };
  // If the caller leaves, the end of the request is unknown: the next process charges it.
  return { bodies: work.isLeaving() ? [] : [result.attempted] };
}

function addExtra(need: Forecast, { info }: Model, extra: Aside['extra']): Forecast {
  if (!extra) return need;
  const promptTokens = need.promptTokens + extra.promptTokens;
  const usd = worstCase(info, promptTokens, need.maxOutputTokens);
  return {
    ...need,
    promptTokens,
    tokens: need.tokens + extra.promptTokens,
    usd: usd === null ? null : usd + extra.usd,
  };
}
