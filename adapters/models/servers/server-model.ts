import type { Agent } from 'node:http';
import type { Model, ModelInfo, Price } from '@klaus/core/agent';
import { optional } from '@klaus/core/optional';
import type { ModelFacts, ModelServerSettings } from '@klaus/core/protocol';
import { PROVIDER_NAMES } from '@klaus/core/provider-table';
import { createAnthropicModel } from '../anthropic/anthropic-model.ts';
import type { CatalogEntry } from '../catalog/catalog-entry.ts';
import { findEntry, toModelInfo } from '../catalog/catalog.ts';
import { findDialect, type FoundDialect } from '../dialect/find-dialect.ts';
import { createOpenaiModel, createResponsesModel } from '../openai/openai-model.ts';
import { createDownModel } from '../local/down-model.ts';
import type { ServerFacts } from '../local/local-program.ts';
import { readServed } from '../local/read-served.ts';
import { withCutCheck } from '../local/with-cut-check.ts';
import { withKeptModel } from '../local/with-kept-model.ts';
import { withTools } from '../local/with-tools.ts';
import { createAgentFinder, type ConnectionOptions } from '../wire/connection.ts';
import { locate, type HttpModelOptions } from '../wire/http-model.ts';
import { toKeyHeader, type KeySource } from '../wire/key-source.ts';

export interface ServerModelOptions extends Pick<HttpModelOptions, 'adaptations' | 'onNotice'> {
  /** Its name in the settings. */
  server: string;
  /** The server's id of the model. */
  id: string;
  settings: ModelServerSettings;
  key: KeySource;
  /** A price in the setting `prices`. */
  price?: Price;
  env?: ConnectionOptions['env'];
  /** Used unless the server has its own. */
  caFile?: string;
  /** Opens its connections. Default: by the proxy and the certificates. */
  agent?: Agent;
  /** False: the server does not load the model. Default true. */
  loads?: boolean;
  /** Milliseconds after a request for which its program keeps the model in memory. Default 0: as long as it does itself. */
  keepMs?: number;
}

/**
 * A model of a server that the user has configured or allowed. A program on the machine of its user is asked how it
 * serves the model.
 *
 * @throws KlausError `config` for a file that cannot be read, and for an unknown context window of such a program.
 */
export async function createServerModel(options: ServerModelOptions): Promise<Model> {
  const { server, id, settings, key: apiKey, env, adaptations, onNotice } = options;
  const { wire, proxy, caFile = options.caFile, headers, body: fields } = settings;
  const looked = look(settings, id);
  const { baseUrl, facts, entry, found } = looked;
  const { family, dialect } = found;
  const { agent } = options;
  const findAgent = agent ? () => agent : createAgentFinder({ proxy, caFile, env });
  const keyHeader = settings.keyHeader ?? (wire === 'messages' ? undefined : found.server?.keyHeader);
  const name = `${server}/${id}`;
  const isOwn = settings.family !== undefined || locate(baseUrl).isLocal === true;
  const served =
    family === undefined || !isOwn
      ? undefined
      : await readServed({
          ...{ family, name, id, baseUrl, loads: options.loads, onNotice },
          agent: findAgent(new URL(baseUrl)),
          headers: { ...toKeyHeader(typeof apiKey === 'string' ? apiKey : await apiKey.read(), keyHeader), ...headers },
          isWindowSet: facts.contextWindow !== undefined,
        });
  const info = toInfo({ ...looked, facts: withServed(facts, served?.facts) }, options.price);
  if (served?.isUp === false && facts.contextWindow === undefined) {
    return createDownModel({ name, info, served, open: () => createServerModel(options) });
  }
  const model = {
    ...{ name, id, baseUrl, apiKey, headers, fields, adaptations, onNotice, info, findAgent, keyHeader },
  };
  const judge = (created: Model): Model => {
    const kept = withKeptModel(created, { id, served, keepMs: options.keepMs ?? 0 });
    return withTools(withCutCheck(kept, { id, served, onNotice }), { given: facts.tools, served, onNotice });
  };
  if (wire === 'responses') return judge(withoutSearch(createResponsesModel({ ...model, dialect })));
  if (wire === 'chat')
    return judge(createOpenaiModel({ ...model, dialect, family: family === 'openrouter' ? family : undefined }));
  const adaptiveThinking = facts.dialect?.adaptiveThinking ?? entry?.adaptiveThinking ?? false;
  return judge(withoutSearch(createAnthropicModel({ ...model, dialect: { ...dialect, adaptiveThinking } })));
}

/** What the user has set counts more than what the server says. */
function withServed(facts: ModelFacts, { contextWindow, images, thinking }: ServerFacts = {}): ModelFacts {
  return {
    ...optional({ contextWindow, images, efforts: thinking === false ? [] : undefined }),
    ...optional(facts),
  };
}

/** What is known of a model at a server. */
export function toServerModelInfo(
  settings: ModelServerSettings,
  { id, price }: { id: string; price?: Price },
): ModelInfo {
  return toInfo(look(settings, id), price);
}

interface Looked {
  baseUrl: string;
  facts: ModelFacts;
  entry: CatalogEntry | undefined;
  found: FoundDialect;
}

function look(settings: ModelServerSettings, id: string): Looked {
  const { wire, family } = settings;
  const baseUrl = settings.baseUrl.replaceAll('{model}', encodeURIComponent(id));
  const facts = toFacts(settings, id);
  const found = findDialect({ baseUrl, id, wire, family, given: facts.dialect });
  return { baseUrl, facts, entry: findKnown(id), found };
}

/** Whether a compatible server has the search of the service that it imitates is unknown. */
function withoutSearch(model: Model): Model {
  return { ...model, webSearch: undefined };
}

function toFacts({ models, ...server }: ModelServerSettings, id: string): ModelFacts {
  const own = models !== undefined && Object.hasOwn(models, id) ? models[id]! : {};
  const { contextWindow, maxOutputTokens, images, tools, price, efforts, temperature } = server;
  return {
    ...{ contextWindow, maxOutputTokens, images, tools, price, efforts, temperature },
    ...optional(own),
    dialect: { ...server.dialect, ...own.dialect },
  };
}

/** The catalog entry of a model that a gateway offers under the id of its provider. */
function findKnown(id: string): CatalogEntry | undefined {
  for (const provider of PROVIDER_NAMES) {
    const entry = findEntry(provider, id);
    if (entry) return entry;
  }
  return undefined;
}

function toInfo({ facts, entry, found }: Looked, given: Price | undefined): ModelInfo {
  const { contextWindow, maxOutputTokens, images, price, efforts, temperature } = facts;
  const info = toModelInfo(entry, { price: given ?? (price && toPrice(price)), assumed: found });
  const window = contextWindow ?? info.contextWindow;
  return {
    ...info,
    contextWindow: window,
    maxOutputTokens: maxOutputTokens ?? Math.min(info.maxOutputTokens, toLongestAnswer(window)),
    images: images ?? info.images,
    efforts: efforts ?? info.efforts,
    hidesReasoning: efforts === undefined ? info.hidesReasoning : efforts.length > 0,
    maxTemperature: temperature === undefined ? info.maxTemperature : temperature ? 2 : undefined,
  };
}

/** The window below which the usual answer of 8,192 tokens does not fit in after the prompt. */
const SMALL_WINDOW = 40_960;

/** The answer must leave room for a prompt: in a small window for one that is not compacted yet. */
function toLongestAnswer(window: number): number {
  return window < SMALL_WINDOW ? Math.floor(window / 5) : Math.ceil(window / 2);
}

/** Without prices of cache classes, cached tokens have the price of input tokens. */
export function toPrice({
  input,
  output,
  cacheRead = input,
  cacheWrite = input,
}: NonNullable<ModelFacts['price']>): Price {
  return { input, output, cacheRead, cacheWrite };
}
