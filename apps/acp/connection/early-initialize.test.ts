import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { answerInitialize } from './early-initialize.ts';

const REQUEST = '{"jsonrpc":"2.0","id":"first","method":"initialize","params":{"protocolVersion":7}}\n';
const NEXT = '{"jsonrpc":"2.0","id":2,"method":"session/list","params":{}}\n';

async function connect(chunks: readonly string[]) {
  const [stdin, stdout] = [new PassThrough(), new PassThrough()];
  let sent = '';
  stdout.setEncoding('utf8').on('data', (text: string) => void (sent += text));
  const answered = answerInitialize({ stdin, stdout, isRemote: false, protocolVersion: 1 });
  for (const chunk of chunks) stdin.write(chunk);
  stdin.end();
  const { input, output } = await answered;
  const bytes: Uint8Array[] = [];
  for await (const part of input) bytes.push(part);
  return { sent: () => sent, received: Buffer.concat(bytes).toString('utf8'), writer: output.getWriter() };
}

const encode = (message: object): Uint8Array => new TextEncoder().encode(`${JSON.stringify(message)}\n`);

test.each([
  ['in one piece with the next request', [REQUEST + NEXT]],
  ['in single characters', (REQUEST + NEXT).split('')],
  ['with a carriage return', [REQUEST.replace('\n', '\r\n') + NEXT]],
])('the request is answered and kept: %s', async (_, chunks) => {
  const { sent, received } = await connect(chunks);
  expect(JSON.parse(sent())).toMatchObject({ id: 'first', result: { protocolVersion: 1 } });
  expect(received.replace('\r', '')).toBe(REQUEST + NEXT);
});

test('the second answer to it is left out, and nothing else', async () => {
  const { sent, writer } = await connect([REQUEST]);
  const before = sent().length;
  await writer.write(encode({ jsonrpc: '2.0', method: 'session/update', params: {} }));
  await writer.write(encode({ jsonrpc: '2.0', id: 'first', result: {} }));
  await writer.write(encode({ jsonrpc: '2.0', id: 'first', result: { again: true } }));
  expect(
    sent()
      .slice(before)
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line)),
  ).toEqual([
    { jsonrpc: '2.0', method: 'session/update', params: {} },
    { jsonrpc: '2.0', id: 'first', result: { again: true } },
  ]);
});

test.each([
  '',
  'not json\n',
  NEXT,
  '{"jsonrpc":"2.0","id":null,"method":"initialize","params":{"protocolVersion":1}}\n',
])('anything else is left to the SDK: %j', async (text) => {
  const { sent, received } = await connect([text]);
  expect(sent()).toBe('');
  expect(received).toBe(text);
});
