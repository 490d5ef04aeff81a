import { optional } from '@klaus/core/optional';
import { isRecord } from '@klaus/core/protocol';
import { type LocalProgram, toEntries, toTokens } from './local-program.ts';

/** @source https://docs.vllm.ai/en/latest/serving/openai_compatible_server/ */
export const VLLM: LocalProgram = {
  title: 'vLLM',
  port: 8_000,
  start: 'vllm serve MODEL --enable-auto-tool-choice --tool-call-parser PARSER',
  async listModels(ask) {
    const models = toEntries(await ask('/v1/models'), 'data');
    if (!models || models.length === 0 || models.some((each) => each['owned_by'] !== 'vllm')) return undefined;
    return models.flatMap(({ id }) => (typeof id === 'string' ? [{ id, isLoaded: true }] : []));
  },
  async readFacts(ask, id) {
    const models = toEntries(await ask('/v1/models'), 'data') ?? [];
    const entry = models.find((each) => each['id'] === id);
    // An adapter has the window of its model.
    const parent = models.find((each) => each['id'] === entry?.['parent']);
    return optional({ contextWindow: toTokens(entry?.['max_model_len']) ?? toTokens(parent?.['max_model_len']) });
  },
  async countTokens(ask, { model, messages, tools }) {
    const counted = await ask('/tokenize', { model, messages, ...(tools !== undefined && { tools }) });
    return isRecord(counted) ? toTokens(counted['count']) : undefined;
  },
  enlarge: (id, tokens) => `\`vllm serve ${id} --max-model-len ${tokens}\``,
  toolsFix: 'Start the server with `--enable-auto-tool-choice` and the `--tool-call-parser` of the model.',
};
