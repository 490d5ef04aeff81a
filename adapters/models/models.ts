import type { Model, ModelInfo, Models, Price } from '@klaus/core/agent';
import { optional } from '@klaus/core/optional';
import { covers } from '@klaus/core/allow-list';
import { KlausError, type ModelServerSettings, type ServerFamily } from '@klaus/core/protocol';
import { PROVIDER_NAMES, type ProviderName, type Tier } from '@klaus/core/provider-table';
import type { AiSdkOptions } from './ai-sdk/ai-sdk-options.ts';
import { toAiModelName } from './ai-sdk/provider-name.ts';
import { createAnthropicModel } from './anthropic/anthropic-model.ts';
import { UP_TO_MAX, type CatalogEntry } from './catalog/catalog-entry.ts';
import { findEntry, toModelInfo } from './catalog/catalog.ts';
import { findDialect } from './dialect/find-dialect.ts';
import { isDown } from './local/down-model.ts';
import { findOnlyLocal, openLocal, type LocalAccess, type OpenedLocal } from './local/open-local.ts';
import { findTiers, resolveName, type NameRules, type Target } from './names.ts';
import { createOpenaiModel, createResponsesModel } from './openai/openai-model.ts';
import type { ModelKeys } from './provider.ts';
import { accessTo, PROVIDERS, type BaseUrls } from './providers.ts';
import { createKeyCommand } from './servers/key-command.ts';
import { createServerModel } from './servers/server-model.ts';
import { createAdaptationStore, type AdaptationStore } from './adaptation/adaptation-store.ts';
import { createAgentFinder } from './wire/connection.ts';
import type { KeySource } from './wire/key-source.ts';

/** A running scripted model server. */
export interface ScriptedServer {
  /** Without a path, such as `http://127.0.0.1:4000`. */
  url: string;
  /** Default `anthropic`. */
  wire?: 'anthropic' | 'openai' | 'responses';
  /** Default: known and zero. */
  price?: Price;
  /** Tokens; default 200,000. */
  contextWindow?: number;
  /** Tokens; default 32,000. */
  maxOutputTokens?: number;
}

export interface ModelsOptions {
  keys: ModelKeys;
  /** Default: the providers' own. Anthropic's is without `/v1`, the others with it. */
  baseUrls?: BaseUrls;
  /** Ids that replace those of the providers. Those of `ai` are `PROVIDER/ID`, and apply while no other provider can be reached. */
  tiers?: { readonly [P in ProviderName | 'ai']?: { readonly [T in Tier]?: string } };
  /** Configured prices by full name. They replace those of the catalog. */
  prices?: Readonly<Record<string, Price>>;
  /** Full names that may be used, with `*` at the end for a prefix. Default: all. */
  allow?: readonly string[];
  /** Configured servers by name, for models named `NAME/ID`. */
  servers?: Readonly<Record<string, ModelServerSettings>>;
  /** A folder in which is kept what servers have refused. Default: only in memory. */
  cache?: string;
  /** The environment of key commands, and of proxies. Default: that of the process. */
  env?: Readonly<Record<string, string | undefined>>;
  /** Certificates that are trusted in addition to those of Node; see `ConnectionOptions`. */
  caFile?: string;
  /** Receives a key that a command has printed, before it is used. */
  onSecret?: (secret: { name: string; value: string }) => void;
  /** Providers of the AI SDK. Default: `ai/…` is rejected. */
  aiSdk?: AiSdkOptions;
  /** What the user allows of programs on this machine that serve models. Default: nothing. */
  local?: LocalAccess;
  /** Milliseconds after a request for which a program keeps its model in memory. Default 0: as long as it does itself. */
  keepMs?: number;
  /** Starts or finds the server of a script. Default: `scripted/…` is rejected. */
  scripted?: (name: string) => Promise<ScriptedServer>;
  onNotice?: (text: string) => void;
  /** Unix milliseconds, for ids with a retirement date. Default: the machine's clock. */
  now?: () => number;
}

/** The name of the only model on this machine. */
const LOCAL = 'local';

const FREE: Price = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };

/**
 * All models that these keys reach. A name always resolves to the same Model, so that its converted history of a session
 * stays cached.
 */
export function createModels(options: ModelsOptions): Models {
  const rules = toRules(options);
  const models = new Map<string, Model>();
  const shared = { ...options, ...createShared(options) };

  async function resolve(name: string): Promise<Model> {
    const target = resolveName(name === LOCAL ? await findOnlyLocal(options.env ?? process.env) : name, rules);
    const { provider, id, notice } = target;
    const full = `${provider}/${id}`;
    const known = models.get(full);
    if (known) return known;
    if (!isAllowed(full, options.allow)) {
      throw new KlausError('config', `The configuration does not allow the model ${full}.`, {
        hint: `Choose one of ${options.allow!.join(', ')}.`,
      });
    }
    const model = await create(target, shared);
    if (!isDown(model)) models.set(full, model);
    if (notice) options.onNotice?.(notice);
    return model;
  }

  return {
    resolve,
    async cheap(model) {
      const provider = model.name.slice(0, model.name.indexOf('/'));
      // A script answers all requests itself. Other servers have a cheap model only if one is configured.
      const id = findTiers(provider, rules)?.haiku;
      if (id === undefined) return model;
      const full = `${provider}/${id}`;
      return isAllowed(full, options.allow) ? resolve(full) : model;
    },
  };
}

function toRules(options: ModelsOptions): NameRules {
  return {
    access: mapProviders((name) => accessTo(name, options)),
    tiers: mapProviders((name) => ({ ...PROVIDERS[name].tiers, ...optional(options.tiers?.[name] ?? {}) })),
    aiTiers: options.tiers?.ai,
    servers: options.servers,
  };
}

function mapProviders<T>(toValue: (name: ProviderName) => T): Record<ProviderName, T> {
  return Object.fromEntries(PROVIDER_NAMES.map((name) => [name, toValue(name)])) as Record<ProviderName, T>;
}

/** True if a list of full names covers the model, or if there is no list. */
export function isAllowed(full: string, allow: readonly string[] | undefined): boolean {
  return allow === undefined || allow.some((entry) => covers(entry, full));
}

/** What the models of one configuration share. */
interface Shared extends ModelsOptions {
  adaptations: AdaptationStore;
  /** The key of each server. */
  keyOf: (server: string, settings: ModelServerSettings) => KeySource;
}

function createShared({ cache, env, onSecret }: ModelsOptions): Pick<Shared, 'adaptations' | 'keyOf'> {
  const keys = new Map<string, KeySource>();
  return {
    adaptations: createAdaptationStore(cache),
    keyOf(server, { key, keyCommand }) {
      const known = keys.get(server);
      if (known !== undefined) return known;
      const onKey = (value: string): void => onSecret?.({ name: server, value });
      // A server without a key gets a placeholder.
      const source = keyCommand === undefined ? (key ?? 'none') : createKeyCommand(keyCommand, { server, env, onKey });
      keys.set(server, source);
      return source;
    },
  };
}

async function create({ provider, id, server }: Target, options: Shared): Promise<Model> {
  if (server !== undefined) {
    const { settings, agent } = await findServer(server, id, options);
    const { keyOf, prices, local, ...shared } = options;
    const price = prices?.[`${server}/${id}`];
    const model = { ...shared, server, id, settings, agent, key: keyOf(server, settings), price, loads: local?.loads };
    return createServerModel(model);
  }
  if (provider === 'scripted') return createScripted(id, options);
  return provider === 'ai' ? createAi(id, options) : createLive({ provider: provider as ProviderName, id }, options);
}

async function findServer(server: string, id: string, options: Shared): Promise<OpenedLocal> {
  const { servers = {}, env = process.env, local: access } = options;
  if (Object.hasOwn(servers, server)) return { settings: servers[server]! };
  return openLocal({ family: server as ServerFamily, id }, { env, access });
}

/** What a provider of the AI SDK accepts is unknown. It ignores what its model does not support. */
const AI_ASSUMED = { accepted: { efforts: UP_TO_MAX, maxTemperature: 2 } };

async function createAi(id: string, options: ModelsOptions): Promise<Model> {
  const { aiSdk, prices, onNotice } = options;
  const target = toAiModelName(id)!;
  if (!aiSdk) {
    throw new KlausError(
      'model.unknown',
      `ai/${id} is not available here: providers of the AI SDK are not configured.`,
    );
  }
  const name = `ai/${id}`;
  const provider = PROVIDER_NAMES.find((each) => each === target.provider);
  // The community package of OpenRouter has another name.
  const routed = target.provider === '@openrouter/ai-sdk-provider' ? target.id : id;
  const entry = provider ? findEntry(provider, target.id) : findEntry('openrouter', routed);
  const info = toModelInfo(entry, { price: prices?.[name], assumed: AI_ASSUMED });
  const { loadAiModel } = await import('./ai-sdk/load-ai-model.ts');
  return loadAiModel({ name, target, info, aiSdk, onNotice });
}

function createLive({ provider, id }: { provider: ProviderName; id: string }, options: Shared): Model {
  const name = `${provider}/${id}`;
  const entry = findEntry(provider, id);
  warnOfEnd(name, entry, options);
  const { keys, baseUrls, prices, env, caFile, adaptations, onNotice } = options;
  const baseUrl = baseUrls?.[provider] || PROVIDERS[provider].baseUrl;
  const info = toModelInfo(entry, { price: prices?.[name], assumed: PROVIDERS[provider].assume({ baseUrl, id }) });
  const findAgent = createAgentFinder({ env, caFile });
  return PROVIDERS[provider].createModel({
    ...{ name, id, info, entry, keys, baseUrl, findAgent, adaptations, onNotice },
  });
}

async function createScripted(id: string, options: ModelsOptions): Promise<Model> {
  if (!options.scripted) {
    throw new KlausError('model.unknown', `scripted/${id} is not available here: no scripts are configured.`);
  }
  const server = await options.scripted(id);
  const name = `scripted/${id}`;
  const info: ModelInfo = {
    contextWindow: server.contextWindow ?? 200_000,
    maxOutputTokens: server.maxOutputTokens ?? 32_000,
    images: true,
    prices: [{ above: 0, price: options.prices?.[name] ?? server.price ?? FREE }],
    efforts: UP_TO_MAX,
    // As the real APIs do, Messages with thinking and Responses refuse a temperature.
    ...(server.wire === 'openai' && { maxTemperature: 2 }),
    hidesReasoning: server.wire === 'responses',
  };
  // Its address differs from start to start.
  const model = { name, id, info, apiKey: 'none', baseUrl: `${server.url}/v1`, answeredBy: name };
  if (server.wire === 'responses')
    return createResponsesModel({ ...model, ...findDialect({ ...model, wire: 'responses' }) });
  if (server.wire === 'openai')
    return createOpenaiModel({ ...model, ...findDialect({ ...model, family: 'openrouter' }) });
  return createAnthropicModel({ ...model, baseUrl: server.url, dialect: { cacheMark: true, adaptiveThinking: true } });
}

/** Milliseconds before the retirement of an id at which a notice is shown. */
const NOTICE = 60 * 86_400_000;

function warnOfEnd(name: string, entry: CatalogEntry | undefined, options: ModelsOptions): void {
  if (!entry?.until) return;
  const left = Date.parse(entry.until) - (options.now ?? Date.now)();
  if (left > NOTICE) return;
  const verb = left < 0 ? 'ended' : 'ends';
  options.onNotice?.(`${name} ${verb} on ${entry.until}: choose a tier (opus, sonnet, haiku) or a current id instead.`);
}
