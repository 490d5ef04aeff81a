import { once } from 'node:events';
import { globalAgent } from 'node:http';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import type { ModelEvent } from '@klaus/core/agent';
import { ConnectionLost, ProviderError } from '../failure/errors.ts';
import type { AnswerReader } from './answer-feed.ts';
import { streamAnswer } from './stream-answer.ts';

/** A server that answers the first bytes of each request with the next text, then ends the connection or leaves it open. */
async function serve(answers: string[], { end }: { end: boolean }): Promise<{ url: string; sockets: Socket[] }> {
  const sockets: Socket[] = [];
  const server = createServer((socket) => {
    sockets.push(socket);
    socket.on('error', () => {});
    socket.on('data', () => {
      const answer = answers.shift() ?? '';
      if (end) socket.end(answer);
      else socket.write(answer);
    });
    onTestFinished(() => void socket.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, sockets };
}

/** An answer ends with the event `"end"`; every other event is a piece of text. */
function createReader(): AnswerReader {
  let isComplete = false;
  return {
    get isComplete() {
      return isComplete;
    },
    *take(event) {
      if (event === 'end') isComplete = true;
      else yield { type: 'text', text: String(event) };
    },
    finish: () => ({ type: 'failed', failure: { code: 'abandoned', message: 'the end' } }),
  };
}

async function collect(url: string, signal = new AbortController().signal): Promise<ModelEvent[]> {
  const events: ModelEvent[] = [];
  for await (const event of streamAnswer(url, { headers: {}, body: [Buffer.from('{}')], signal }, createReader()))
    events.push(event);
  return events;
}

const head = (first: string, more = '') => `HTTP/1.1 ${first}\r\n${more}\r\n`;
const stream = (body: string, length = Buffer.byteLength(body)) =>
  head('200 OK', `content-type: text/event-stream\r\ncontent-length: ${length}\r\n`) + body;
const texts = (events: ModelEvent[]) => events.flatMap((event) => (event.type === 'text' ? [event.text] : []));

test('pieces that come together are one event; comments and a missing last line do no harm', async () => {
  const { url } = await serve([stream(': hello\n\ndata: "a"\n\ndata: "ü"\n\n: keep-alive\n\ndata: "c"')], {
    end: false,
  });
  const events = await collect(url);
  expect(texts(events).join('')).toBe('aüc');
  expect(texts(events)[0]).toBe('aü');
  expect(events.at(-1)).toMatchObject({ type: 'failed' });
});

test.each([
  ['of a known length', stream('data: "a"\n\ndata: "end"\n\n')],
  [
    'in chunks',
    `${head('200 OK', 'content-type: text/event-stream\r\ntransfer-encoding: chunked\r\n')}16\r\ndata: "a"\n\ndata: "end"\n\n\r\n0\r\n\r\n`,
  ],
])('a cancel while a complete answer %s is read leaves no error without a listener', async (_, answer) => {
  const { url } = await serve([answer], { end: false });
  const errors: unknown[] = [];
  const onError = (error: unknown): void => void errors.push(error);
  process.on('uncaughtException', onError);
  onTestFinished(() => void process.off('uncaughtException', onError));
  const cancel = new AbortController();
  const options = { headers: {}, body: [Buffer.from('{}')], signal: cancel.signal };
  const answers = streamAnswer(url, options, createReader());
  expect(await answers.next()).toMatchObject({ value: { type: 'text', text: 'a' } });
  const [socket] = Object.values(globalAgent.sockets).flatMap((sockets) => sockets ?? []);
  cancel.abort();
  await Array.fromAsync(answers).catch((error: unknown) => expect(error).toBeInstanceOf(ConnectionLost));
  if (socket && !socket.closed) await once(socket, 'close');
  expect(errors).toEqual([]);
});

test('a switch to another protocol is an error, not a wait without an end', async () => {
  const { url } = await serve([head('101 Other', 'connection: upgrade\r\nupgrade: other\r\n')], { end: false });
  await expect(collect(url)).rejects.toBeInstanceOf(ConnectionLost);
});

test('a status that is no success is what the provider says', async () => {
  for (const status of [301, 404, 500]) {
    const { url } = await serve([head(`${status} No`, 'content-length: 13\r\n') + '{"error":"no"}'.slice(0, 13)], {
      end: true,
    });
    const error = await collect(url).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(ProviderError);
    expect(error).toMatchObject({ status, body: '{"error":"no"' });
  }
});

test('a cut body is a lost connection, and so is an abort to who reads', async () => {
  const cut = await serve([stream('data: "a"\n\n', 99)], { end: true });
  await expect(collect(cut.url)).rejects.toThrow(ConnectionLost);

  const { url } = await serve([stream('data: "a"\n\n', 99)], { end: false });
  const controller = new AbortController();
  const options = { headers: {}, body: [Buffer.from('{}')], signal: controller.signal };
  const events = streamAnswer(url, options, createReader());
  expect((await events.next()).value).toEqual({ type: 'text', text: 'a' });
  const rest = events.next();
  controller.abort();
  await expect(rest).rejects.toThrow(ConnectionLost);
});

test('the status of an error counts although its body is cut', async () => {
  const { url } = await serve([head('401 No', 'content-length: 99\r\n') + '{"error":"no"}'], { end: true });
  await expect(collect(url)).rejects.toMatchObject({ status: 401, body: { error: 'no' } });
});

test('an error of the connection behind the end mark is none', async () => {
  const { url } = await serve([stream('data: "a"\n\ndata: [DONE]\n\n', 99)], { end: true });
  expect(texts(await collect(url)).join('')).toBe('a[DONE]');
});

test('what follows the end mark is read, but a connection that stays open is no answer without an end', async () => {
  const { url, sockets } = await serve([stream('data: [DONE]\n\ndata: "usage"\n\n', 99)], { end: false });
  expect(texts(await collect(url)).join('')).toBe('[DONE]usage');
  expect(sockets).toHaveLength(1);
});

test('the connection is used again although nothing was read after the end', async () => {
  const answer = stream('data: "a"\n\ndata: "end"\n\n: goodbye\n\n');
  const { url, sockets } = await serve([answer, answer], { end: false });
  await Promise.all([once(globalAgent, 'free'), collect(url)]);
  await collect(url);
  expect(sockets).toHaveLength(1);
});
