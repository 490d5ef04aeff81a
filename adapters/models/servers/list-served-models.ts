import type { Environment } from '@klaus/adapters/system';
import type { ModelServerSettings } from '@klaus/core/protocol';
import { createAsk, READ } from '../local/ask-server.ts';
import { toEntries } from '../local/local-program.ts';
import { createAgentFinder } from '../wire/connection.ts';
import { toKeyHeader } from '../wire/key-source.ts';

export interface ServedModels {
  /** Of the answer. Undefined: there was none. */
  status: number | undefined;
  /** Undefined: the answer is no list of models. */
  ids: string[] | undefined;
}

/** The ids of the models that a compatible server lists. Sends one GET request without any text, and throws nothing. */
export async function listServedModels(
  settings: ModelServerSettings,
  { env, caFile: given }: { env?: Environment; caFile?: string } = {},
): Promise<ServedModels> {
  const { baseUrl, wire, key, keyHeader, headers, proxy, caFile = given } = settings;
  const url = new URL(baseUrl);
  url.pathname = `${url.pathname.replace(/\/+$/, '')}${wire === 'messages' ? '/v1' : ''}/models`;
  let status: number | undefined;
  const header = keyHeader ?? (wire === 'messages' ? 'x-api-key' : undefined);
  const version = wire === 'messages' ? { 'anthropic-version': '2023-06-01' } : {};
  const ask = createAsk({
    ...{ origin: url.origin, ...READ, agent: createAgentFinder({ proxy, caFile, env })(url) },
    headers: { ...version, ...(key === undefined ? {} : toKeyHeader(key, header)), ...headers },
    onStatus: (code) => void (status = code),
  });
  const models = toEntries(await ask(url.href), 'data');
  return { status, ids: models?.flatMap(({ id }) => (typeof id === 'string' && id !== '' ? [id] : [])) };
}
