import { connect } from 'node:net';
import { PROVIDER_NAMES, PROVIDER_TABLE, type ProviderKey } from '@klaus/core/provider-table';
import type { Configuration } from '../config/configuration.ts';
import type { KlausOptions } from '../klaus-options.ts';
import { type Finding, toFailure } from './finding.ts';

/** Milliseconds that an address has to take a connection. */
const CONNECT_MS = 3_000;

/** Which keys are set, what the configured model means with them, and whether its address takes a connection. */
export async function checkModel(configuration: Configuration, scripted: KlausOptions['scripted']): Promise<Finding[]> {
  const [{ createModels, PROVIDERS }, { toModelsOptions }] = await Promise.all([
    import('@klaus/adapters/models'),
    import('../engine/engine-settings.ts'),
  ]);
  const { keys } = configuration.values;
  const variables = PROVIDER_NAMES.flatMap((provider) => Object.entries(PROVIDER_TABLE[provider].keys)).map(
    ([name, { env }]) => ({ env, isSet: keys[name as ProviderKey] !== undefined }),
  );
  const set = variables.filter(({ isSet }) => isSet);
  const unset = variables.filter(({ isSet }) => !isSet);
  const text = [...set.map(({ env }) => `${env} set`), ...unset.map(({ env }) => `${env} not set`)].join(', ');
  const key: Finding = { name: 'keys', status: set.length > 0 ? 'ok' : 'warn', text };
  const wanted = configuration.get('model');
  try {
    const options = { ...toModelsOptions(configuration), ...(scripted ? { scripted } : {}) };
    const { name } = await createModels(options).resolve(wanted);
    const model: Finding = { name: 'model', status: 'ok', text: name === wanted ? wanted : `${wanted} means ${name}` };
    const provider = PROVIDER_NAMES.find((candidate) => name.startsWith(`${candidate}/`));
    if (provider === undefined) return [key, model];
    const address = configuration.values.baseUrls[provider] ?? PROVIDERS[provider].baseUrl;
    return [key, model, await checkAddress(address, PROVIDER_TABLE[provider].baseUrlEnv)];
  } catch (error) {
    return [key, toFailure('model', error, 'auth')];
  }
}

/** A connection alone, without a word: nothing is asked of the model, and the key is not shown to it. */
async function checkAddress(address: string, variable: string): Promise<Finding> {
  const name = 'model address';
  const { hostname, port, protocol } = new URL(address);
  const host = hostname.replace(/^\[|\]$/g, '');
  const reason = await tryToConnect(host, Number(port || (protocol === 'https:' ? 443 : 80)));
  if (reason === undefined) return { name, status: 'ok', text: `${address} takes connections` };
  return {
    name,
    status: 'warn',
    text: `${address} cannot be reached: ${reason}`,
    fix: `Look at the network, or set the right address with ${variable}.`,
  };
}

/** Undefined when it can be reached, else why not. */
function tryToConnect(host: string, port: number): Promise<string | undefined> {
  return new Promise((resolve) => {
    const socket = connect({ host, port });
    const end = (reason: string | undefined) => {
      socket.destroy();
      resolve(reason);
    };
    socket.setTimeout(CONNECT_MS, () => end(`no answer within ${CONNECT_MS / 1_000} s`));
    socket.once('connect', () => end(undefined));
    socket.once('error', (error) => {
      // Several addresses of one host were tried; the first says enough.
      const first: unknown = error instanceof AggregateError ? error.errors[0] : error;
      end(first instanceof Error ? first.message : String(first));
    });
  });
}
