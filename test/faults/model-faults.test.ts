// Covers adapters/models, core/agent/model: failing answers of a model.
import type { Script } from '@klaus/adapters/models';
import { describe, expect, test } from 'vitest';
import { ofType } from '../fixtures/engine.ts';
import { runKlaus, startServer, toEvents } from '../fixtures/klaus.ts';
import { createTestHome } from '../fixtures/test-home.ts';
import { splitCases } from '../fixtures/split-cases.ts';

type Fault = NonNullable<Script['steps'][number]['faults']>[number];

/** Each fault, its code in the log, and the exit code when it does not end. */
const FAULTS: [name: string, fault: Omit<Fault, 'always'>, code: string, exit: number][] = [
  ['429 with retry-after', { kind: 'status', status: 429, retryAfter: 0.01 } as Fault, 'rate_limited', 4],
  ['529', { kind: 'status', status: 529 } as Fault, 'overloaded', 4],
  ['500', { kind: 'status', status: 500 } as Fault, 'server_error', 4],
  ['401', { kind: 'status', status: 401 } as Fault, 'auth', 3],
  ['400', { kind: 'status', status: 400 } as Fault, 'invalid_request', 4],
  ['a reset before the first byte', { kind: 'reset', after: 0 } as Fault, 'connection', 4],
  ['a reset in mid-stream', { kind: 'reset', after: 3 } as Fault, 'connection', 4],
  ['a stream cut short', { kind: 'truncate', after: 3 } as Fault, 'connection', 4],
  ['a chunk that is no JSON', { kind: 'malformed', after: 2 } as Fault, 'malformed', 4],
  ['an error after 200', { kind: 'error', after: 2, status: 529 } as Fault, 'overloaded', 4],
  ['a hang before the first byte', { kind: 'hang', after: 0, keepAlive: false } as Fault, 'idle', 4],
  ['a hang in mid-stream', { kind: 'hang', after: 3, keepAlive: false } as Fault, 'idle', 4],
];

/** The second request has the fault: there is a history, and a part of the answer may have arrived. */
function toScript(fault: Fault): Script {
  return {
    steps: [
      { when: { turn: 0 }, reply: { text: 'I look.', calls: [{ name: 'read_file', input: { path: 'README.md' } }] } },
      { when: { turn: 1 }, reply: { text: 'It is a test, as far as I can see.' }, chunk: 4, faults: [fault] },
    ],
  };
}

const WIRES = {
  anthropic: (url: string) => ({
    AGENT_MODEL: 'anthropic/claude-sonnet-5-5',
    ANTHROPIC_BASE_URL: url,
    ANTHROPIC_API_KEY: 'sk-ant-test-4f1c9b7e2a60',
  }),
  openai: (url: string) => ({ AGENT_MODEL: 'openai/some-model', OPENAI_BASE_URL: `${url}/v1` }),
} as const;

describe.each(Object.entries(WIRES))('%s', (_, toWire) => {
  for (const { cases, tags } of splitCases(FAULTS, 3))
    test.each(cases)('%s ends: the run succeeds and reports the fault', { tags }, async (name, fault, code, exit) => {
      using place = createTestHome();
      await using server = await startServer(toScript({ ...fault, always: false } as Fault));
      const env = { ...toWire(server.url), KLAUS_RETRY_IDLE_MS: fault.kind === 'hang' ? '2000' : '30000' };
      const ended = await runKlaus(['run', '--json', 'look'], { place, env });
      const events = toEvents(ended.stdout);
      const attempts = ofType(events, 'model.attempted').map((event) => event.outcome);
      if (code === 'auth' || code === 'invalid_request') {
        expect({ name, code: ended.code, attempts }).toEqual({ name, code: exit, attempts: ['ok', code] });
        return;
      }
      expect({ name, code: ended.code, attempts }).toEqual({ name, code: 0, attempts: ['ok', code, 'ok'] });
      const said = ofType(events, 'message.added').filter((event) => event.message.role === 'assistant');
      expect(said.at(-1)!.message.parts).toEqual([{ type: 'text', text: 'It is a test, as far as I can see.' }]);
      expect(said).toHaveLength(2);
    });

  for (const { cases, tags } of splitCases(FAULTS, 3))
    test.each(cases)('%s does not end: the run ends with its exit code', { tags }, async (name, fault, code, exit) => {
      using place = createTestHome();
      await using server = await startServer(toScript({ ...fault, always: true } as Fault));
      const env = { ...toWire(server.url), KLAUS_RETRY_IDLE_MS: fault.kind === 'hang' ? '2000' : '30000' };
      const ended = await runKlaus(['run', '--json', 'look'], { place, env });
      const events = toEvents(ended.stdout);
      expect({ name, code: ended.code }).toEqual({ name, code: exit });
      const attempts = ofType(events, 'model.attempted').map((event) => event.outcome);
      expect(new Set(attempts.slice(1))).toEqual(new Set([code]));
      expect(events.at(-1)).toMatchObject({ type: 'run.finished', outcome: 'model_failed' });
    });
});

test('a model without a server is a failed connection: exit 4', async () => {
  using place = createTestHome();
  const env = WIRES.anthropic('http://127.0.0.1:9');
  const ended = await runKlaus(['run', '--json', 'look'], { place, env });
  expect(ended.code).toBe(4);
  expect(ofType(toEvents(ended.stdout), 'model.attempted').map((event) => event.outcome)).toEqual([
    'connection',
    'connection',
  ]);
});
