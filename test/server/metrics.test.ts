// Covers apps/server/observability: metrics.
import { expect, test } from 'vitest';
import { createMetrics } from '../../apps/server/observability/metrics.ts';
import { EVENT_VERSION, type Event, type EventBody } from '../../core/protocol/events/event.ts';
import { type Family, parseExposition } from '../fixtures/exposition.ts';
import { follow, rawRequest, startTestServer } from '../fixtures/server.ts';

const SCRIPT = {
  steps: [
    { when: { tools: false }, reply: { text: 'A title' } },
    { when: { turn: 0 }, reply: { calls: [{ name: 'run_command', input: { command: 'echo hello' } }] } },
    { when: { turn: 1 }, reply: { text: 'Done.' } },
  ],
};
const MODEL = 'anthropic/claude-sonnet-5-5';

function read(families: Map<string, Family>, name: string, labels: Record<string, string> = {}): number | undefined {
  const family = families.get(name) ?? families.get(name.replace(/_(bucket|sum|count)$/, ''));
  const fits = (given: Readonly<Record<string, string>>): boolean =>
    Object.entries({ ...given, ...labels }).every(([key, value]) => given[key] === value && labels[key] === value);
  return family?.samples.find((sample) => sample.name === name && fits(sample.labels))?.value;
}

test('counts what it does, in the format of Prometheus', async () => {
  await using it = await startTestServer({ script: SCRIPT });
  const { session } = await it.client.openSession({ body: { text: 'go' } });
  const followed = follow(it.client, session);
  await followed.until('run.finished');
  const started = followed.events.find(({ type }) => type === 'tool.started');
  const answer = await rawRequest(it.server, {
    path: '/metrics',
    headers: { authorization: `Bearer ${it.server.token}` },
  });
  expect(answer.headers['content-type']).toBe('text/plain; version=0.0.4; charset=utf-8');
  const families = parseExposition(answer.body);
  const value = (name: string, labels?: Record<string, string>) => read(families, name, labels);
  expect(value('klaus_runs_total', { outcome: 'done' })).toBe(1);
  expect(value('klaus_run_duration_seconds_count')).toBe(1);
  expect(value('klaus_turns_total', { model: MODEL })).toBe(2);
  expect(value('klaus_model_requests_total', { model: MODEL, outcome: 'ok' })).toBe(2);
  expect(value('klaus_model_request_duration_seconds_count', { model: MODEL })).toBe(2);
  expect(value('klaus_tokens_total', { model: MODEL, class: 'output' })).toBeGreaterThan(0);
  expect(value('klaus_cost_usd_total', { model: MODEL })).toBeGreaterThan(0);
  expect(value('klaus_tool_calls_total', { tool: 'run_command', outcome: 'ok' })).toBe(1);
  expect(value('klaus_tool_duration_seconds_bucket', { tool: 'run_command', le: '+Inf' })).toBe(1);
  expect(value('klaus_gate_decisions_total', { verdict: 'allow' })).toBe(1);
  expect(started).toBeDefined();
  const driver = families.get('klaus_sandbox_starts_total')!.samples[0]!.labels['driver']!;
  expect(value('klaus_sandbox_starts_total', { driver, outcome: 'ok' })).toBe(1);
  expect(value('klaus_sandbox_start_duration_seconds_count', { driver })).toBe(1);
  expect(value('klaus_stream_subscribers', { kind: 'session' })).toBe(1);
  expect(value('klaus_stream_subscribers', { kind: 'list' })).toBe(0);
  for (const gauge of ['klaus_runs_queued', 'klaus_runs_active', 'klaus_approvals_waiting'])
    expect(value(gauge)).toBe(0);
  expect(value('klaus_event_loop_lag_seconds')).toBeGreaterThanOrEqual(0);
  expect(value('process_resident_memory_bytes')).toBeGreaterThan(1e6);
  await followed.stop();
});

test('AGENT_METRICS_ENABLED=false: there are none', async () => {
  await using it = await startTestServer({ env: { AGENT_METRICS_ENABLED: 'false' } });
  const answer = await rawRequest(it.server, {
    path: '/metrics',
    headers: { authorization: `Bearer ${it.server.token}` },
  });
  expect(answer.status).toBe(404);
});

test('ten thousand names of models and tools make no more series than a hundred and one', async () => {
  const metrics = createMetrics({ running: () => 0, queued: () => 0, approvals: () => 0, subscribers: () => ({}) });
  const usage = { input: 1, output: 1, cacheRead: 0, cacheWrite: 0 };
  const count = (body: object): void =>
    metrics.count({ v: EVENT_VERSION, seq: 1, prev: '', session: 's', at: 0, ...body } as Event & EventBody);
  const say = (from: number, to: number): void => {
    for (let at = from; at < to; at++) {
      const name = `m"${at}\\\n`;
      count({ type: 'model.attempted', model: name, outcome: 'ok', purpose: 'turn', usage, usd: 0.5 });
      count({ type: 'tool.finished', name, outcome: 'ok', durationMs: 20 });
    }
  };
  say(0, 101);
  const few = parseExposition(await metrics.toText());
  say(101, 10_000);
  const many = parseExposition(await metrics.toText());
  metrics.close();
  for (const [name, { samples }] of few)
    if (name.startsWith('klaus_')) expect([name, many.get(name)!.samples.length]).toEqual([name, samples.length]);
  expect(many.get('klaus_turns_total')!.samples).toHaveLength(101);
  expect(read(many, 'klaus_turns_total', { model: 'other' })).toBe(9_900);
  expect(read(many, 'klaus_turns_total', { model: 'm"7\\\n' })).toBe(1);
});
