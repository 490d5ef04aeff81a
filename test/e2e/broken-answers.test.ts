// Covers core/agent/budget, core/agent/model: the charge for answers that are cancelled or break off.
import type { Script } from '@klaus/adapters/models';
import { toCountedTokens, type EventOf, type Session } from '@klaus/sdk';
import { describe, expect, test } from 'vitest';
import { createTestEngine, ofType, type TestEngine } from '../fixtures/engine.ts';

const PRICE = { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75 };
const TEXT = 'a short sentence. '.repeat(40);
const CHUNK = 18;

/** An answer that stops after some chunks, without an end. Usage: what the provider reports for the prompt. */
function toScript(wire: Script['wire'], fault: NonNullable<Script['steps'][number]['faults']>[number]): Script {
  const usage = { input: 100, cacheRead: 5_000, cacheWrite: 200 };
  const step = { reply: { text: TEXT, usage }, chunk: CHUNK, faults: [{ ...fault, always: true }] };
  return { price: PRICE, wire, steps: [{ when: { tools: true }, ...step }], fallback: { text: 'A title' } };
}

const HANG = { kind: 'hang', after: 14, keepAlive: true } as const;

/** Sends a prompt, and cancels when a part of the answer is shown. Returns the charge and the shown text. */
async function cancelMidway({ klaus }: TestEngine, session: Session) {
  let shown = '';
  const stop = klaus.handle(session.id).onLive((live) => {
    if (live.type !== 'message.delta') return;
    shown += live.text;
    if (shown.length >= CHUNK * 5) void session.send({ type: 'cancel' });
  });
  await session.prompt('go');
  await session.advance();
  stop();
  const events = await Array.fromAsync(session.events());
  const [started] = ofType(events, 'turn.started');
  const attempted = ofType(events, 'model.attempted').find(({ purpose }) => purpose === 'turn')!;
  return { events, shown, attempted, reserved: started!.reserved };
}

describe('a cancelled answer', () => {
  test('costs its prompt, by the cache classes that the provider reported, and the streamed output', async () => {
    await using engine = await createTestEngine({ script: toScript('anthropic', HANG) });
    const session = await engine.klaus.open();
    const { events, shown, attempted, reserved } = await cancelMidway(engine, session);
    expect(shown.length).toBeLessThan(TEXT.length);
    const output = Math.ceil(shown.length / 3);
    const usage = { input: 100, cacheRead: 5_000, cacheWrite: 200, output };
    expect(attempted).toMatchObject({ outcome: 'cancelled', usage });
    expect(attempted.usd).toBeCloseTo((100 * 3 + 5_000 * 0.3 + 200 * 3.75 + output * 15) / 1e6, 9);
    expect(attempted.usd!).toBeLessThan(reserved.usd! / 10);
    expect(attempted.held).toBeUndefined();
    expect(ofType(events, 'run.finished').at(-1)).toMatchObject({ outcome: 'cancelled', usage });
  });

  test('of a model with hidden reasoning keeps its reservation in the limits', async () => {
    await using engine = await createTestEngine({ script: toScript('responses', HANG) });
    const session = await engine.klaus.open({ limits: { usd: 1 } });
    const { events, attempted, reserved } = await cancelMidway(engine, session);
    expect(attempted.usd!).toBeLessThan(reserved.usd! / 2);
    expect(attempted.usd! + attempted.held!.usd!).toBeCloseTo(reserved.usd!, 9);
    expect(toCountedTokens(attempted.usage) + attempted.held!.tokens).toBe(reserved.tokens);
    expect(ofType(events, 'run.finished').at(-1)!.held).toEqual(attempted.held);
    const report = await engine.klaus.usage({ session: session.id });
    const dollars = report.budget!.find(({ limit }) => limit === 'usd')!;
    expect(dollars).toMatchObject({ reserved: 0, lent: 0, held: attempted.held!.usd });
    expect(dollars.left!).toBeCloseTo(1 - reserved.usd!, 9);
  });
});

/** The first attempt at a turn: it breaks off. */
async function firstAttempt(engine: TestEngine): Promise<EventOf<'model.attempted'>> {
  const session = await engine.klaus.open();
  await session.prompt('go');
  await session.advance();
  const events = await Array.fromAsync(session.events());
  return ofType(events, 'model.attempted').find(({ purpose }) => purpose === 'turn')!;
}

test.each(['anthropic', 'openai', 'responses'] as const)(
  '%s: an answer that breaks off costs its prompt and the streamed output',
  async (wire) => {
    const script = toScript(wire, { kind: 'reset', after: 14 });
    await using engine = await createTestEngine({ script, settings: { 'retry.attempts': 1 } });
    const { outcome, usage, usd } = await firstAttempt(engine);
    expect(outcome).toBe('connection');
    expect(usage.output).toBeGreaterThan(CHUNK);
    expect(usage.output).toBeLessThanOrEqual(Math.ceil(TEXT.length / 3));
    expect(usage.input + usage.cacheRead + usage.cacheWrite).toBeGreaterThan(0);
    const tokens = usage.input * 3 + usage.cacheRead * 0.3 + usage.cacheWrite * 3.75 + usage.output * 15;
    expect(usd).toBeCloseTo(tokens / 1e6, 9);
  },
);

test.each([
  ['a refusal', { kind: 'status', status: 400 }],
  ['an overload', { kind: 'status', status: 529 }],
  ['a lost connection', { kind: 'reset', after: 0 }],
] as const)('%s before the first byte costs nothing, also with hidden reasoning', async (_, fault) => {
  const script = toScript('responses', fault);
  await using engine = await createTestEngine({ script, settings: { 'retry.attempts': 1 } });
  const attempted = await firstAttempt(engine);
  expect(attempted).toMatchObject({ usage: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 }, usd: 0 });
  expect(attempted.held).toBeUndefined();
});
