import { createModelProxy as createProxy, createModels, type ProxyHost } from '@klaus/adapters/models';
import { KlausError } from '@klaus/core/protocol';
import { PROVIDER_NAMES, type ProviderName } from '@klaus/core/provider-table';
import type { Configuration } from './config/configuration.ts';
import { toModelsOptions } from './engine/engine-settings.ts';

// What the door that runs programs of other makers needs.

export { openRelay, ownName, RELAY_FOLDER, RELAY_PORT } from '@klaus/adapters/sandboxes';
export { toProgramBinds, WRAP_LIMITS } from '@klaus/adapters/runners';
export type { NetworkUse, ProxyExchange, ProxyHost, ProxyRequest } from '@klaus/adapters/models';
export type {
  AgentCall,
  ExecRequest,
  PrestartRequest,
  ProgramExchange,
  Runner,
  RunnerHost,
  RunnerRequest,
  RunnerSession,
} from '@klaus/core/agent';
export { toProxyPath } from '@klaus/adapters/models';
export type { ProviderName } from '@klaus/core/provider-table';

/** A server that passes requests to models on, with the keys of the configuration. */
export function createModelProxy(configuration: Configuration, host: ProxyHost): ReturnType<typeof createProxy> {
  return createProxy({ ...toModelsOptions(configuration), host });
}

/** A model that the proxy reaches. */
export interface WrapModel {
  provider: ProviderName;
  /** The provider's own id. */
  id: string;
  contextWindow: number;
  maxOutputTokens: number;
}

/** @param name Default: the configured model. @throws KlausError `model.unknown`, `auth`, `config`. */
export async function findWrapModel(configuration: Configuration, name?: string): Promise<WrapModel> {
  const found = await createModels(toModelsOptions(configuration)).resolve(name ?? configuration.values.model);
  const provider = PROVIDER_NAMES.find((each) => found.name.startsWith(`${each}/`));
  if (provider === undefined) {
    throw new KlausError('config', `${found.name} cannot be used here: the program needs a model of a provider.`, {
      hint: `Choose a model of ${PROVIDER_NAMES.join(', ')}; their base URLs can be those of other servers.`,
    });
  }
  const { contextWindow, maxOutputTokens } = found.info;
  return { provider, id: found.name.slice(provider.length + 1), contextWindow, maxOutputTokens };
}
