import { accessTo, createModels } from '@klaus/adapters/models';
import {
  cost,
  MAX_VERDICT_TOKENS,
  toVerdictAnswer,
  toVerdictTool,
  type Model,
  type ModelEvent,
  type ModelRequest,
} from '@klaus/core/agent';
import { KlausError } from '@klaus/core/protocol';
import { PROVIDER_NAMES } from '@klaus/core/provider-table';
import type { Judge, JudgeAnswer, JudgeRequest } from '@klaus/core/reviewers';
import type { Configuration } from '../config/configuration.ts';
import { toModelsOptions } from '../engine/engine-settings.ts';

export interface JudgeOptions {
  configuration: Configuration;
  /** State folder, with the packages of AI SDK providers. Default: none of their models. */
  home?: string;
  /** Removes secrets from everything that is sent. */
  redact: (text: string) => string;
}

/**
 * A judge over the models of the configuration: each tier is that of the first provider with a key, as for sessions.
 * Undefined without a key of any provider and without tiers of AI SDK providers and of configured servers.
 */
export function createJudge({ configuration, home, redact }: JudgeOptions): Judge | undefined {
  const options = toModelsOptions(configuration, { home });
  const ownTiers = Object.values(options.servers ?? {}).map(({ tiers }) => tiers ?? {});
  const hasTiers = [home === undefined ? {} : (options.tiers?.ai ?? {}), ...ownTiers].some((tiers) =>
    Object.values(tiers).some((id) => id !== undefined),
  );
  if (!hasTiers && !PROVIDER_NAMES.some((name) => accessTo(name, options) !== undefined)) return undefined;
  const models = createModels(options);
  const { tiers, timeoutMs } = configuration.values.reviewers;
  return {
    tiers,
    async judge(request) {
      const model = await models.resolve(request.tier);
      const timeout = AbortSignal.timeout(timeoutMs);
      const signal = AbortSignal.any([request.signal, timeout]);
      try {
        return await ask(model, toModelRequest(request, redact), signal);
      } catch (error) {
        if (!timeout.aborted) throw error;
        throw new KlausError('timeout', `${model.name} gave no verdict within ${timeoutMs / 1_000} seconds.`, {
          hint: 'Set reviewers.timeoutMs higher, or choose a faster tier in reviewers.tiers.',
        });
      }
    },
  };
}

function toModelRequest(
  { reviewer, system, prompt, schema }: JudgeRequest,
  redact: (text: string) => string,
): ModelRequest {
  return {
    system,
    tools: [toVerdictTool(schema)],
    messages: [{ id: reviewer, role: 'user', origin: 'engine', parts: [{ type: 'text', text: redact(prompt) }] }],
    maxOutputTokens: MAX_VERDICT_TOKENS,
    session: `reviewer-${reviewer}`,
  };
}

/** @throws KlausError if the request fails or is aborted. */
async function ask(model: Model, request: ModelRequest, signal: AbortSignal): Promise<JudgeAnswer> {
  const maxOutputTokens = Math.min(request.maxOutputTokens, model.info.maxOutputTokens);
  for await (const event of model.stream({ ...request, maxOutputTokens }, { signal })) {
    if (event.type === 'finished') return toAnswer(model, event);
    if (event.type === 'failed')
      throw new KlausError('model.failed', `${model.name} failed: ${event.failure.message}`, {
        hint: 'Try again, or choose another tier in reviewers.tiers.',
      });
  }
  throw new KlausError('model.failed', `${model.name} ended its answer without a result.`);
}

function toAnswer(model: Model, event: Extract<ModelEvent, { type: 'finished' }>): JudgeAnswer {
  const { parts, usage, usd = cost(model.info, usage) } = event;
  return {
    answer: toVerdictAnswer(parts),
    model: model.name,
    input: usage.input + usage.cacheRead + usage.cacheWrite,
    output: usage.output,
    usd,
  };
}
