import type { LanguageModelV4CallOptions } from '@ai-sdk/provider';
import type { ProviderError } from '../failure/errors.ts';
import { findAdaptations } from '../adaptation/find-adaptations.ts';

type Call = LanguageModelV4CallOptions;
/** What a call can lack. */
type Part = 'temperature' | 'reasoning' | 'providerOptions';

/** The fields that packages write for a part of a call. */
const FIELDS: Readonly<Record<Part, object>> = {
  temperature: { temperature: 1 },
  reasoning: {
    ...{ reasoning: { effort: 'x' }, reasoning_effort: 'x', thinking: { type: 'x' }, enable_thinking: true },
    output_config: { effort: 'x' },
  },
  providerOptions: { store: false, prompt_cache_key: 'x', cache_control: { type: 'x' } },
};
const PARTS = Object.keys(FIELDS) as Part[];

/** Removes from the calls of one model what its provider has refused. It is forgotten with the model. */
export interface CallAdapter {
  adapt(call: Call): Call;
  /** True if the call differs from now on, so that it is worth another attempt. */
  learn(call: Call, error: Pick<ProviderError, 'status' | 'body'>): boolean;
}

/** @param onRefused Called once for each refused part. */
export function createCallAdapter(onRefused: (part: string) => void): CallAdapter {
  const refused = new Set<Part>();
  const isSent = (call: Call, part: Part): boolean => call[part] !== undefined && !refused.has(part);
  return {
    adapt: (call) => {
      const kept = { ...call };
      for (const part of refused) delete kept[part];
      return kept;
    },
    learn(call, error) {
      const parts = PARTS.filter((part) => isSent(call, part));
      const sent: Record<string, unknown> = Object.assign({}, ...parts.map((part) => FIELDS[part]));
      const fields = findAdaptations(error, sent, []).map(({ field }) => field.split('.')[0]!);
      const found = parts.filter((part) => fields.some((field) => field in FIELDS[part]));
      for (const part of found) {
        refused.add(part);
        onRefused(part === 'providerOptions' ? 'options of the cache' : part);
      }
      return found.length > 0;
    },
  };
}
