import {
  createServer,
  type IncomingMessage,
  type OutgoingHttpHeaders,
  type Server,
  type ServerResponse,
} from 'node:http';
import { NO_CHARGE, worstCase, type ModelInfo, type ProgramRequest, type Reservation } from '@klaus/core/agent';
import { isRecord } from '@klaus/core/protocol';
import { PROVIDER_NAMES, PROVIDER_TABLE, type ProviderName } from '@klaus/core/provider-table';
import { findEntry, toModelInfo } from '../catalog/catalog.ts';
import { isAllowed, type ModelsOptions } from '../models.ts';
import { PROVIDERS } from '../providers.ts';
import { findDialect } from '../dialect/find-dialect.ts';
import { createAgentFinder, type FindAgent } from '../wire/connection.ts';
import { toKeyHeader } from '../wire/key-source.ts';
import type { SentRequest } from '../wire/usage-check.ts';
import { readAnswer, type ReadAnswer } from './read-answer.ts';
import {
  FREE_WIRES,
  PROXY_WIRES,
  type Json,
  type ProxyExchange,
  type ProxyRequest,
  type ProxyWire,
} from './proxy-wire.ts';
import { RequestRedactor } from './redact-request.ts';
import type { NetworkUse } from './request-shape.ts';

/** What the proxy needs of the session whose program it serves. */
export interface ProxyHost {
  reserve(request: ProgramRequest, shown: ProxyRequest): Promise<ProxyReservation | { refused: string }>;
  openRedactor(): Promise<(text: string) => string>;
  /**
   * Decides about a request with which the provider would use the network for the program.
   *
   * @returns Why it must not be sent, as a sentence.
   */
  admit(uses: readonly NetworkUse[]): string | undefined;
  /** Called when a limit did not allow a request. */
  onRefused(reason: string): void;
}

/** As `Reservation`, with the exchange as the proxy sees it. Absent: the request failed. */
export interface ProxyReservation extends Pick<Reservation, 'maxOutputTokens'> {
  settle(end: Parameters<Reservation['settle']>[0], exchange?: ProxyExchange): Promise<void>;
}

export type ProxyOptions = Pick<ModelsOptions, 'keys' | 'baseUrls' | 'prices' | 'allow' | 'caFile' | 'env'> & {
  host: ProxyHost;
};

const MAX_BODY = 64 * 1_024 * 1_024;
/** Minimum UTF-8 bytes of a token. */
const BYTES_PER_TOKEN = 3;
/** The lists of models, which cost nothing, by the end of their path. */
const MODELS = /^\/models(?:\/[^/]+)?$/;
/** Headers that belong to one connection, that this proxy sets, or that give a request another meaning. */
const DROPPED = new Set(
  'host connection keep-alive proxy-authorization te trailer transfer-encoding upgrade content-length content-type content-encoding expect accept-encoding authorization x-api-key cookie x-http-method x-http-method-override x-method-override x-original-url x-rewrite-url'.split(
    ' ',
  ),
);

/** Where a provider is below the address of the proxy: its base URL for programs. */
export function toProxyPath(provider: ProviderName): string {
  return provider === 'anthropic' ? '/anthropic' : `/${provider}/v1`;
}

/**
 * A server that passes requests of a program on to providers of models, with the keys that the program does not have.
 * It reserves the budget of each request before, removes secrets from it, and does not change its answer.
 */
export function createModelProxy(options: ProxyOptions): Server {
  const shared = { ...options, redactor: new RequestRedactor(), findAgent: createAgentFinder(options) };
  const server = createServer((request, response) => {
    serve(request, response, shared).catch((error: unknown) => {
      if (response.headersSent) return void response.destroy();
      refuse(response, toError(`The model proxy of Klaus failed: ${String(error)}`), 502);
    });
  });
  server.timeout = 0;
  server.requestTimeout = 0;
  server.on('upgrade', (_, socket) => socket.destroy());
  return server;
}

type Serving = ProxyOptions & { redactor: RequestRedactor; findAgent: FindAgent };

const toError = (message: string): Json => ({
  type: 'error',
  error: { type: 'invalid_request_error', message, code: 'klaus_refused' },
});

async function serve(request: IncomingMessage, response: ServerResponse, options: Serving): Promise<void> {
  const { method = 'GET', url = '/' } = request;
  const provider = PROVIDER_NAMES.find((name) => url.startsWith(`/${name}/`));
  const { pathname, search } = new URL(url, 'http://localhost');
  if (!provider) {
    if (method === 'HEAD' || pathname === '/') return void response.writeHead(200).end();
    return refuse(response, toError(`${pathname} belongs to no provider of models.`), 404);
  }
  const path = pathname.slice(provider.length + 1).replace(/^\/v1(?=\/)/, '');
  const wire = method === 'POST' ? PROXY_WIRES[path] : undefined;
  const known = wire ?? (method === 'POST' ? FREE_WIRES[path] : undefined);
  if (!known && !(method === 'GET' && MODELS.test(path))) {
    if (method === 'HEAD') return void response.writeHead(200).end();
    return refuse(response, toError(`Klaus passes on only requests to models, and not ${method} ${path}.`), 404);
  }
  const headers = toHeaders(request, provider, options);
  if (!headers) {
    const { title } = PROVIDER_TABLE[provider];
    const text = `Klaus has no key of ${title}. Store it with \`klaus login ${provider}\`.`;
    return refuse(response, (known?.toError ?? toError)(text), 401);
  }
  const target = { url: toUpstream(provider, options, path + search), method, headers, findAgent: options.findAgent };
  if (!known) return void (await send(target, undefined, { response }));
  const body = await readBody(request);
  if (!body) return refuse(response, known.toError('The body of this request is no JSON object.'), 400);
  const uses: NetworkUse[] = [];
  known.shape(body, '', uses);
  const refused = uses.length === 0 ? undefined : options.host.admit(uses);
  if (refused !== undefined) return refuse(response, known.toError(refused, 'permission_error'), 403);
  const clean = options.redactor.redact(body, await options.host.openRedactor());
  if (!wire) return void (await send(target, JSON.stringify(clean), { response }));
  await pay(target, { ...clean }, { wire, provider, response, options });
}

interface Target {
  url: URL;
  method: string;
  headers: OutgoingHttpHeaders;
  findAgent: FindAgent;
}

interface Paying {
  wire: ProxyWire;
  provider: ProviderName;
  response: ServerResponse;
  options: Serving;
}

/** Reserves the budget of a request, sends it, and records what its answer used. */
async function pay(target: Target, body: Json, { wire, provider, response, options }: Paying): Promise<void> {
  const { host, allow } = options;
  const model = `${provider}/${String(body['model'])}`;
  if (!isAllowed(model, allow))
    return refuse(response, wire.toError(`The configuration of Klaus does not allow the model ${model}.`), 400);
  const info = toInfo(provider, model, options);
  const wanted = Math.min(wire.maxOutputOf(body) ?? info.maxOutputTokens, info.maxOutputTokens);
  wire.prepare?.(body);
  let text = JSON.stringify(body);
  const promptTokens = Math.ceil(Buffer.byteLength(text) / BYTES_PER_TOKEN);
  const hasTools = Array.isArray(body['tools']) && body['tools'].length > 0;
  const asked = { model, info, promptTokens, maxOutputTokens: wanted, body: text };
  const reserved = await host.reserve(asked, { hasTools, prompts: wire.promptsOf(body) });
  if ('refused' in reserved) {
    host.onRefused(reserved.refused);
    return refuse(response, wire.toError(`${reserved.refused} Klaus did not send this request.`), 400);
  }
  if (reserved.maxOutputTokens < wanted) {
    wire.limitOutput(body, reserved.maxOutputTokens);
    text = JSON.stringify(body);
  }
  const worst = { input: promptTokens, output: reserved.maxOutputTokens, cacheRead: 0, cacheWrite: 0 };
  const kept = { tokens: worst.input + worst.output, usd: worstCase(info, worst.input, worst.output) };
  let answer: ReadAnswer | undefined;
  try {
    answer = await send(target, text, {
      response,
      read: { wire, sent: toSent(text, reserved.maxOutputTokens), info, reserved: kept, worst },
    });
  } catch (error) {
    // No byte of the answer has arrived.
    await reserved.settle({ outcome: 'connection', message: String(error), ...NO_CHARGE });
    throw error;
  }
  if (!answer) return;
  const { parts, ...end } = answer;
  await reserved.settle(end, end.outcome === 'ok' ? { hasTools, results: wire.resultsOf(body), parts } : undefined);
}

/** Long Base64 is images. The provider may add to the prompt what Klaus does not see. */
function toSent(text: string, maxOutputTokens: number): SentRequest {
  const images = text.match(/[A-Za-z0-9+/]{4000,}={0,2}/g) ?? [];
  const imageBytes = images.reduce((sum, { length }) => sum + length, 0);
  return { textBytes: text.length - imageBytes, images: images.length, maxOutputTokens, isExtended: true };
}

function toInfo(provider: ProviderName, model: string, { prices, baseUrls }: Serving): ModelInfo {
  const id = model.slice(provider.length + 1);
  const baseUrl = baseUrls?.[provider] || PROVIDERS[provider].baseUrl;
  const assumed = PROVIDERS[provider].assume({ baseUrl, id });
  return toModelInfo(findEntry(provider, id), { price: prices?.[model], assumed });
}

/** The address of a path below the version of the API. The query of the base URL is kept. */
function toUpstream(provider: ProviderName, { baseUrls }: Serving, path: string): URL {
  const base = new URL(baseUrls?.[provider] || PROVIDERS[provider].baseUrl);
  const version = provider === 'anthropic' ? '/v1' : '';
  const url = new URL(base.origin + base.pathname.replace(/\/+$/, '') + version + path);
  for (const [name, value] of base.searchParams) url.searchParams.set(name, value);
  return url;
}

/** Undefined without a key. */
function toHeaders(
  { headers }: IncomingMessage,
  provider: ProviderName,
  { keys, baseUrls }: Serving,
): OutgoingHttpHeaders | undefined {
  const kept = Object.fromEntries(Object.entries(headers).filter(([name]) => !DROPPED.has(name)));
  const common = { ...kept, 'accept-encoding': 'identity' };
  if (provider === 'anthropic' && keys.anthropic) return { ...common, 'x-api-key': keys.anthropic };
  const token = provider === 'anthropic' ? keys.anthropicToken : keys[provider];
  const at = baseUrls?.[provider] || PROVIDERS[provider].baseUrl;
  if (token) return { ...common, ...toKeyHeader(token, findDialect({ baseUrl: at, id: '' }).server?.keyHeader) };
  return PROVIDERS[provider].keyless && baseUrls?.[provider] ? common : undefined;
}

/** Sends a request and passes the answer on as it arrives. With `read`, it is also read. */
function send(
  { url, method, headers, findAgent }: Target,
  body: string | undefined,
  { response, read }: { response: ServerResponse; read?: Parameters<typeof readAnswer>[1] },
): Promise<ReadAnswer | undefined> {
  const { request } = process.getBuiltinModule(url.protocol === 'https:' ? 'node:https' : 'node:http');
  return new Promise((resolve, reject) => {
    // The body is written again, so that the provider reads what this proxy has read.
    const own =
      body === undefined ? {} : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
    const sent = request(url, { method, headers: { ...headers, ...own }, agent: findAgent(url) });
    // The program may leave before the answer is complete.
    response.on('close', () => void (response.writableFinished || sent.destroy(new Error('the program has left'))));
    sent.on('error', reject);
    sent.on('response', (answer) => {
      // From here on, the answer ends with the error.
      sent.off('error', reject).on('error', () => {});
      const { connection: _, 'keep-alive': __, 'transfer-encoding': ___, ...kept } = answer.headers;
      response.writeHead(answer.statusCode ?? 502, kept);
      const isRead = read ? readAnswer(answer, read) : undefined;
      answer.pipe(response);
      if (isRead) isRead.then(resolve, reject);
      else answer.on('error', reject).on('end', () => resolve(undefined));
    });
    sent.end(body);
  });
}

function refuse(response: ServerResponse, error: Json, status: number): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(error));
}

async function readBody(request: IncomingMessage): Promise<Json | undefined> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > MAX_BODY) return undefined;
    chunks.push(chunk);
  }
  try {
    const body: unknown = JSON.parse(Buffer.concat(chunks).toString('utf8'));
    return isRecord(body) ? body : undefined;
  } catch {
    return undefined;
  }
}
