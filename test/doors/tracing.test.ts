// Covers adapters/telemetry, sdk/engine: spans of runs.
import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Event, EventOf } from '@klaus/sdk';
import { expect, test } from 'vitest';
import { type CollectedSpan, startCollector } from '../fixtures/collector.ts';
import { runKlaus, startKlaus, startServer, toEvents, untilRequest } from '../fixtures/klaus.ts';
import { createTestHome, type TestHome } from '../fixtures/test-home.ts';

const SECRET = 'sk-ant-test-4f1c9b7e2a60';
const SCRIPT = {
  steps: [
    { when: { tools: false }, reply: { text: 'A title' } },
    {
      when: { turn: 0 },
      reply: {
        calls: [
          { name: 'read_file', input: { path: 'README.md' } },
          { name: 'read_file', input: { path: 'missing.txt' } },
        ],
      },
    },
    { when: { turn: 1 }, reply: { text: 'The file says hello.' } },
    { when: { turn: 2 }, reply: { text: 'Again.' } },
  ],
};
const FILES = { 'README.md': `a line that only this file has, ${SECRET}\n` };

type Server = Awaited<ReturnType<typeof startServer>>;

function toOptions(place: TestHome, server: Server, url: string, env: Record<string, string> = {}) {
  return { place, server, env: { KLAUS_OTEL: 'true', OTEL_EXPORTER_OTLP_ENDPOINT: url, ...env } };
}

function of<T extends Event['type']>(events: readonly Event[], type: T): EventOf<T>[] {
  return events.filter((event): event is EventOf<T> => event.type === type);
}

function named(spans: readonly CollectedSpan[], begin: string): CollectedSpan[] {
  return spans.filter(({ name }) => name.startsWith(begin));
}

test('a run is a tree of spans with the times of its log, without any text of its messages', async () => {
  using place = createTestHome(FILES);
  await using server = await startServer(SCRIPT);
  await using collector = await startCollector();
  const env = {
    OTEL_SERVICE_NAME: 'my-klaus',
    OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=test',
    OTEL_EXPORTER_OTLP_HEADERS: 'x-team=blue',
  };
  const options = toOptions(place, server, collector.url, env);
  const { code, stdout } = await runKlaus(['run', '--json', 'read the private file'], options);
  expect(code).toBe(0);
  const events = toEvents(stdout);
  const { spans } = collector;
  expect(collector.resources[0]).toMatchObject({
    'service.name': 'my-klaus',
    'deployment.environment.name': 'test',
  });
  expect(collector.headers[0]).toMatchObject({ 'x-team': 'blue' });

  const [run] = named(spans, 'invoke_agent');
  const finished = of(events, 'run.finished')[0]!;
  expect(named(spans, 'invoke_agent')).toHaveLength(1);
  expect(run).toMatchObject({ name: 'invoke_agent klaus', kind: 1, parent: undefined, status: 0, links: [] });
  expect([run!.startedAt, run!.endedAt]).toEqual([of(events, 'run.started')[0]!.at, finished.at]);
  expect(run!.attributes).toMatchObject({
    'gen_ai.operation.name': 'invoke_agent',
    'gen_ai.agent.name': 'klaus',
    'gen_ai.provider.name': 'anthropic',
    'gen_ai.request.model': 'claude-sonnet-5-5',
    'gen_ai.conversation.id': finished.session,
    'gen_ai.usage.output_tokens': finished.usage.output,
    'klaus.run.outcome': 'done',
    'klaus.run.tool_calls': 2,
  });
  for (const span of spans) {
    expect(span.trace).toBe(run!.trace);
    if (span !== run) expect(span.parent).toBe(run!.span);
    expect(span.startedAt).toBeLessThanOrEqual(span.endedAt);
  }
  expect(new Set(spans.map(({ span }) => span)).size).toBe(spans.length);

  const attempts = of(events, 'model.attempted');
  const chats = named(spans, 'chat ');
  expect(chats).toHaveLength(attempts.length);
  for (const attempt of attempts) {
    const chat = chats.find(({ attributes }) =>
      attempt.purpose === 'turn'
        ? attributes['klaus.turn'] === attempt.turn && attributes['klaus.request.purpose'] === 'turn'
        : attributes['klaus.request.purpose'] === attempt.purpose,
    )!;
    expect(chat).toMatchObject({ kind: 3, endedAt: attempt.at });
    const { input, output, cacheRead, cacheWrite } = attempt.usage;
    expect(chat.attributes).toMatchObject({
      'gen_ai.operation.name': 'chat',
      'gen_ai.usage.input_tokens': input + cacheRead + cacheWrite,
      'gen_ai.usage.output_tokens': output,
    });
  }
  const turns = of(events, 'turn.finished');
  const ofTurn = (turn: number) =>
    chats.find((it) => it.attributes['klaus.turn'] === turn && it.attributes['klaus.request.purpose'] === 'turn')!;
  for (const { turn, stopReason } of turns)
    expect(ofTurn(turn).attributes['gen_ai.response.finish_reasons']).toEqual([stopReason]);
  expect(ofTurn(turns[0]!.turn).startedAt).toBe(of(events, 'turn.started')[0]!.at);

  const tools = named(spans, 'execute_tool read_file');
  const ends = of(events, 'tool.finished');
  expect(tools).toHaveLength(2);
  for (const end of ends) {
    const tool = tools.find(({ attributes }) => attributes['gen_ai.tool.call.id'] === end.call)!;
    const begun = of(events, 'tool.started').find(({ call }) => call === end.call);
    expect(tool.endedAt).toBe(end.at);
    if (begun) expect(tool.startedAt).toBe(begun.at);
    expect(tool.attributes['klaus.tool.outcome']).toBe(end.outcome);
    expect(tool.attributes['error.type']).toBe(end.outcome === 'ok' ? undefined : end.outcome);
    expect(tool.status).toBe(end.outcome === 'ok' ? 0 : 2);
    expect(tool.links).toEqual([
      { trace: run!.trace, span: ofTurn(end.turn).span, attributes: { 'klaus.link': 'asked_by' } },
    ]);
  }
  expect(new Set(ends.map(({ outcome }) => outcome))).toEqual(new Set(['ok', 'error']));
  for (const word of ['private', 'only this file has', 'README', 'hello', SECRET])
    expect(collector.bodies.join('\n')).not.toContain(word);
});

test('KLAUS_OTEL_CONTENT adds the messages, without secrets', async () => {
  using place = createTestHome(FILES);
  await using server = await startServer(SCRIPT);
  await using collector = await startCollector();
  const options = toOptions(place, server, collector.url, { KLAUS_OTEL_CONTENT: 'true' });
  await runKlaus(['run', 'read the private file'], options);
  const [run] = named(collector.spans, 'invoke_agent');
  expect(JSON.parse(run!.attributes['gen_ai.input.messages'] as string)).toEqual([
    { role: 'user', parts: [{ type: 'text', content: 'read the private file' }] },
  ]);
  expect(run!.attributes['gen_ai.output.messages']).toContain('The file says hello.');
  const tool = named(collector.spans, 'execute_tool').find(({ status }) => status === 0)!;
  expect(JSON.parse(tool.attributes['gen_ai.tool.call.arguments'] as string)).toEqual({ path: 'README.md' });
  expect(tool.attributes['gen_ai.tool.call.result']).toMatch(/a line that only this file has, \[secret:/);
  expect(collector.bodies.join('\n')).not.toContain(SECRET);
});

test(
  'a run that another process continues is one trace, and a fork links to its original',
  { tags: ['long'] },
  async () => {
    using place = createTestHome(FILES);
    await using server = await startServer({
      steps: [
        SCRIPT.steps[0]!,
        SCRIPT.steps[1]!,
        { when: { turn: 1 }, reply: { text: 'Done.' }, faults: [{ kind: 'hang', after: 0, keepAlive: true }] },
        { when: { turn: 1 }, reply: { text: 'Done.' } },
        SCRIPT.steps[3]!,
      ],
    });
    await using collector = await startCollector();
    const options = toOptions(place, server, collector.url);
    const killed = startKlaus(['run', '--json', 'read it'], options);
    // The second request, with the results of the calls, has arrived and waits for its answer.
    await untilRequest(server, ({ body }) => body.includes('tool_result'));
    killed.kill('SIGKILL');
    const [first] = toEvents((await killed.ended).stdout.replace(/[^\n]*$/, ''));
    const session = first!.session;
    const resumed = await runKlaus(['resume', session], options);
    expect(resumed.code).toBe(0);
    const [run] = named(collector.spans, 'invoke_agent');
    const shown = await runKlaus(['show', session, '--json'], options);
    const events = toEvents(shown.stdout);
    expect([run!.startedAt, run!.endedAt]).toEqual([
      of(events, 'run.started')[0]!.at,
      of(events, 'run.finished').at(-1)!.at,
    ]);
    for (const span of collector.spans) expect(span.trace).toBe(run!.trace);
    // Spans that the first process could not send are lost; no span is sent twice.
    expect(new Set(collector.spans.map(({ span }) => span)).size).toBe(collector.spans.length);

    const before = collector.spans.length;
    const forked = await runKlaus(['fork', session, '--json'], options);
    expect({ code: forked.code, stderr: forked.stderr }).toMatchObject({ code: 0 });
    expect(collector.spans).toHaveLength(before);
    const copy = (JSON.parse(forked.stdout) as { session: string }).session;
    await runKlaus(['run', '--session', copy, 'and again'], options);
    const [second] = named(collector.spans.slice(before), 'invoke_agent');
    expect(second!.trace).not.toBe(run!.trace);
    expect(second!.links).toEqual([
      { trace: run!.trace, span: run!.span, attributes: { 'klaus.link': 'forked_from' } },
    ]);
  },
);

test('an unreachable or silent collector does not change a run', { tags: ['long'] }, async () => {
  await using silent = await startCollector({ hang: true });
  for (const url of ['http://127.0.0.1:9', silent.url]) {
    using place = createTestHome(FILES);
    await using server = await startServer(SCRIPT);
    const { code, stdout, stderr } = await runKlaus(['run', 'read it'], toOptions(place, server, url));
    expect({ code, stdout }).toMatchObject({ code: 0, stdout: expect.stringContaining('The file says hello.') });
    expect(stderr).not.toMatch(/otel|ECONNREFUSED|4318/i);
  }
});

test('without the flag nothing of it is loaded, and nothing is reported', { tags: ['long'] }, async () => {
  await using collector = await startCollector();
  const load = async (env: Record<string, string>): Promise<string[]> => {
    using place = createTestHome(FILES);
    await using server = await startServer(SCRIPT);
    const folder = join(place.workspace, '../coverage');
    mkdirSync(folder);
    const options = {
      place,
      server,
      env: { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, NODE_V8_COVERAGE: folder, ...env },
    };
    expect((await runKlaus(['run', 'read it'], options)).code).toBe(0);
    return readdirSync(folder).flatMap((name) => {
      const { result } = JSON.parse(readFileSync(join(folder, name), 'utf8')) as { result: { url: string }[] };
      return result
        .map(({ url }) => url)
        .filter((url) => /opentelemetry|adapters\/telemetry|\/telemetry-[^/]*js$/.test(url));
    });
  };
  expect(await load({})).toEqual([]);
  expect(collector.bodies).toEqual([]);
  expect(await load({ KLAUS_OTEL: 'true' })).not.toEqual([]);
  expect(collector.spans.length).toBeGreaterThan(0);
});
