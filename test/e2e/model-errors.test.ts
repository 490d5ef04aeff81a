// Covers adapters/models/wire, core/agent/model, core/agent/budget, core/agent/context: errors of model servers, and usage that is no usage.
import type { EventOf, Session } from '@klaus/sdk';
import { describe, expect, test } from 'vitest';
import { ofType } from '../fixtures/engine.ts';
import { startOwnServer, toAnswer, toEvents, toFrame, toUsage, WIRES, type Answer } from '../fixtures/model-answers.ts';

const nested = JSON.stringify({ error: { message: 'the words of the server' } });
const BODIES: [name: string, body: unknown][] = [
  ['an object', { error: { message: 'the words of the server', type: 'invalid_request_error' } }],
  ['an array', [{ error: { code: 400, message: 'the words of the server', status: 'INVALID_ARGUMENT' } }]],
  ['a list of details', { detail: [{ type: 'x', loc: ['body'], msg: 'the words of the server' }], code: 400 }],
  ['a text in an object', { error: 'the words of the server', code: 400 }],
  ['an error in an error', { error: { message: 'Provider returned error', code: 400, metadata: { raw: nested } } }],
];

const answerJson =
  (status: number, body: unknown): Answer =>
  (response) =>
    void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));

const DELIVERIES: [name: string, toFailing: (body: unknown) => Answer][] = [
  ['a status', (body) => answerJson(400, body)],
  ['a document of 200', (body) => answerJson(200, body)],
  [
    'a stream of 200',
    (body) => (response) => void response.writeHead(200, { 'content-type': 'text/event-stream' }).end(toFrame(body)),
  ],
  [
    'an event for errors',
    (body) => (response) =>
      void response.writeHead(200, { 'content-type': 'text/event-stream' }).end(`event: error\n${toFrame(body)}`),
  ],
  [
    'a field for errors',
    (body) => (response) =>
      void response
        .writeHead(200, { 'content-type': 'text/event-stream' })
        .end(`: progress\n\nerror: ${JSON.stringify(body)}\n\n`),
  ],
];

const NOTHING = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };

async function ask(session: Session, text: string): Promise<EventOf<'model.attempted'>[]> {
  const from = (await Array.fromAsync(session.events())).length;
  await session.prompt(text);
  await session.advance();
  const events = (await Array.fromAsync(session.events())).slice(from);
  return ofType(events, 'model.attempted').filter(({ purpose }) => purpose === 'turn');
}

describe.each(WIRES)('%s', (wire) => {
  test('every error is reported in the words of the server, costs nothing, is not repeated, and is over with it', async () => {
    await using own = await startOwnServer(wire);
    for (const [shape, body] of BODIES) {
      for (const [way, toFailing] of DELIVERIES) {
        const session = await own.klaus.open();
        own.answer = toFailing(body);
        const attempts = await ask(session, 'go');
        expect({ shape, way, attempts }).toMatchObject({
          attempts: [{ outcome: 'invalid_request', usage: NOTHING, usd: 0 }],
        });
        expect(attempts[0]!.message).toContain('the words of the server');
        expect(attempts[0]!.body).toContain('the words of the server');
        own.answer = toAnswer(wire);
        expect(await ask(session, 'again')).toMatchObject([{ outcome: 'ok' }]);
      }
    }
  });

  test('an answer without a token costs nothing, and one with some costs them', async () => {
    await using own = await startOwnServer(wire, { settings: { 'retry.attempts': 2 } });
    const session = await own.klaus.open();
    for (const text of ['', toFrame({ error: 'model runner has unexpectedly stopped' })]) {
      own.answer = (response) => void response.writeHead(200, { 'content-type': 'text/event-stream' }).end(text);
      // A provider that hides reasoning may have reasoned before its connection broke off.
      if (text === '' && wire === 'responses') continue;
      expect(await ask(session, 'go')).toMatchObject([{ usage: NOTHING }, { usage: NOTHING }]);
    }
    own.answer = (response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      for (const event of toEvents(wire, { text: 'x'.repeat(300), isCut: true })) response.write(toFrame(event));
      response.end(toFrame({ error: 'stopped' }));
    };
    const [attempt] = await ask(session, 'go');
    expect(attempt!.usage.output).toBeGreaterThanOrEqual(100);
    if (wire === 'openai') {
      const error = { error: { message: 'stopped' }, choices: [], usage: toUsage(wire, 3_000, 70) };
      own.answer = (response) =>
        void response.writeHead(200, { 'content-type': 'text/event-stream' }).end(toFrame(error));
      expect((await ask(session, 'go'))[0]!.usage).toMatchObject({ input: 3_000, output: 70 });
    }
    expect(attempt).toMatchObject({ outcome: 'server_error', estimated: true });
  });

  test('usage that is missing or impossible is estimated, so that limits and compactions keep', async () => {
    const long = 'word '.repeat(20_000);
    await using own = await startOwnServer(wire, { contextWindow: 60_000, settings: { maxPromptChars: 200_000 } });
    const wrong = [null, {}, toUsage(wire, 0, 0), toUsage(wire, null, null), toUsage(wire, 5_000_000, 3)];
    const odd = [toUsage(wire, -5, 2), toUsage(wire, 7.5, 2), toUsage(wire, '9', '2'), toUsage(wire, 12, 9e15)];
    for (const usage of [...wrong, ...odd]) {
      own.answer = toAnswer(wire, { text: 'an answer', usage });
      const session = await own.klaus.open();
      const [attempt] = await ask(session, long);
      expect({ usage, attempt }).toMatchObject({ attempt: { outcome: 'ok', estimated: true } });
      expect(attempt!.usage.input).toBeGreaterThan(20_000);
      expect(attempt!.usage.input).toBeLessThan(40_000);
      expect(attempt!.usage.output).toBeLessThan(10);
    }
    own.answer = toAnswer(wire, { usage: toUsage(wire, 0, 0) });
    const session = await own.klaus.open();
    for (let turn = 0; turn < 4; turn++) await ask(session, long);
    const events = await Array.fromAsync(session.events());
    expect(ofType(events, 'context.compacted').some(({ dropped }) => dropped > 0)).toBe(true);
    expect(ofType(events, 'run.finished').map(({ outcome, estimated }) => [outcome, estimated])).toEqual(
      Array.from({ length: 4 }, () => ['done', true]),
    );
    expect((await session.replay()).outcome).toBe('equal');

    own.answer = toAnswer(wire);
    const [attempt] = await ask(await own.klaus.open(), long);
    expect(attempt!.estimated).toBeUndefined();
  });

  test('a prompt that is too long is shortened, also if the server does not say why, and its window is kept to', async () => {
    const llamaCpp = (tokens: number) => ({
      error: { code: 400, message: 'no', type: 'exceed_context_size_error', n_prompt_tokens: tokens, n_ctx: 12_000 },
    });
    await using own = await startOwnServer(wire);
    own.answer = (response, asked) =>
      (asked.body.length > 48_000 ? answerJson(400, llamaCpp(13_000)) : toAnswer(wire))(response, asked);
    const session = await own.klaus.open();
    for (let turn = 0; turn < 4; turn++) await ask(session, `${turn} ${'word '.repeat(3_000)}`);
    const before = await Array.fromAsync(session.events());
    expect(ofType(before, 'run.finished').map(({ outcome }) => outcome)).toEqual(['done', 'done', 'done', 'done']);
    const refused = ofType(before, 'model.attempted').filter(({ outcome }) => outcome === 'context_window');
    expect(refused).toMatchObject([{ sizes: { contextWindow: 12_000, server: expect.stringContaining('127.0.0.1') } }]);
    // The window is known now: no later request is refused.
    for (let turn = 4; turn < 9; turn++) await ask(session, `${turn} ${'word '.repeat(3_000)}`);
    const events = await Array.fromAsync(session.events());
    expect(ofType(events, 'model.attempted').filter(({ outcome }) => outcome === 'context_window')).toHaveLength(1);
    expect(ofType(events, 'context.compacted').length).toBeGreaterThan(1);
    expect((await session.replay()).outcome).toBe('equal');
  });

  test('a refusal without a reason of a request that nearly fills the window is one of its length', async () => {
    await using own = await startOwnServer(wire, { contextWindow: 20_000, settings: { compactAt: 0.95 } });
    own.answer = (response, asked) =>
      (asked.body.length > 52_000 ? answerJson(400, { error: { message: 'Bad Request' } }) : toAnswer(wire))(
        response,
        asked,
      );
    const session = await own.klaus.open();
    for (let turn = 0; turn < 4; turn++) await ask(session, `${turn} ${'word '.repeat(3_000)}`);
    const events = await Array.fromAsync(session.events());
    expect(ofType(events, 'run.finished').map(({ outcome }) => outcome)).toEqual(['done', 'done', 'done', 'done']);
    expect(ofType(events, 'model.attempted').map(({ outcome }) => outcome)).toContain('context_window');
  });

  test('an answer that is too long is asked for once with the length that fits', async () => {
    await using own = await startOwnServer(wire);
    const maxOf = ({ json }: { json: Record<string, unknown> }): number =>
      Number(json['max_tokens'] ?? json['max_completion_tokens'] ?? json['max_output_tokens']);
    const message = (max: number, input: number): string =>
      `'max_tokens' is too large: ${max}. This model's maximum context length is 9000 tokens and your request has ${input} input tokens`;
    own.answer = (response, asked) => {
      const input = Math.ceil(asked.body.length / 4);
      const isTooLong = maxOf(asked) + input > 9_000;
      const refusal = answerJson(400, { error: { message: message(maxOf(asked), input) } });
      (isTooLong ? refusal : toAnswer(wire))(response, asked);
    };
    const session = await own.klaus.open();
    expect(await ask(session, 'go')).toMatchObject([
      { outcome: 'invalid_request', cause: 'output_limit', sizes: { contextWindow: 9_000 }, retryInMs: 0 },
      { outcome: 'ok' },
    ]);
    // The window is known now.
    expect(await ask(session, 'again')).toMatchObject([{ outcome: 'ok' }]);
    expect((await session.replay()).outcome).toBe('equal');

    own.answer = answerJson(400, { error: { message: 'max_tokens is too large for this model' } });
    const attempts = await ask(session, 'and again');
    expect(attempts).toMatchObject([{ outcome: 'invalid_request', cause: 'output_limit' }]);
    expect(attempts[0]!.message).toContain('maxOutputTokens');
  });
});
