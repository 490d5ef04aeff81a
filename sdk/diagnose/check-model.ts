import { PROVIDER_NAMES, PROVIDER_TABLE, type ProviderKey } from '@klaus/core/provider-table';
import { findUserProxy, parseProxy } from '@klaus/adapters/system';
import type { ModelServerSettings } from '@klaus/core/protocol';
import type { Configuration } from '../config/configuration.ts';
import type { KlausOptions } from '../klaus-options.ts';
import { openLocalServers, type LocalServersOptions } from '../models/local-servers.ts';
import { tryToConnect } from './check-server.ts';
import { type Finding, ok, toFailure, warn } from './finding.ts';

/** Milliseconds within which an address must accept a connection. */
const CONNECT_MS = 3_000;

/** Checks which keys are set, which model the configured name resolves to, and whether its address accepts connections. */
export async function checkModel(
  configuration: Configuration,
  { home, scripted }: Pick<KlausOptions, 'scripted'> & { home: string },
): Promise<Finding[]> {
  const [{ createModels, PROVIDERS }, { toModelsOptions }] = await Promise.all([
    import('@klaus/adapters/models'),
    import('../engine/engine-settings.ts'),
  ]);
  const { keys } = configuration.values;
  const variables = PROVIDER_NAMES.flatMap((provider) => Object.entries(PROVIDER_TABLE[provider].keys)).map(
    ([name, { env }]) => ({
      env,
      isSet: keys[name as ProviderKey] !== undefined,
      source: toKeySource(configuration, name as ProviderKey),
    }),
  );
  const { set = [], unset = [] } = Object.groupBy(variables, ({ isSet }) => (isSet ? 'set' : 'unset'));
  const text = [
    ...set.map(({ env, source }) => `${env} set${source}`),
    ...unset.map(({ env }) => `${env} not set`),
  ].join(', ');
  const toKeys = (needsOne: boolean): Finding =>
    set.length > 0 || !needsOne ? ok('keys', text) : warn('keys', text, '`klaus login` stores a key.');
  const wanted = configuration.get('model');
  try {
    const given = toModelsOptions(configuration, { home });
    // A check loads no model.
    const options = { ...given, scripted, local: given.local && { ...given.local, loads: false } };
    const { name } = await createModels(options).resolve(wanted);
    const model = ok('model', name === wanted ? wanted : `${wanted} means ${name}`);
    const server = name.slice(0, name.indexOf('/'));
    const own = configuration.values.servers?.[server];
    if (own) return [toKeys(false), model, await checkAddress(own, `servers.${server}.baseUrl`)];
    const provider = PROVIDER_NAMES.find((candidate) => candidate === server);
    if (provider === undefined) return [toKeys(false), model];
    const baseUrl = configuration.values.baseUrls[provider] ?? PROVIDERS[provider].baseUrl;
    return [
      toKeys(configuration.values.baseUrls[provider] === undefined),
      model,
      await checkAddress({ baseUrl }, PROVIDER_TABLE[provider].baseUrlEnv),
    ];
  } catch (error) {
    return [toKeys(true), toFailure('model', error, 'auth')];
  }
}

/** Programs on this machine that serve models. No finding without one. */
export async function checkLocalServers(options: LocalServersOptions): Promise<Finding[]> {
  const found = await openLocalServers(options).find();
  return found.map(({ text, models: [first, ...others] }) => {
    if (first === undefined) return ok('local models', `${text} has no models yet`);
    return ok(
      'local models',
      `${text}: ${first}${others.length > 0 ? ` and ${others.length} more` : ''} (klaus -m ${first})`,
    );
  });
}

/** Where a key comes from, if that is not its variable. */
function toKeySource({ sources }: Configuration, name: ProviderKey): string {
  const { source, where } = sources[`keys.${name}`];
  return source === 'environment' ? '' : ` (${where ?? source})`;
}

/** Only opens a connection. No request is sent, and the key is not used. */
async function checkAddress(
  { baseUrl, proxy }: Pick<ModelServerSettings, 'baseUrl' | 'proxy'>,
  setting: string,
): Promise<Finding> {
  const name = 'model address';
  const url = new URL(baseUrl);
  const address = url.origin + url.pathname;
  const target = toHostAndPort(url);
  const via =
    proxy === undefined
      ? findUserProxy(process.env, { ...target, isSecure: url.protocol === 'https:' })
      : parseProxy(proxy);
  const to = via ? toHostAndPort(via.url) : target;
  const reason = await tryToConnect(to, CONNECT_MS);
  const through = via ? `the proxy ${via.url.host}, for ${address},` : address;
  if (reason === undefined) return ok(name, `${through} accepts connections`);
  const fix = `Check the network, or set another address with \`${setting}\`.`;
  return warn(name, `${through} cannot be reached: ${reason}`, fix);
}

function toHostAndPort({ hostname, port, protocol }: URL): { host: string; port: number } {
  return {
    host: hostname.replace(/^\[|\]$/g, ''),
    port: Number(port || (protocol === 'https:' ? 443 : 80)),
  };
}
