import { describeUsed, isKlausError, type EventBody } from '../../protocol/index.ts';
import type { Tier } from '../../protocol/settings/provider-table.ts';
import type { Judge } from '../../reviewers/index.ts';
import { anySignal } from '../loop/any-signal.ts';
import type { ReviewSettings } from '../loop/settings.ts';
import type { Work } from '../loop/work.ts';
import { requestAside } from '../model/request-aside.ts';
import type { Model } from '../ports/model.ts';
import { MAX_VERDICT_TOKENS, toVerdictAnswer, toVerdictTool } from './judge-request.ts';

type Attempted = Extract<EventBody, { type: 'model.attempted' }>;

/** A judge whose requests are reserved and charged in the log of the session. */
export interface LoopJudge extends Judge {
  /** The end of the last request, which the caller appends together with the verdict. */
  take(): Attempted | undefined;
}

/** The model of a tier; undefined if there is no key for one, or it cannot be used. */
export async function findJudgeModel({ engine }: Work, tier: Tier): Promise<Model | undefined> {
  try {
    return await engine.models.resolve(tier);
  } catch (error) {
    if (isKlausError(error)) return undefined;
    throw error;
  }
}

export function createLoopJudge(work: Work, model: Model, { tiers, timeoutMs }: ReviewSettings): LoopJudge {
  let last: Attempted | undefined;
  const take = (): Attempted | undefined => {
    const taken = last;
    last = undefined;
    return taken;
  };
  return {
    tiers,
    take,
    async judge({ system, prompt, schema }) {
      // The last answer had no valid verdict.
      const before = take();
      if (before) await work.append([before]);
      const timeout = createTimeout(work, timeoutMs);
      try {
        const { answer, reached, bodies } = await requestAside(timeout.work, {
          purpose: 'review',
          model,
          system,
          text: work.redactor.redact(prompt),
          tools: [toVerdictTool(schema)],
          maxOutputTokens: MAX_VERDICT_TOKENS,
        });
        const seconds = `no verdict within ${timeoutMs / 1_000} seconds`;
        const hasTimedOut = timeout.work.stop.aborted && !work.stop.aborted;
        last = bodies[0] && (hasTimedOut && !answer ? { ...bodies[0], outcome: 'idle', message: seconds } : bodies[0]);
        if (answer)
          return {
            answer: toVerdictAnswer(answer.parts),
            model: model.name,
            input: answer.usage.input + answer.usage.cacheRead + answer.usage.cacheWrite,
            output: answer.usage.output,
            usd: last?.usd ?? null,
          };
        if (reached === 'price') throw new Error(`no price is known for ${model.name}, so a budget cannot be kept`);
        throw new Error(reached ? describeUsed(reached) : (last?.message ?? last?.outcome ?? 'it was stopped'));
      } finally {
        timeout.close();
      }
    },
  };
}

/** The same work, whose step also ends after a time. */
function createTimeout(work: Work, timeoutMs: number): { work: Work; close: () => void } {
  const controller = new AbortController();
  const close = work.engine.clock.every(timeoutMs, () => controller.abort());
  return { work: { ...work, stop: anySignal(work.stop, controller.signal) }, close };
}
