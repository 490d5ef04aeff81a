import { optional } from '@klaus/core/optional';
import { type LocalProgram, toEntries, toTokens } from './local-program.ts';

/** @source https://lmstudio.ai/docs/developer/rest/endpoints */
export const LMSTUDIO: LocalProgram = {
  title: 'LM Studio',
  port: 1_234,
  start: 'lms server start',
  async listModels(ask) {
    const models = toEntries(await ask('/api/v0/models'), 'data');
    if (!models?.every((each) => 'compatibility_type' in each && 'state' in each)) return undefined;
    return models.flatMap(({ id, type, state }) =>
      typeof id === 'string' && type !== 'embeddings' ? [{ id, isLoaded: state === 'loaded' }] : [],
    );
  },
  async readFacts(ask, id) {
    const entry = (toEntries(await ask('/api/v0/models'), 'data') ?? []).find((each) => each['id'] === id) ?? {};
    const { type, capabilities } = entry;
    const usesTools = Array.isArray(capabilities) && capabilities.includes('tool_use');
    return optional({
      contextWindow: toTokens(entry['loaded_context_length']),
      largestWindow: toTokens(entry['max_context_length']),
      // It gives other models tools in a format of its own.
      tools: usesTools ? true : undefined,
      images: type === 'llm' ? false : type === 'vlm' ? true : undefined,
    });
  },
  enlarge: (id, tokens) => `\`lms load ${id} --context-length ${tokens}\``,
  toolsFix: 'Choose a model that LM Studio marks with a hammer.',
};
