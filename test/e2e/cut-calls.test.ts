// Covers core/agent/state, core/agent/model, core/agent/calls: calls in cut answers, and arguments that are no JSON.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Script } from '@klaus/adapters/models';
import type { Event, EventOf } from '@klaus/sdk';
import { describe, expect, test } from 'vitest';
import { createTestEngine, ofType, type TestEngine } from '../fixtures/engine.ts';

type Step = Script['steps'][number];
type Stop = NonNullable<Step['reply']['stop']>;

const WIRES = ['anthropic', 'openai', 'responses'] as const;
const CUT = '{"path":"a.txt","content":"aaaa';
const LIMITS = { maxOutputTokens: 8_192 };

/** The code of the result of each call; '' for one without. */
function codesOf(events: readonly Event[]): string[] {
  return ofType(events, 'tool.finished').map(({ detail }) => (detail as { code?: string } | undefined)?.code ?? '');
}

/** The longest answer that each request of a turn allows. */
function maximaOf({ server }: TestEngine): number[] {
  return server.requests.flatMap(({ body }) => {
    const { tools, ...rest } = JSON.parse(body) as Record<string, number | undefined>;
    return tools === undefined ? [] : [rest['max_tokens'] ?? rest['max_output_tokens'] ?? 0];
  });
}

async function play(
  script: Script,
  { settings = {}, limits }: { settings?: Record<string, unknown>; limits?: { tokens?: number } } = {},
): Promise<{ events: Event[]; finished: EventOf<'run.finished'>; maxima: number[]; written: string | undefined }> {
  await using engine = await createTestEngine({ script, settings: { ...LIMITS, ...settings } });
  const session = await engine.klaus.open({ limits });
  await session.prompt('write');
  await session.advance();
  const events = await Array.fromAsync(session.events());
  const file = join(engine.place.workspace, 'a.txt');
  return {
    events,
    finished: ofType(events, 'run.finished').at(-1)!,
    maxima: maximaOf(engine),
    written: existsSync(file) ? readFileSync(file, 'utf8') : undefined,
  };
}

/** A call of each turn, which is cut. */
function cutAt(turn: number, call: NonNullable<Step['reply']['calls']>[number], stop: Stop = 'max_tokens'): Step {
  return { when: { turn }, reply: { calls: [{ ...call, id: `call_${turn}` }], stop, usage: { output: 8_192 } } };
}

describe.each(WIRES)('%s', (wire) => {
  test('a call within which the answer was cut is not run, and the longest answer is raised once', async () => {
    const { events, finished, maxima, written } = await play({
      wire,
      steps: [
        cutAt(0, { name: 'write_file', raw: CUT }),
        cutAt(1, { name: 'write_file', raw: `${CUT}bb` }),
        { when: { turn: 2 }, reply: { calls: [{ name: 'write_file', input: { path: 'a.txt', content: 'aa' } }] } },
      ],
      fallback: { text: 'Done.' },
    });
    expect(finished.outcome).toBe('done');
    expect(codesOf(events)).toEqual(['tool.cut', 'tool.cut', '']);
    expect(maxima).toEqual([8_192, 32_000, 32_000, 32_000]);
    expect(written).toBe('aa');
    const [first, second] = ofType(events, 'tool.finished').map(({ output }) => output);
    expect(first).toContain('8,192');
    expect(second).not.toContain('times as long');
  });

  test('arguments that were cut before their first character are not run as empty ones', async () => {
    const { events, finished } = await play({
      wire,
      steps: [cutAt(0, { name: 'list_files', raw: '' })],
      fallback: { text: 'Done.' },
    });
    expect(codesOf(events)).toEqual(['tool.cut']);
    expect(finished.outcome).toBe('done');
  });

  test('a complete call before the cut one is run', async () => {
    const calls = [
      { name: 'write_file', input: { path: 'a.txt', content: 'first' } },
      { name: 'write_file', raw: CUT },
    ];
    const { events, written } = await play({
      wire,
      steps: [{ when: { turn: 0 }, reply: { calls, stop: 'max_tokens' } }],
      fallback: { text: 'Done.' },
    });
    expect(codesOf(events)).toEqual(['', 'tool.cut']);
    expect(written).toBe('first');
  });

  test('valid arguments at the cut may be completed by the server: only their repetition is run', async () => {
    const call = { name: 'write_file', input: { path: 'a.txt', content: 'cut by a server' } };
    const { events, finished, written } = await play({
      wire,
      steps: [cutAt(0, call), cutAt(1, call)],
      fallback: { text: 'Done.' },
    });
    expect(codesOf(events)).toEqual(['tool.cut', '']);
    expect(written).toBe('cut by a server');
    expect(finished.outcome).toBe('done');
  });

  test('an answer that is always cut within a call ends the run, not for its input', async () => {
    const { events, finished } = await play(
      { wire, steps: [0, 1, 2, 3, 4, 5].map((turn) => cutAt(turn, { name: 'write_file', raw: `${CUT}${turn}` })) },
      { settings: { maxRetries: 2 } },
    );
    expect(finished.outcome).toBe('failed');
    expect(codesOf(events)).toEqual(['tool.cut', 'tool.cut', 'tool.cut']);
    expect(finished.reason).not.toContain('input');
  });

  test('arguments that are no JSON are named with their position, without secrets', async () => {
    const raw = `{"path":"a.txt","content":"x" "token":"${'ghp_'}${'a1B2c3D4e5'.repeat(4).slice(0, 36)}"}`;
    const { events, finished } = await play({
      wire,
      steps: [{ when: { turn: 0 }, reply: { calls: [{ name: 'write_file', raw }] } }],
      fallback: { text: 'Done.' },
    });
    const [result] = ofType(events, 'tool.finished');
    expect(codesOf(events)).toEqual(['tool.input']);
    expect(result!.output).toContain('line 1, column 31');
    expect(result!.output).not.toContain('expected object');
    expect(result!.output).not.toContain('ghp_a1B2');
    expect(finished.outcome).toBe('done');
  });
});

test('arguments of a wrong type name the field', async () => {
  const calls = [{ name: 'write_file', input: { path: 7, content: 'x' } }];
  const { events } = await play({ steps: [{ when: { turn: 0 }, reply: { calls } }], fallback: { text: 'Done.' } });
  expect(codesOf(events)).toEqual(['tool.input']);
  expect(ofType(events, 'tool.finished')[0]!.output).toContain('path: ');
});

test('a full context window is no reason for longer answers', async () => {
  const { events, maxima } = await play({
    steps: [
      { when: { tools: false }, reply: { text: 'NOTES' } },
      cutAt(0, { name: 'write_file', raw: CUT }, 'model_context_window_exceeded'),
    ],
    fallback: { text: 'Done.' },
  });
  expect(codesOf(events)).toEqual(['tool.cut']);
  expect(new Set(maxima)).toEqual(new Set([8_192]));
});

test('the raised answer stays within the model and the budget', async () => {
  const script = { steps: [cutAt(0, { name: 'write_file', raw: CUT })], fallback: { text: 'Done.' } };
  const small = await play({ ...script, maxOutputTokens: 10_000 });
  expect(small.maxima).toEqual([8_192, 10_000]);
  const poor = await play(script, { limits: { tokens: 30_000 } });
  expect(poor.finished.outcome).toBe('done');
  expect(poor.maxima[1]).toBeLessThan(30_000 - 8_192);
  expect(poor.maxima[1]).toBeGreaterThan(8_192);
});
