// Covers core/agent/loop, adapters/sandboxes: Klaus is killed while a shell runs.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { RecordedRequest, Script } from '@klaus/adapters/models';
import { createSqliteStore } from '@klaus/adapters/store';
import { describe, expect, vi } from 'vitest';
import { runKlaus, startKlaus, startServer, toEvents } from '../fixtures/klaus.ts';
import { ofType } from '../fixtures/engine.ts';
import { createTestHome } from '../fixtures/test-home.ts';
import { test } from '../fixtures/sandboxed.ts';
import type { Order } from './klaus-process.ts';
import { findProcesses, toUniqueSleep, untilProgram } from './processes.ts';
import { splitCases } from '../fixtures/split-cases.ts';

// Many processes are started here, which can be slow.
vi.setConfig({ testTimeout: 240_000 });

const PROMPT = 'wait for five minutes';

function toScript(command: string): Script {
  return {
    steps: [
      { when: { turn: 0 }, reply: { text: 'I wait.', calls: [{ name: 'run_command', input: { command } }] } },
      { when: { turn: 1 }, reply: { text: 'It was interrupted.' } },
    ],
  };
}

const WIRES = {
  anthropic: {
    toEnv: (url: string) => ({ AGENT_MODEL: 'anthropic/claude-sonnet-5-5', ANTHROPIC_BASE_URL: url }),
    read: readAnthropic,
  },
  openai: {
    toEnv: (url: string) => ({ AGENT_MODEL: 'openai/some-model', OPENAI_BASE_URL: `${url}/v1` }),
    read: readOpenai,
  },
} as const;

/** The parts of a request with the call: the prompt, the call and its result. */
interface SeenCall {
  prompt: string;
  call: { id: string; input: unknown };
  result: { id: string; text: string };
  roles: string[];
}

interface AnthropicBody {
  messages: { role: string; content: Block[] }[];
}
interface Block {
  type: string;
  text?: string;
  id?: string;
  input?: unknown;
  tool_use_id?: string;
  content?: string | { text: string }[];
}

function readAnthropic(request: RecordedRequest): SeenCall {
  const { messages } = request.json as AnthropicBody;
  const blocks = messages.flatMap(({ content }) => content);
  const call = blocks.filter(({ type }) => type === 'tool_use');
  const result = blocks.filter(({ type }) => type === 'tool_result');
  expect([call.length, result.length]).toEqual([1, 1]);
  return {
    prompt: blocks.map(({ text }) => text ?? '').join('\n'),
    call: { id: call[0]!.id!, input: call[0]!.input },
    result: { id: result[0]!.tool_use_id!, text: JSON.stringify(result[0]!.content) },
    roles: messages.map(({ role }) => role),
  };
}

interface OpenaiBody {
  messages: {
    role: string;
    content: unknown;
    tool_call_id?: string;
    tool_calls?: { id: string; function: { arguments: string } }[];
  }[];
}

function readOpenai(request: RecordedRequest): SeenCall {
  const { messages } = request.json as OpenaiBody;
  const calls = messages.flatMap(({ tool_calls }) => tool_calls ?? []);
  const results = messages.filter(({ role }) => role === 'tool');
  expect([calls.length, results.length]).toEqual([1, 1]);
  return {
    prompt: JSON.stringify(messages.filter(({ role }) => role === 'user')),
    call: { id: calls[0]!.id, input: JSON.parse(calls[0]!.function.arguments) },
    result: { id: results[0]!.tool_call_id!, text: JSON.stringify(results[0]!.content) },
    roles: messages.map(({ role }) => role).filter((role) => role !== 'system'),
  };
}

describe.each(['bubblewrap', 'host'] as const)('killed while its shell sleeps, sandbox %s', (sandbox) => {
  for (const { cases, tags } of splitCases(Object.entries(WIRES), 1))
    describe.each(cases)('%s', { tags }, (_, { toEnv, read }) => {
      test.each(['SIGKILL', 'SIGTERM'] as const)(
        '%s: no process remains, and resume reports the known outcome',
        async (signal) => {
          using place = createTestHome();
          const sleep = toUniqueSleep();
          const command = `echo begun; ${sleep}; echo over`;
          await using server = await startServer(toScript(command));
          const env = { ...toEnv(server.url), ANTHROPIC_API_KEY: 'sk-ant-test-4f1c9b7e2a60', KLAUS_SANDBOX: sandbox };
          const klaus = startKlaus(['run', '--json', PROMPT], { place, env });
          await klaus.printed('stdout', '"type":"tool.started"');
          const { session } = JSON.parse(klaus.text.stdout.split('\n')[0]!) as { session: string };
          await untilProgram(sleep);
          klaus.kill(signal);
          const ended = await klaus.ended;
          if (signal === 'SIGTERM') {
            expect(ended.code).toBe(130);
            expect(findProcesses(sleep)).toEqual([]);
          }
          const resumed = await runKlaus(['resume', session, '--json'], { place, env });
          expect(resumed).toMatchObject({ code: 0 });
          expect(findProcesses(sleep)).toEqual([]);

          const seen = read(server.requests.findLast(({ method }) => method === 'POST')!);
          expect(seen.prompt).toContain(PROMPT);
          expect(seen.call.input).toEqual({ command });
          expect(seen.result.id).toBe(seen.call.id);
          expect(seen.result.text).toMatch(signal === 'SIGKILL' ? /\bunknown\b/i : /[Cc]ancelled|[Ss]topped/);
          expect(seen.roles[0]).toBe('user');
          expect(seen.roles.some((role, index) => role === 'assistant' && seen.roles[index + 1] === 'assistant')).toBe(
            false,
          );
          const events = toEvents((await runKlaus(['show', session, '--json'], { place })).stdout);
          expect(ofType(events, 'tool.started')).toHaveLength(1);
          expect(ofType(events, 'run.finished').at(-1)).toMatchObject({ outcome: 'done' });
        },
      );
    });
});

test('SIGKILL: changes of protected places are reverted when the session is resumed', async () => {
  const sleep = toUniqueSleep();
  const program = `import os, subprocess
os.makedirs('.vscode')
for name in ('.envrc', '.vscode/tasks.json', 'CLAUDE.md', 'fine.txt'): open(name, 'w').write('theirs')
subprocess.run(['sh', '-c', '${sleep}'])
`;
  using place = createTestHome({ 'CLAUDE.md': 'mine', 'job.py': program });
  const { steps } = toScript('python3 job.py');
  const other = { when: { turn: 0, user: 'hello' }, reply: { text: 'Hello.' } };
  await using server = await startServer({ steps: [other, ...steps] });
  const env = {
    ...WIRES.anthropic.toEnv(server.url),
    ANTHROPIC_API_KEY: 'sk-ant-test-4f1c9b7e2a60',
    KLAUS_SANDBOX: 'bubblewrap',
  };
  const klaus = startKlaus(['run', '--json', PROMPT], { place, env });
  await klaus.printed('stdout', '"type":"tool.started"');
  const { session } = JSON.parse(klaus.text.stdout.split('\n')[0]!) as { session: string };
  await untilProgram(sleep);
  klaus.kill('SIGKILL');
  await klaus.ended;
  const warning = `klaus resume ${session}`;
  expect((await runKlaus(['run', 'hello'], { place, env })).stderr).toContain(warning);
  expect(await runKlaus(['resume', session, '--json'], { place, env })).toMatchObject({ code: 0 });
  expect((await runKlaus(['run', 'hello'], { place, env })).stderr).not.toContain(warning);
  const read = (path: string) => readFileSync(join(place.workspace, path), 'utf8');
  expect([read('CLAUDE.md'), read('fine.txt')]).toEqual(['mine', 'theirs']);
  expect(['.envrc', '.vscode/tasks.json'].filter((path) => existsSync(join(place.workspace, path)))).toEqual([]);
});

test('a command of the user that was interrupted is reported and never run again', async () => {
  using place = createTestHome();
  await using server = await startServer({ steps: [], fallback: { text: 'Noted.' } });
  const sleep = toUniqueSleep();
  const order: Order = { home: place.home, workspace: place.workspace, url: server.url };
  const start = (given: Partial<Order>) =>
    spawn(process.execPath, [join(import.meta.dirname, 'klaus-process.ts'), JSON.stringify({ ...order, ...given })], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
  const first = start({ shell: `echo ran >> ran.log; ${sleep}; echo over` });
  const ended = once(first, 'close');
  const [line] = (await once(first.stdout, 'data')) as [Buffer];
  const { session } = JSON.parse(line.toString()) as { session: string };
  await untilProgram(sleep);
  first.kill('SIGKILL');
  await ended;
  await once(start({ session }), 'close');
  expect(findProcesses(sleep)).toEqual([]);
  expect(readFileSync(join(place.workspace, 'ran.log'), 'utf8')).toBe('ran\n');
  using store = createSqliteStore({ home: place.home });
  const events = [...store.view.events(session)];
  expect(ofType(events, 'tool.finished')).toMatchObject([
    { outcome: 'unknown', changes: [{ kind: 'created', path: 'ran.log' }] },
  ]);
  expect(ofType(events, 'run.finished')).toMatchObject([{ outcome: 'failed', turns: 0 }]);
  expect(server.requests).toEqual([]);
});
