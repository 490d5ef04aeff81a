// Covers adapters/store/sqlite/locks, core/agent/loop: many processes at one session.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { toText, type Event, type Script } from '@klaus/sdk';
import { expect, vi } from 'vitest';
import { ofType } from '../fixtures/engine.ts';
import { runKlaus, startKlaus, startServer, toEvents } from '../fixtures/klaus.ts';
import { createTestHome, type TestHome } from '../fixtures/test-home.ts';
import { test } from '../fixtures/sandboxed.ts';
import { toUniqueSleep, untilProgram } from './processes.ts';

// Many processes are started here, which can be slow.
vi.setConfig({ testTimeout: 240_000 });

const MANY = 4;

async function logOf(place: TestHome, session: string): Promise<Event[]> {
  expect((await runKlaus(['audit', 'verify', session], { place })).code).toBe(0);
  return toEvents((await runKlaus(['show', session, '--json'], { place })).stdout);
}

const range = (count: number) => Array.from({ length: count }, (_, index) => index);

test('of many processes that resume one killed session only one continues, and no effect occurs twice', async () => {
  using place = createTestHome();
  const sleep = toUniqueSleep();
  const script: Script = {
    steps: [
      { when: { turn: 0 }, reply: { calls: [{ name: 'run_command', input: { command: sleep } }] } },
      { when: { turn: 1 }, reply: { calls: [{ name: 'run_command', input: { command: 'echo ran >> ran.log' } }] } },
      { when: { turn: 2 }, reply: { text: 'Done.' } },
    ],
  };
  await using server = await startServer(script);
  const options = { place, server };
  const first = startKlaus(['run', '--json', 'go'], options);
  await untilProgram(sleep);
  first.kill('SIGKILL');
  await first.ended;
  const { session } = JSON.parse(first.text.stdout.split('\n')[0]!) as { session: string };

  const ended = await Promise.all(range(MANY).map(() => runKlaus(['resume', session, '--json'], options)));
  // 9: another process works on it. 2: the run was finished already.
  const codes = ended.map(({ code }) => code);
  expect(codes).toContain(0);
  expect(codes.filter((code) => code !== 0 && code !== 9 && code !== 2)).toEqual([]);
  const events = await logOf(place, session);
  expect(ofType(events, 'run.finished').map(({ outcome }) => outcome)).toEqual(['done']);
  expect(ofType(events, 'tool.started')).toHaveLength(2);
  expect(ofType(events, 'tool.finished').map(({ outcome }) => outcome)).toEqual(['unknown', 'ok']);
  expect(readFileSync(join(place.workspace, 'ran.log'), 'utf8')).toBe('ran\n');
  expect(server.requests.filter(({ method }) => method === 'POST')).toHaveLength(3);
});

test('concurrent messages to one session are each handled once, in one order', { tags: ['long'] }, async () => {
  using place = createTestHome();
  await using server = await startServer({ steps: [], fallback: { text: 'Heard.' } });
  const options = { place, server };
  const first = await runKlaus(['run', '--json', 'message 0'], options);
  const { session } = toEvents(first.stdout)[0]!;
  const ended = await Promise.all(
    range(MANY).map((at) => runKlaus(['--session', session, '--json', `message ${at + 1}`], options)),
  );
  expect(ended.map(({ code, stderr }) => (code === 0 ? 0 : stderr))).toEqual(range(MANY).map(() => 0));
  const events = await logOf(place, session);
  const said = ofType(events, 'message.added').filter(({ message }) => message.origin === 'user');
  const texts = said.map(({ message }) => toText(message));
  expect(texts.toSorted()).toEqual(range(MANY + 1).map((at) => `message ${at}`));
  // Each is a separate run with an answer before the next begins.
  const runs = ofType(events, 'run.finished');
  expect(runs.map(({ run }) => run)).toEqual(said.map(({ run }) => run));
  expect(runs.every(({ outcome }) => outcome === 'done')).toBe(true);
  expect(server.requests.filter(({ method }) => method === 'POST')).toHaveLength(MANY + 1);
});

test('concurrent steering of one run: it sees each message once, and ends once', { tags: ['long'] }, async () => {
  using place = createTestHome();
  const script: Script = {
    steps: [
      {
        when: { turn: 0 },
        reply: { calls: [{ name: 'run_command', input: { command: 'until [ -e go ]; do sleep 0.05; done' } }] },
      },
    ],
    fallback: { text: 'Heard.' },
  };
  await using server = await startServer(script);
  const options = { place, server };
  const first = startKlaus(['run', '--json', 'go'], options);
  await first.printed('stdout', '"type":"tool.started"');
  const { session } = JSON.parse(first.text.stdout.split('\n')[0]!) as { session: string };
  const ended = await Promise.all(range(MANY).map((at) => runKlaus(['steer', session, `word ${at}`], options)));
  expect(ended.map(({ code }) => code)).toEqual(range(MANY).map(() => 0));
  writeFileSync(join(place.workspace, 'go'), '');
  expect((await first.ended).code).toBe(0);
  const events = await logOf(place, session);
  const heard = ofType(events, 'message.added').filter(({ message }) => message.origin === 'steer');
  expect(heard.map(({ message }) => toText(message)).toSorted()).toEqual(range(MANY).map((at) => `word ${at}`));
  expect(ofType(events, 'run.finished')).toHaveLength(1);
});
