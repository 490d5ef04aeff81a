import type {
  LanguageModelV3,
  LanguageModelV3StreamPart,
  LanguageModelV4,
  LanguageModelV4StreamPart,
} from '@ai-sdk/provider';

/** A model of an AI SDK provider. Version 3 of the specification is that of `ai` 6, version 4 that of `ai` 7. */
export type LanguageModel = LanguageModelV3 | LanguageModelV4;

/** A part of its stream. */
export type LanguageModelPart = LanguageModelV3StreamPart | LanguageModelV4StreamPart;

/** Data of one provider, under its name. It is sent back with the part with which it came. */
export type ProviderMetadata = NonNullable<
  Extract<LanguageModelV4StreamPart, { type: 'text-end' }>['providerMetadata']
>;

/** True for a model whose interface Klaus implements. */
export function isLanguageModel(value: unknown): value is LanguageModel {
  const { specificationVersion: version, doStream } = (value ?? {}) as Partial<LanguageModel>;
  return (version === 'v3' || version === 'v4') && typeof doStream === 'function';
}
