import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { createRedactor } from '../policy/index.ts';
import type { EventBody, Message } from '../protocol/index.ts';
import { countBytes } from './context/count-bytes.ts';
import { cutOutput } from './calls/output.ts';
import { redactBody } from './redaction/redact-body.ts';
import { createRequestHasher } from './model/request-hash.ts';
import { toRetry, type FailedAttempt } from './model/retry.ts';
import { createRedactedBlob } from './redaction/redacted-blob.ts';
import { ABANDONED, withCancelGrace } from './loop/cancel-grace.ts';

const digest = (text: string) => createHash('sha256').update(text).digest('hex');
const KEY = ['AKIA', 'ABCDEFGHIJKLMNOP'].join('');

test('a long output keeps 60 % of its head, 30 % of its tail, and says what is missing', () => {
  const cut = cutOutput(`${'a'.repeat(700)}${'b'.repeat(600)}`, 1_000);
  expect(cut.startsWith('a'.repeat(600))).toBe(true);
  expect(cut.endsWith('b'.repeat(300))).toBe(true);
  expect(cut).toContain('400 characters left out');
  expect(cutOutput('short', 1_000)).toBe('short');
});

test.each(['', 'plain', 'é', '漢字', '😀 and text', 'x\u{10FFFF}'])(
  'the bytes of %j are counted as they are written',
  (text) => {
    expect(countBytes(text)).toBe(Buffer.byteLength(text));
  },
);

describe('retry', () => {
  const retry = { attempts: 5, baseMs: 100, maxMs: 1_000, waitMs: 0, idleMs: 1 };
  const delayOf = (failed: Partial<FailedAttempt>) =>
    toRetry({ attempt: 1, retry, random: 0, now: 0, ...failed })?.delay;

  test('backs off exponentially between half and whole, no further than the cap, and not for ever', () => {
    expect(delayOf({})).toBe(50);
    expect(delayOf({ attempt: 3, random: 1 })).toBe(400);
    expect(delayOf({ attempt: 9, random: 1, retry: { ...retry, attempts: 10 } })).toBe(1_000);
    expect(delayOf({ attempt: 5 })).toBeUndefined();
  });
  test("honours the provider's wish, but does not wait for ever", () => {
    expect(delayOf({ retryAfterMs: 7_000 })).toBe(7_000);
    expect(delayOf({ retryAfterMs: 3_600_000 })).toBeUndefined();
  });
  test('waits an outage out: any number of attempts, a last one at its end, and longer wishes within it', () => {
    const hour = 3_600_000;
    expect(toRetry({ attempt: 2_000, retry, random: 1, now: 7, waitUntil: hour })).toEqual({
      delay: 1_000,
      waitUntil: hour,
    });
    expect(delayOf({ attempt: 9, now: hour - 30, waitUntil: hour })).toBe(30);
    expect(delayOf({ attempt: 9, now: hour, waitUntil: hour })).toBeUndefined();
    expect(delayOf({ retryAfterMs: hour / 2, waitUntil: hour })).toBe(hour / 2);
    expect(delayOf({ retryAfterMs: 2 * hour, waitUntil: hour })).toBeUndefined();
  });
});

describe('a tool that is told to stop', () => {
  const never = new Promise<string>(() => {});
  const clock = { now: () => 0, every: () => () => {}, sleep: () => Promise.resolve() };

  test('is given up when it does not end', async () => {
    const controller = new AbortController();
    const ended = withCancelGrace(never, { stop: controller.signal, clock });
    controller.abort();
    expect(await ended).toBe(ABANDONED);
  });

  test('is waited for as long as nobody stops it, and while its grace lasts', async () => {
    const { promise, resolve } = Promise.withResolvers<string>();
    const controller = new AbortController();
    const patient = { ...clock, sleep: () => new Promise<void>(() => {}) };
    const ended = withCancelGrace(promise, { stop: controller.signal, clock: patient });
    controller.abort();
    resolve('in time');
    expect(await ended).toBe('in time');
    expect(await withCancelGrace(Promise.resolve('done'), { stop: new AbortController().signal, clock })).toBe('done');
  });
});

describe('request hash', () => {
  const ids = { digest, ulid: () => '', random: () => 0 };
  const message = (id: string, text: string): Message => ({
    id,
    role: 'user',
    origin: 'user',
    parts: [{ type: 'text', text }],
  });
  const request = (messages: Message[]) => ({ system: 's', tools: [], messages, maxOutputTokens: 1, session: 'x' });

  test('is the same for the same content, however the history came to be', () => {
    const a = message('1', 'one');
    const b = message('2', 'two');
    const grown = createRequestHasher(ids);
    const first = grown.hash(request([a]));
    const second = grown.hash(request([a, b]));
    expect(createRequestHasher(ids).hash(request([message('9', 'one'), message('8', 'two')]))).toBe(second);
    expect(first).not.toBe(second);
  });

  test('notices a history that was replaced', () => {
    const hasher = createRequestHasher(ids);
    hasher.hash(request([message('1', 'one'), message('2', 'two')]));
    const replaced = [message('3', 'summary'), message('4', 'two')];
    expect(hasher.hash(request(replaced))).toBe(createRequestHasher(ids).hash(request(replaced)));
  });
});

describe('redaction before append', () => {
  const redactor = createRedactor({ salt: 's', digest });
  const added = (parts: Message['parts']): EventBody => ({
    type: 'message.added',
    run: 'r',
    turn: 1,
    message: { id: 'm', role: 'assistant', origin: 'model', parts },
  });
  const partsOf = (body: EventBody) => (body.type === 'message.added' ? body.message.parts : []);

  test('reaches every string, marks altered calls and drops signed thinking whole', () => {
    const parts = partsOf(
      redactBody(
        added([
          { type: 'thinking', text: `the key ${KEY}`, signature: 'sig' },
          { type: 'text', text: KEY },
          { type: 'call', id: 'c', name: 'write_file', input: { edits: [{ new: KEY }] } },
        ]),
        redactor,
      ),
    );
    expect(JSON.stringify(parts)).not.toContain(KEY);
    expect(parts.map((part) => part.type)).toEqual(['text', 'call']);
    expect(parts[1]).toMatchObject({ redacted: true });
  });

  test('spares no key of what comes from outside, nor the keys themselves', () => {
    const input = { id: KEY, before: KEY, after: [{ hash: KEY }], [KEY]: 1 };
    const parts = partsOf(redactBody(added([{ type: 'call', id: 'c', name: 'other', input }]), redactor));
    expect(JSON.stringify(parts)).not.toContain(KEY);
    expect(parts[0]).toMatchObject({ id: 'c', redacted: true });
  });

  test.each([
    ['a private key behind many lines', `${'a line of text\n'.repeat(4_360)}-----BEGIN PRIVATE KEY-----\n`, 'Zm9vYmFy'],
    ['a secret in a line without an end', 'x.'.repeat(32_765), KEY],
  ])('finds %s, where chunks are as long as a pipe gives them', async (_, before, secret) => {
    const written: string[] = [];
    const writer = {
      write: (chunk: Uint8Array) => void written.push(new TextDecoder().decode(chunk)),
      finish: async () => ({ hash: 'h', size: 1 }),
      abort() {},
    };
    const after = secret === KEY ? ' and more' : `${`\n${secret}`.repeat(30)}\n-----END PRIVATE KEY-----\n`;
    const bytes = new TextEncoder().encode(before + secret + after);
    const blob = createRedactedBlob(writer, redactor);
    for (let at = 0; at < bytes.length; at += 65_536) blob.write(bytes.subarray(at, at + 65_536));
    await blob.finish();
    expect(written.join('')).toContain('[secret:');
    expect(written.join('')).not.toContain(secret);
  });

  test('leaves a clean event as it is, without a copy', () => {
    const body: EventBody = { type: 'notice', level: 'info', text: 'nothing to see here' };
    expect(redactBody(body, redactor)).toBe(body);
  });

  test('finds a value that was wrapped, wherever the chunks end', async () => {
    const value = 'Zq7-hunter2_K9!xW4vB';
    const own = createRedactor({ salt: 's', digest, values: [{ name: 'v', value }] });
    const bytes = new TextEncoder().encode(
      `${'a line of text\n'.repeat(1_000)}${value.split('').join('\n')}\nend\n`.repeat(4),
    );
    for (const size of [1_000, 8_192, 8_200, 65_536]) {
      const written: string[] = [];
      const writer = {
        write: (chunk: Uint8Array) => void written.push(new TextDecoder().decode(chunk)),
        finish: async () => ({ hash: 'h', size: 1 }),
        abort() {},
      };
      const blob = createRedactedBlob(writer, own);
      for (let at = 0; at < bytes.length; at += size) blob.write(bytes.subarray(at, at + size));
      await blob.finish();
      expect(written.join('')).not.toMatch(/h\nu\nn|n\nt\ne|W\n4/);
      expect(written.join('').match(/\[secret:v:/g)).toHaveLength(4);
    }
  });

  test('works on a stream, also when a secret or a letter is cut between chunks', async () => {
    const written: string[] = [];
    const writer = {
      write: (chunk: Uint8Array) => void written.push(new TextDecoder().decode(chunk)),
      finish: async () => ({ hash: 'h', size: 1 }),
      abort() {},
    };
    const blob = createRedactedBlob(writer, redactor);
    const bytes = new TextEncoder().encode(
      `line é\nkey ${KEY} end\n-----BEGIN RSA PRIVATE KEY-----\nabc\ndef\n-----END RSA PRIVATE KEY-----\nlast`,
    );
    for (let at = 0; at < bytes.length; at += 3) blob.write(bytes.subarray(at, at + 3));
    await blob.finish();
    const text = written.join('');
    expect(text).toMatch(/^line é\nkey \[secret:aws-access-key:\w{8}\] end\n\[secret:private-key:\w{8}\]\nlast$/);
  });
});
