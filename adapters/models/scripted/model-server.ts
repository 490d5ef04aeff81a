import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { isRecord, KlausError } from '@klaus/core/protocol';
import { countTokens, digest, sign, toAnswer } from './answer.ts';
import { toError as toAnthropicError } from './anthropic-wire.ts';
import { toConversation, type Conversation } from './conversation.ts';
import { deliverDocument, deliverStream, toFaultMessage, wait } from './delivery.ts';
import { describeRequest, findStep } from './match.ts';
import { PLAYED_WIRES, type PlayedWire } from './played-wire.ts';
import { createPromptCache } from './prompt-cache.ts';
import { createRecord, withoutSecrets, type RecordedRequest, type RequestRecord } from './recorded-request.ts';
import type { Fault, Script, Step } from './script.ts';
import { TemplateError } from './template.ts';
import { BadRequest, type ScriptedWire, stringOf, textOf } from './wire.ts';

export interface ModelServerOptions {
  script: Script;
  /** Default 0: any free one. */
  port?: number;
  /** A loopback address; default `127.0.0.1`. */
  host?: string;
  /** A file that every request is appended to as NDJSON. */
  record?: string;
  /** Requests kept in memory, the newest; default 10,000. */
  keep?: number;
}

export interface ModelServer {
  /** Such as `http://127.0.0.1:4000`: the base URL for Anthropic; OpenAI's APIs are below `/v1`. */
  readonly url: string;
  readonly port: number;
  readonly requests: readonly RecordedRequest[];
  /** Ends every connection. */
  close(): Promise<void>;
}

const DEFAULT_CHUNK = 40;

/**
 * Starts a server that plays a script to clients of Anthropic Messages, OpenAI chat-completions and OpenAI Responses.
 *
 * @throws KlausError `usage` when the host is not loopback, `config` when the port is taken.
 */
export async function createModelServer(options: ModelServerOptions): Promise<ModelServer> {
  const { script, port = 0, host = '127.0.0.1' } = options;
  if (!/^(?:127\.\d+\.\d+\.\d+|::1|localhost)$/.test(host)) {
    throw new KlausError('usage', `The scripted model server listens on loopback only, not on ${host}.`);
  }
  const record = createRecord(options.record, options.keep ?? 10_000);
  const play = createPlayer(script);
  const { createServer } = await import('node:http');
  const server = createServer((request, response) => {
    serve({ request, response, script, record, play }).catch((error: unknown) => {
      // A bug of this server: the client must see it, not wait.
      if (response.headersSent) response.destroy();
      else sendJson(response, 500, toAnthropicError(500, `scripted model server: ${String(error)}`));
    });
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error) => {
      const hint = 'Choose another port with --port; 0 takes a free one.';
      const message = `The scripted model server cannot listen: ${error.message}`;
      reject(new KlausError('config', message, { hint, cause: error }));
    });
    server.listen(port, host, resolve);
  });
  const address = server.address() as AddressInfo;
  return {
    url: `http://${host.includes(':') ? `[${host}]` : host}:${address.port}`,
    port: address.port,
    requests: record.requests,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

interface Exchange {
  request: IncomingMessage;
  response: ServerResponse;
  script: Script;
  record: RequestRecord;
  play: Play;
}

async function serve({ request, response, script, record, play }: Exchange): Promise<void> {
  const path = request.url ?? '/';
  const route = new URL(path, 'http://localhost').pathname;
  const method = request.method ?? 'GET';
  if (method === 'GET' && route === '/__health') return sendJson(response, 200, { ok: true, script: script.name });
  if (method === 'GET' && route === '/__requests') return sendJson(response, 200, record.requests);
  const body = await readBody(request);
  const entry = record.add({ at: Date.now(), method, path, headers: withoutSecrets(request.headers), body });
  const wire = WIRES[`${method} ${route}`];
  if (wire !== undefined && wire in PLAYED_WIRES) {
    return play(wire as ScriptedWire, entry, { response, save: record.save });
  }
  record.save(entry);
  switch (wire) {
    case 'root':
      response.writeHead(200).end();
      return;
    case 'models':
      return sendJson(response, 200, listModels(script));
    case 'count':
      return sendJson(response, 200, { input_tokens: countTokens([body]) });
    default:
      return sendJson(response, 404, toAnthropicError(404, `${method} ${path} is not played by this server.`));
  }
}

const WIRES: Readonly<Record<string, ScriptedWire | 'models' | 'count' | 'root'>> = {
  'HEAD /': 'root',
  'GET /': 'root',
  'POST /v1/messages': 'anthropic',
  'POST /v1/messages/count_tokens': 'count',
  'POST /v1/chat/completions': 'openai',
  'POST /chat/completions': 'openai',
  'POST /v1/responses': 'responses',
  'POST /responses': 'responses',
  'GET /v1/models': 'models',
  'GET /models': 'models',
};

type Play = (
  wire: ScriptedWire,
  entry: RecordedRequest,
  out: { response: ServerResponse; save: RequestRecord['save'] },
) => Promise<void>;

function createPlayer(script: Script): Play {
  const attempts = new Map<string, number>();
  const countCached = createPromptCache();

  /** The answer and its step, or the message that says why there is none. */
  function decide(wire: ScriptedWire, entry: RecordedRequest) {
    const conversation = toConversation(wire, entry.json);
    if (wire === 'anthropic') checkSignatures(entry.body);
    if (wire === 'responses') checkSealed(entry.json);
    const match = findStep(script, conversation);
    const found = 'step' in match ? match : undefined;
    const reply = found?.step.reply ?? script.fallback;
    if (!reply) throw new BadRequest(toNoMatch(script, conversation, 'misses' in match ? match.misses : []));
    entry.step = found ? found.index + 1 : 'fallback';
    const step: Pick<Step, 'delay' | 'pace' | 'chunk' | 'faults'> = found?.step ?? {};
    return { conversation, step, answer: toAnswer(reply, conversation, countCached(conversation)) };
  }

  return async (wire, entry, { response, save }) => {
    const { toFrames, toDocument, toError, toErrorFrame } = PLAYED_WIRES[wire];
    let decided: ReturnType<typeof decide>;
    try {
      decided = decide(wire, entry);
    } catch (error) {
      if (!(error instanceof BadRequest) && !(error instanceof TemplateError)) throw error;
      save(entry);
      return sendJson(response, 400, toError(400, error.message));
    }
    const { conversation, step, answer } = decided;
    const key = digest(`${entry.path}\n${entry.body}`);
    const attempt = attempts.get(key) ?? 0;
    attempts.set(key, attempt + 1);
    const fault = step.faults?.[attempt] ?? step.faults?.find((candidate) => candidate.always);
    entry.attempt = attempt;
    if (fault) entry.fault = fault.kind;
    save(entry);
    if (step.delay) await wait(step.delay, response);
    if (fault?.kind === 'status') return sendStatus(response, fault, toError);
    if (!conversation.stream) return deliverDocument(response, toDocument(answer), { fault, toError });
    const frames = toFrames(answer, step.chunk ?? DEFAULT_CHUNK, conversation);
    return deliverStream(response, { frames, toErrorFrame, step, fault });
  };
}

/** Rejects thinking that is not returned unchanged, like the real API. */
function checkSignatures(text: string): void {
  if (!text.includes('"signature"')) return;
  JSON.parse(text, (_key, value: unknown) => {
    if (typeof value !== 'object' || value === null || !('signature' in value) || !('thinking' in value)) return value;
    if (String(value.signature).startsWith('sig-') && value.signature !== sign(String(value.thinking))) {
      throw new BadRequest('messages: the signature of a thinking block does not fit its text.');
    }
    return value;
  });
}

/** Rejects encrypted reasoning of other origin, like the real API. */
function checkSealed(body: unknown): void {
  const { input } = body as { input: unknown };
  for (const item of Array.isArray(input) ? input.filter(isRecord) : []) {
    const content = stringOf(item['encrypted_content'], '');
    if (item['type'] === 'reasoning' && content.startsWith('sig-') && content !== sign(textOf(item['summary']))) {
      throw new BadRequest('input: the encrypted content of a reasoning item could not be verified.');
    }
  }
}

function toNoMatch(script: Script, conversation: Conversation, misses: readonly string[]): string {
  const name = script.name === undefined ? 'the script' : `the script ${script.name}`;
  return [`No step of ${name} fits this request: ${describeRequest(conversation)}.`, ...misses].join('\n');
}

function sendStatus(
  response: ServerResponse,
  fault: Extract<Fault, { kind: 'status' }>,
  toError: PlayedWire['toError'],
): void {
  if (fault.retryAfter !== undefined) {
    response.setHeader('retry-after', String(Math.ceil(fault.retryAfter)));
    if (!Number.isInteger(fault.retryAfter)) response.setHeader('retry-after-ms', String(fault.retryAfter * 1_000));
  }
  sendJson(response, fault.status, toError(fault.status, toFaultMessage(fault)));
}

function listModels(script: Script): unknown {
  const id = script.name ?? 'scripted';
  return { object: 'list', data: [{ id, object: 'model', type: 'model', display_name: id }], has_more: false };
}

function sendJson(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}
