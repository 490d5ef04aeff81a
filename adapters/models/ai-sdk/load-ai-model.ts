import type { Model, ModelInfo } from '@klaus/core/agent';
import { createAiModel } from './ai-model.ts';
import type { AiSdkOptions } from './ai-sdk-options.ts';
import { loadLanguageModel } from './load-provider.ts';
import type { AiModelName } from './provider-name.ts';

export interface LoadAiModelOptions {
  /** Full name, `ai/PROVIDER/ID`. */
  name: string;
  target: AiModelName;
  info: ModelInfo;
  aiSdk: AiSdkOptions;
  onNotice?: (text: string) => void;
}

/** @throws KlausError `config`, `model.unknown`; see {@link loadLanguageModel}. */
export async function loadAiModel({ name, target, info, aiSdk, onNotice }: LoadAiModelOptions): Promise<Model> {
  const model = await loadLanguageModel(target, aiSdk);
  // Version 3 has no levels of effort of its own.
  const { efforts: _, ...others } = info;
  const { baseURL } = aiSdk.settings?.[target.provider]?.options ?? {};
  const url = typeof baseURL === 'string' && URL.canParse(baseURL) ? baseURL : undefined;
  return createAiModel({ name, info: model.specificationVersion === 'v3' ? others : info, model, url, onNotice });
}
