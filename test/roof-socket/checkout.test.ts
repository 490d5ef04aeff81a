// Covers apps/cli/instance, apps/cli/commands/instances, apps/terminal/app: terminals as instances, and sessions that move between them.
import { existsSync } from 'node:fs';
import { expect, test } from 'vitest';
import { KEYS } from '../fixtures/emulator.ts';
import { untilInstances } from '../fixtures/instances.ts';
import { hasScript } from '../fixtures/pseudo-terminal.ts';
import { openChatPlace, untilIdle, type ChatPlace } from '../terminal/open-chat.ts';
import { SCRIPT } from './open-instance.ts';
import { connectScript } from './socket-script.ts';

interface Listed {
  id: string;
  pid: number;
  tty: string | null;
  socket: string;
  session: string | null;
  running: boolean;
  endedAt: string | null;
  exitCode: number | null;
}

async function list(chat: ChatPlace, ...words: readonly string[]): Promise<Listed[]> {
  const { stdout, code } = await chat.run('instances', '--json', ...words);
  expect(code).toBe(0);
  return stdout
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Listed);
}

/** The instances once there are as many. A terminal registers itself after its first frame. */
async function listUntil(chat: ChatPlace, count: number): Promise<Listed[]> {
  await untilInstances(chat.place, ({ length }) => length === count);
  return list(chat);
}

test.runIf(hasScript)(
  'a terminal is an instance from its start to its end, and one that was killed is recognised',
  async () => {
    await using chat = await openChatPlace({ script: SCRIPT });
    const [first, second] = [await chat.open(), await chat.open()];
    const running = await listUntil(chat, 2);
    expect(new Set(running.map(({ pid }) => pid))).toEqual(new Set([first.pid, second.pid]));
    expect(running.every(({ tty, socket }) => tty?.startsWith('/dev/') && existsSync(socket))).toBe(true);
    first.type(KEYS.ctrlD);
    expect(await first.ended).toBe(0);
    process.kill(second.pid, 'SIGKILL');
    await second.ended;
    expect(await list(chat)).toEqual([]);
    const all = await list(chat, '--all');
    expect(all.find(({ pid }) => pid === first.pid)).toMatchObject({
      running: false,
      exitCode: 0,
      endedAt: expect.any(String),
    });
    expect(all.find(({ pid }) => pid === second.pid)).toMatchObject({ running: false, exitCode: null, endedAt: null });
  },
);

test.runIf(hasScript)(
  'checkout shows a session in the terminal, without an id its parent, and what runs continues',
  { tags: ['long'] },
  async () => {
    await using chat = await openChatPlace({ script: SCRIPT });
    const terminal = await chat.open();
    terminal.type(`First.${KEYS.enter}`);
    await terminal.shows('Done.');
    await untilIdle(terminal);
    const [instance] = await listUntil(chat, 1);
    const [first] = await chat.sessions();
    const script = connectScript(instance!.socket);
    expect((await script.ask('status')).result).toMatchObject({ sessionId: first });
    const { sessionId: below } = (await script.ask('start-agent', { agentType: 'klaus', prompt: 'Below.' })).result;
    const moved = await chat.run('checkout', below, '--json');
    expect(JSON.parse(moved.stdout)).toEqual({ instance: instance!.id, sessionId: below, previousSessionId: first });
    await terminal.shows('Below.');
    terminal.type(`hang${KEYS.enter}`);
    await terminal.shows('Esc cancels');
    expect((await chat.run('checkout')).code).toBe(0);
    await terminal.hides('Esc cancels');
    expect((await list(chat))[0]).toMatchObject({ session: first });
    // The run that the terminal does not show any more is still in progress, and can be stopped.
    expect((await script.ask('status', { sessionId: below })).result.sessions).toMatchObject([{ status: 'running' }]);
    expect(await script.ask('interrupt', { sessionId: below })).toMatchObject({ ok: true });
    // The user goes to another session: the instance follows.
    terminal.type(`/resume ${below}${KEYS.enter}`);
    await untilInstances(chat.place, ([shown]) => shown?.session === below);
    expect(await list(chat)).toMatchObject([{ session: below }]);
    script[Symbol.dispose]();
    const events = await chat.events(below);
    expect(events[0]).toMatchObject({ instance: instance!.id, startedBy: first });
  },
);

test.runIf(hasScript)('with two terminals, checkout needs to know which one', { tags: ['long'] }, async () => {
  await using chat = await openChatPlace({ script: SCRIPT });
  expect((await chat.run('checkout', '--json')).code).toBe(2);
  const one = await chat.open();
  one.type(`First.${KEYS.enter}`);
  await one.shows('Done.');
  const two = await chat.open({ words: ['--new', '--approve', 'ask'] });
  const [first, second] = await listUntil(chat, 2);
  const [session] = await chat.sessions();
  const refused = await chat.run('checkout', session!, '--json');
  expect(refused.code).toBe(2);
  const { error } = JSON.parse(refused.stderr) as { error: { code: string; message: string } };
  expect(error.code).toBe('usage');
  for (const { id } of [first!, second!]) expect(error.message).toContain(id);
  expect((await chat.run('checkout', session!, '--instance', second!.id)).code).toBe(0);
  await two.shows('First.');
});
