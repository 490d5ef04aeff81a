import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { createModelServer, parseScript } from '@klaus/adapters/models';
import { onTestFinished } from 'vitest';
import type { Target } from './target.ts';

const SCRIPT = `
steps:
  - when: { user: '^Read the key', tools: true }
    reply: { calls: [{ name: read_value, input: { key: color } }] }
  - when: { user: '^Count' }
    reply: { text: { repeat: 'one, ', times: 12 } }
    chunk: 10
    pace: 1
  - when: { user: '^Write' }
    reply: { text: { repeat: 'a river, ', times: 12 }, stop: max_tokens, usage: { output: 16 } }
    chunk: 10
    pace: 1
  - when: { user: '^Repeat' }
    reply: { text: 'Grüße aus Köln, 日本語, 🙂' }
    chunk: 3
fallback: { text: OK }
`;

/** Tokens of the window of the server. */
export const WINDOW = 6_000;

export type Change = (body: Record<string, unknown>, response: ServerResponse) => boolean;

export const refuse = (response: ServerResponse, status: number, message: string): true => {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify({ error: { message } }));
  return true;
};
export const promptOf = (body: Record<string, unknown>): string => JSON.stringify(body['messages'] ?? body['input']);

const correct: Change = (body, response) => {
  const tokens = Math.ceil(promptOf(body).length / 5);
  if (body['model'] !== 'any') return refuse(response, 404, `model "${String(body['model'])}" not found`);
  if (/"image/.test(promptOf(body))) return refuse(response, 400, 'image input is not supported');
  if (promptOf(body) === '[]') return refuse(response, 400, 'messages must not be empty');
  if (tokens <= WINDOW) return false;
  return refuse(response, 400, `the request exceeds the available context size (${WINDOW} tokens)`);
};

export interface ServerFaults {
  change?: Change;
  /** The complete answer is sent at its end. */
  isBuffered?: boolean;
  /** Replaces a part of the answer. */
  edit?: (answer: string) => string;
}

/** A server that checks keys, models and lengths as the services do. It ends with the test. */
export async function startStrictServer({
  change = () => false,
  isBuffered = false,
  edit = (answer) => answer,
}: ServerFaults = {}): Promise<Target> {
  const model = await createModelServer({ script: await parseScript(SCRIPT, 'live.yaml') });
  onTestFinished(() => model.close());
  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = await text(request);
    if (request.method === 'POST') {
      const json = JSON.parse(body) as Record<string, unknown>;
      if (request.headers.authorization !== 'Bearer right' && request.headers['x-api-key'] !== 'right')
        return void refuse(response, 401, 'Incorrect API key provided');
      if (change(json, response) || correct(json, response)) return;
    }
    const cancel = new AbortController();
    response.once('close', () => cancel.abort());
    const headers = { 'content-type': 'application/json' };
    const init = request.method === 'POST' ? { method: 'POST', headers, body } : {};
    const answer = await fetch(model.url + request.url, { ...init, signal: cancel.signal });
    response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? '' });
    if (isBuffered) return void response.end(edit(await answer.text()));
    for await (const chunk of answer.body?.pipeThrough(new TextDecoderStream()) ?? []) response.write(edit(chunk));
    response.end();
  };
  const server = createServer((request, response) => void serve(request, response).catch(() => response.destroy()));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
  return { baseUrl, model: 'any', key: 'right', maxOutputTokens: 64, maxWindow: 10_000, timeoutMs: 60_000 };
}
