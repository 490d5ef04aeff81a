import { createModelProxy as createProxy, accessTo, toProxyPath, type ProxyHost } from '@klaus/adapters/models';
import { PROVIDER_NAMES, type ProviderName } from '@klaus/core/provider-table';
import type { Configuration } from './config/configuration.ts';
import { toModelsOptions } from './engine/engine-settings.ts';

// What the door that runs programs of other makers needs.

export { openRelay, RELAY_FOLDER, RELAY_PORT } from '@klaus/adapters/sandboxes';
export { toProgramBinds, WRAP_LIMITS } from '@klaus/adapters/runners';
export type { ProxyExchange, ProxyHost } from '@klaus/adapters/models';
export type { AgentCall, ExecRequest, Runner, RunnerHost, RunnerRequest, RunnerSession } from '@klaus/core/agent';
export { toProxyPath };
export type { ProviderName };

/** A server that passes requests to models on, with the keys of the configuration. */
export function createModelProxy(configuration: Configuration, host: ProxyHost): ReturnType<typeof createProxy> {
  return createProxy({ ...toModelsOptions(configuration), host });
}

/** The providers that the configuration reaches. */
export function listReachable(configuration: Configuration): ProviderName[] {
  const options = toModelsOptions(configuration);
  return PROVIDER_NAMES.filter((name) => accessTo(name, options) !== undefined);
}
