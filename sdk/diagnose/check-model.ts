import { connect } from 'node:net';
import type { Configuration } from '../config/configuration.ts';
import type { KlausOptions } from '../klaus-options.ts';
import { type Finding, toFailure } from './finding.ts';

/** Milliseconds that an address has to take a connection. */
const CONNECT_MS = 3_000;

/** Which keys are set, what the configured model means with them, and whether its address takes a connection. */
export async function checkModel(configuration: Configuration, scripted: KlausOptions['scripted']): Promise<Finding[]> {
  const { keys } = configuration.values;
  const variables: Record<string, string | undefined> = {
    ANTHROPIC_API_KEY: keys.anthropic,
    ANTHROPIC_AUTH_TOKEN: keys.anthropicToken,
    OPENAI_API_KEY: keys.openai,
    OPENROUTER_API_KEY: keys.openrouter,
  };
  const set = Object.keys(variables).filter((variable) => variables[variable] !== undefined);
  const unset = Object.keys(variables).filter((variable) => variables[variable] === undefined);
  const text = [...set.map((variable) => `${variable} set`), ...unset.map((variable) => `${variable} not set`)].join(
    ', ',
  );
  const key: Finding = { name: 'keys', status: set.length > 0 ? 'ok' : 'warn', text };
  const [models, { toModelsOptions }] = await Promise.all([
    import('@klaus/adapters/models'),
    import('../engine/engine-settings.ts'),
  ]);
  const wanted = configuration.get('model');
  try {
    const options = { ...toModelsOptions(configuration), ...(scripted ? { scripted } : {}) };
    const { name } = await models.createModels(options).resolve(wanted);
    const model: Finding = { name: 'model', status: 'ok', text: name === wanted ? wanted : `${wanted} means ${name}` };
    const { baseUrls } = configuration.values;
    const addresses: Record<string, string> = {
      anthropic: baseUrls.anthropic ?? models.ANTHROPIC_URL,
      openai: baseUrls.openai ?? models.OPENAI_URL,
      openrouter: baseUrls.openrouter ?? models.OPENROUTER_URL,
    };
    const provider = name.slice(0, name.indexOf('/'));
    const address = addresses[provider];
    return [key, model, ...(address === undefined ? [] : [await checkAddress(address, provider)])];
  } catch (error) {
    return [key, toFailure('model', error, 'auth')];
  }
}

/** A connection alone, without a word: nothing is asked of the model, and the key is not shown to it. */
async function checkAddress(address: string, provider: string): Promise<Finding> {
  const name = 'model address';
  const { hostname, port, protocol } = new URL(address);
  const host = hostname.replace(/^\[|\]$/g, '');
  const reason = await tryToConnect(host, Number(port || (protocol === 'https:' ? 443 : 80)));
  if (reason === undefined) return { name, status: 'ok', text: `${address} takes connections` };
  return {
    name,
    status: 'warn',
    text: `${address} cannot be reached: ${reason}`,
    fix: `Look at the network, or set the right address with ${provider.toUpperCase()}_BASE_URL.`,
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
