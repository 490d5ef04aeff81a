import type { Model, ModelInfo, Models, Price } from '@klaus/core/agent';
import { KlausError } from '@klaus/core/protocol';
import { createAnthropicModel } from './anthropic/anthropic-model.ts';
import { findEntry, toModelInfo } from './catalog/catalog.ts';
import type { CatalogEntry } from './catalog/snapshot.ts';
import { DEFAULT_TIERS, type NameRules, type Provider, resolveName, type Target, type Tier } from './names.ts';
import { createOpenaiModel, OPENAI_URL, OPENROUTER_URL } from './openai/openai-model.ts';
import { createResponsesModel } from './openai/responses-model.ts';

export interface ModelKeys {
  anthropicApiKey?: string;
  /** Used when there is no `anthropicApiKey`. */
  anthropicAuthToken?: string;
  openaiApiKey?: string;
  openrouterApiKey?: string;
}

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
  /** Default: the providers' own. Anthropic's stands without `/v1`, the others with it. */
  baseUrls?: { anthropic?: string; openai?: string; openrouter?: string };
  /** Above {@link DEFAULT_TIERS}. */
  tiers?: { readonly [P in Provider]?: Partial<Record<Tier, string>> };
  /** Configured prices by full name; they stand above the catalog's. */
  prices?: Readonly<Record<string, Price>>;
  /** Full names that may be used, `*` at the end for anything that begins so. Default: all. */
  allow?: readonly string[];
  /** Starts or finds the server that plays a script. Default: `scripted/…` is refused. */
  scripted?: (name: string) => Promise<ScriptedServer>;
  onNotice?: (text: string) => void;
  /** Unix milliseconds, for ids that end on a date. Default: the machine's clock. */
  now?: () => number;
}

const FREE: Price = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };

/**
 * All models that these keys reach. A name always gives the same Model, so that what it has converted of a
 * session's history is kept.
 */
export function createModels(options: ModelsOptions): Models {
  const rules = toRules(options);
  const models = new Map<string, Model>();

  async function resolve(name: string): Promise<Model> {
    const target = resolveName(name, rules);
    const full = `${target.provider}/${target.id}`;
    const known = models.get(full);
    if (known) return known;
    if (!isAllowed(full, options.allow)) {
      throw new KlausError('config', `The configuration does not allow the model ${full}.`, {
        hint: `Choose one of ${options.allow!.join(', ')}.`,
      });
    }
    const model =
      target.provider === 'scripted'
        ? await createScripted(target.id, options)
        : createLive(target as Target & { provider: Provider }, options);
    models.set(full, model);
    if (target.notice) options.onNotice?.(target.notice);
    return model;
  }

  return {
    resolve,
    async cheap(model) {
      const provider = model.name.slice(0, model.name.indexOf('/'));
      // A script plays every part itself.
      if (provider === 'scripted' || !(provider in rules.tiers)) return model;
      const full = `${provider}/${rules.tiers[provider as Provider].haiku}`;
      return isAllowed(full, options.allow) ? resolve(full) : model;
    },
  };
}

function toRules({ keys, baseUrls, tiers }: ModelsOptions): NameRules {
  return {
    keys: {
      anthropic: Boolean(keys.anthropicApiKey ?? keys.anthropicAuthToken),
      openai: Boolean(keys.openaiApiKey),
      openrouter: Boolean(keys.openrouterApiKey),
    },
    openaiServer: Boolean(baseUrls?.openai),
    tiers: {
      anthropic: { ...DEFAULT_TIERS.anthropic, ...tiers?.anthropic },
      openai: { ...DEFAULT_TIERS.openai, ...tiers?.openai },
      openrouter: { ...DEFAULT_TIERS.openrouter, ...tiers?.openrouter },
    },
  };
}

function isAllowed(full: string, allow: readonly string[] | undefined): boolean {
  if (!allow) return true;
  return allow.some((entry) => (entry.endsWith('*') ? full.startsWith(entry.slice(0, -1)) : full === entry));
}

function createLive({ provider, id }: { provider: Provider; id: string }, options: ModelsOptions): Model {
  const name = `${provider}/${id}`;
  const entry = findEntry(provider, id);
  warnOfEnd(name, entry, options);
  const info = toModelInfo(entry, options.prices?.[name]);
  return provider === 'anthropic'
    ? createAnthropic({ name, id, info, entry }, options)
    : createOpenai({ name, id, info, entry, provider }, options);
}

interface Chosen {
  name: string;
  id: string;
  info: ModelInfo;
  entry: CatalogEntry | undefined;
}

function createAnthropic({ name, id, info, entry }: Chosen, { keys, baseUrls }: ModelsOptions): Model {
  return createAnthropicModel({
    name,
    id,
    info,
    ...(keys.anthropicApiKey
      ? { apiKey: keys.anthropicApiKey }
      : keys.anthropicAuthToken && { authToken: keys.anthropicAuthToken }),
    ...(baseUrls?.anthropic && { baseUrl: baseUrls.anthropic }),
    ...(entry?.adaptiveThinking && { adaptiveThinking: true }),
  });
}

function createOpenai(chosen: Chosen & { provider: 'openai' | 'openrouter' }, options: ModelsOptions): Model {
  const { name, id, info, entry, provider } = chosen;
  const { keys, baseUrls } = options;
  if (provider === 'openrouter') {
    return createOpenaiModel({
      name,
      id,
      info,
      apiKey: keys.openrouterApiKey!,
      baseUrl: baseUrls?.openrouter || OPENROUTER_URL,
      dialect: 'openrouter',
    });
  }
  const baseUrl = baseUrls?.openai || OPENAI_URL;
  const isOpenai = /^https:\/\/(?:[a-z]+\.)?api\.openai\.com(?:[:/]|$)/.test(baseUrl);
  // A server of one's own wants none, and gets a word that says so.
  const apiKey = keys.openaiApiKey || 'none';
  // Compatible servers seldom have Responses.
  if (isOpenai && entry?.responses) return createResponsesModel({ name, id, info, apiKey, baseUrl, isOpenai });
  return createOpenaiModel({ name, id, info, apiKey, baseUrl, dialect: isOpenai ? 'openai' : 'compatible' });
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
  };
  if (server.wire === 'responses') {
    return createResponsesModel({ name, id, info, apiKey: 'none', baseUrl: `${server.url}/v1`, isOpenai: false });
  }
  if (server.wire === 'openai') {
    return createOpenaiModel({ name, id, info, apiKey: 'none', baseUrl: `${server.url}/v1`, dialect: 'openrouter' });
  }
  return createAnthropicModel({ name, id, info, apiKey: 'none', baseUrl: server.url, adaptiveThinking: true });
}

/** Milliseconds of notice before a provider ends an id. */
const NOTICE = 60 * 86_400_000;

function warnOfEnd(name: string, entry: CatalogEntry | undefined, options: ModelsOptions): void {
  if (!entry?.until) return;
  const left = Date.parse(entry.until) - (options.now ?? Date.now)();
  if (left > NOTICE) return;
  const verb = left < 0 ? 'ended' : 'ends';
  options.onNotice?.(`${name} ${verb} on ${entry.until}: choose a tier (opus, sonnet, haiku) or a current id instead.`);
}
