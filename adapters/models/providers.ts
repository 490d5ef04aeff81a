import { PROVIDER_NAMES, PROVIDER_TABLE, type ProviderKey, type ProviderName } from '@klaus/core/provider-table';
import { anthropic } from './anthropic/provider.ts';
import { openai } from './openai/provider.ts';
import { openrouter } from './openrouter/provider.ts';
import type { ModelKeys, Provider } from './provider.ts';

/** Every provider of models. The compiler asks for one for each entry of `PROVIDER_TABLE`. */
export const PROVIDERS: Readonly<Record<ProviderName, Provider>> = { anthropic, openai, openrouter };

/** Base URLs that replace those of the providers. */
export type BaseUrls = { readonly [P in ProviderName]?: string };

/** `key` when a key of the provider is set, `server` when a server at a configured base URL needs none. */
export function accessTo(
  provider: ProviderName,
  { keys, baseUrls }: { keys: ModelKeys; baseUrls?: BaseUrls },
): 'key' | 'server' | undefined {
  const names = Object.keys(PROVIDER_TABLE[provider].keys) as ProviderKey[];
  if (names.some((name) => keys[name])) return 'key';
  return PROVIDERS[provider].keyless && baseUrls?.[provider] ? 'server' : undefined;
}

/** The variables that hold a key of these providers, or of all. */
export function keyVariables(...providers: readonly ProviderName[]): string[] {
  const chosen = providers.length > 0 ? providers : PROVIDER_NAMES;
  return chosen.flatMap((provider) => Object.values(PROVIDER_TABLE[provider].keys).map(({ env }) => env));
}
