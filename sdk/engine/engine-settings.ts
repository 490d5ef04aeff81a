import { availableParallelism, totalmem } from 'node:os';
import { join } from 'node:path';
import { toPrice, type ModelsOptions } from '@klaus/adapters/models';
import type { EngineSettings, ExecLimits } from '@klaus/core/agent';
import { KlausError, type SettingValues } from '@klaus/core/protocol';
import type { Configuration } from '../config/configuration.ts';
import type { KlausOptions } from '../klaus-options.ts';
import { createLocalAccess } from '../models/local-servers.ts';

/** An approval expires after a week without an answer. */
const APPROVAL_TTL_MS = 7 * 86_400_000;

export function toEngineSettings(
  configuration: Configuration,
  { endProcesses = 'close' }: Partial<Pick<EngineSettings, 'endProcesses'>> = {},
): EngineSettings {
  const { values } = configuration;
  return {
    maxOutputTokens: values.maxOutputTokens,
    maxRetries: values.maxRetries,
    retry: toRetry(configuration),
    maxToolOutputContext: values.maxToolOutputContext,
    maxSearchResults: values.maxSearchResults,
    webSearch: toWebSearch(configuration),
    execLimits: toExecLimits(configuration),
    gitIdentity: { name: values.git.userName ?? 'Klaus', email: values.git.userEmail ?? 'klaus@localhost' },
    deploy: toDeployOptions(values),
    compactAt: values.compactAt,
    approvalTtlMs: APPROVAL_TTL_MS,
    secretPatterns: values.secrets.files,
    hiddenPatterns: [],
    endProcesses,
    keepsStates: values.cluster.workspaces === 'managed',
    reviews: toReviewSettings(configuration),
    hooks: values.hooks,
    ...(values.lsp.enabled ? { lsp: { timeoutMs: values.lsp.timeoutMs } } : {}),
    formatter: toFormatter(values),
    encodings: values.edit.encodings,
  };
}

/** A changed `retry.idleMs` is also the limit before the first token, as it was before that had a setting. */
function toRetry({ values: { retry }, sources }: Configuration): EngineSettings['retry'] {
  const isIdleSet = sources['retry.idleMs'].source !== 'default';
  return { ...retry, firstTokenMs: retry.firstTokenMs ?? (isIdleSet ? retry.idleMs : undefined) };
}

function toFormatter({ edit: { formatter: mode, formatterTimeoutMs: timeoutMs } }: SettingValues) {
  return mode === 'off' ? undefined : { mode, timeoutMs };
}

function toDeployOptions({ deploy, retry }: SettingValues): EngineSettings['deploy'] {
  const { netlifyUrl, vercelUrl, cloudfrontUrl, s3Url, netlifySite, awsRegion, terraform } = deploy;
  return {
    netlifyUrl,
    vercelUrl,
    cloudfrontUrl,
    retryMs: retry.baseMs,
    s3Url,
    netlifySite,
    awsRegion,
    terraform,
  };
}

/** @throws KlausError `config` if SearXNG has no address. */
function toWebSearch({ values: { web } }: Configuration): EngineSettings['webSearch'] {
  const { search: service, searxngUrl, braveUrl, tavilyUrl } = web;
  if (service === 'off') return undefined;
  if (service === 'provider') return { service };
  const url = { searxng: searxngUrl, brave: braveUrl, tavily: tavilyUrl }[service];
  if (url !== undefined) return { service, url };
  throw new KlausError('config', 'web.search is searxng, and web.searxngUrl is not set.', {
    hint: 'Set web.searxngUrl to the address of your SearXNG server.',
  });
}

function toReviewSettings({ values: { reviewers } }: Configuration): NonNullable<EngineSettings['reviews']> {
  const { use, tiers, timeoutMs } = reviewers;
  return { use, timeoutMs, tiers };
}

function toExecLimits({ values }: Configuration): ExecLimits {
  const { timeoutMs, memoryMb = halfOfMemory(), cpus = otherCores(), processes } = values.sandbox;
  return { timeoutMs, memoryMb, cpus, processes };
}

/** Half of the memory that this process may use, in MiB: that of the machine or of its container. */
function halfOfMemory(): number {
  const constrained = process.constrainedMemory();
  const bytes = constrained > 0 ? Math.min(constrained, totalmem()) : totalmem();
  return Math.max(256, Math.floor(bytes / 2 / 1024 / 1024));
}

/** All cores except one, which is left to the user; at least one. */
function otherCores(): number {
  return Math.max(1, availableParallelism() - 1);
}

export function toSandboxOptions(configuration: Configuration) {
  const { sandbox, dockerEnabled } = configuration.values;
  return {
    limits: toExecLimits(configuration),
    variables: sandbox.env,
    shell: sandbox.shell,
    hostPaths: sandbox.hostPaths,
    image: sandbox.image,
    dockerEnabled,
    kubernetes: toKubernetesOptions(configuration),
  };
}

export function toKubernetesOptions({ values }: Configuration) {
  const {
    networkPolicies: enforcesPolicies,
    namespace,
    runtimeClass,
    seccompProfile,
    ...kubernetes
  } = values.sandbox.kubernetes;
  return { ...kubernetes, enforcesPolicies, namespace, runtimeClass, seccompProfile };
}

/** @param home State folder, with the packages of AI SDK providers. Default: models of these providers are rejected. */
export function toModelsOptions(
  { values }: Configuration,
  { home, aiProviders }: { home?: string; aiProviders?: KlausOptions['aiProviders'] } = {},
): Omit<ModelsOptions, 'scripted' | 'onNotice' | 'env' | 'onSecret'> {
  const { keys, baseUrls, tiers, prices, models, servers, network, aiSdk: settings } = values;
  const aiSdk = home === undefined ? undefined : { folder: join(home, 'ai-sdk'), settings, providers: aiProviders };
  const cache = home === undefined ? undefined : join(home, 'cache', 'dialects');
  const local = home === undefined ? undefined : createLocalAccess(home);
  return {
    ...{ keys, baseUrls, tiers, servers, aiSdk, cache, local },
    prices: prices && toPrices(prices),
    allow: models.allow,
    keepMs: models.keepLoadedMs,
    caFile: network.caFile,
  };
}

function toPrices(prices: NonNullable<SettingValues['prices']>): NonNullable<ModelsOptions['prices']> {
  return Object.fromEntries(Object.entries(prices).map(([name, price]) => [name, toPrice(price)]));
}
