// Covers apps/terminal/session, apps/terminal/footer: messages during a run, cancelling, leaving and killed programs in the interactive terminal.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Script } from '@klaus/adapters/models';
import { createKlaus, type Event } from '@klaus/sdk';
import { expect, test } from 'vitest';
import { CLEAN, KEYS } from '../fixtures/emulator.ts';
import { toEnv } from '../fixtures/klaus.ts';
import { hasScript } from '../fixtures/pseudo-terminal.ts';
import { type ChatPlace, openChatPlace, untilIdle } from './open-chat.ts';

const WAIT = {
  name: 'run_command',
  input: { command: 'echo begun; until [ -e go ]; do sleep 0.05; done; echo ended' },
};

const SCRIPT: Script = {
  steps: [
    {
      when: { user: '^hang$' },
      reply: { text: 'Half of it was written.' },
      chunk: 5,
      faults: [{ kind: 'hang', after: 5, keepAlive: false }],
    },
    { when: { user: 'limited' }, reply: { text: 'Late.' }, faults: [{ kind: 'status', status: 429 }] },
    { when: { user: 'hello' }, reply: { text: 'Hello.' } },
    { when: { user: 'steered' }, reply: { text: 'I was steered.' } },
    { when: { user: 'edited later' }, reply: { text: 'The queue is done.' } },
    { when: { after: 'run_command' }, reply: { text: 'The command is done.' } },
    { when: { user: '^wait$' }, reply: { text: 'I wait.', calls: [WAIT] } },
  ],
  fallback: { text: 'Hello.' },
};

const open = () => openChatPlace({ script: SCRIPT, words: ['--approve', 'auto'] });
const release = ({ place }: ChatPlace): void => writeFileSync(join(place.workspace, 'go'), '');

/** Texts of the user in the log, in order. */
function toPrompts(events: readonly Event[]): string[] {
  return events.flatMap((event) => {
    if (event.type !== 'message.added' || (event.message.origin !== 'user' && event.message.origin !== 'steer'))
      return [];
    return [event.message.parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('')];
  });
}

test.runIf(hasScript)('Enter steers a run, Alt-Enter queues, and ↑ edits what is queued', async () => {
  await using chat = await open();
  const terminal = await chat.open();
  terminal.type('wait\r');
  await terminal.shows('begun');
  terminal.type('steered');
  await terminal.shows('› steered');
  terminal.type(KEYS.enter);
  await terminal.shows('next: steered');
  terminal.type('later');
  await terminal.shows('› later');
  terminal.type(KEYS.altEnter);
  await terminal.shows('queued: later');
  terminal.type(KEYS.up);
  await terminal.hides('queued: later');
  await terminal.shows('› later');
  terminal.type('\u0001edited ');
  await terminal.shows('› edited later');
  terminal.type(KEYS.altEnter);
  await terminal.shows('queued: edited later');
  release(chat);
  await terminal.shows('The queue is done.');
  await untilIdle(terminal);
  const order = ['I wait.', 'steered', 'I was steered.', '› edited later', 'The queue is done.'];
  const places = order.map((text) => terminal.all().indexOf(text));
  expect(places).not.toContain(-1);
  expect(places).toEqual(places.toSorted((a, b) => a - b));
  expect(toPrompts(await chat.events())).toEqual(['wait', 'steered', 'edited later']);
});

/** What started each run, and the shell commands of the user, in order. */
function toRuns(events: readonly Event[]): string[] {
  return events.flatMap((event) => {
    if (event.type === 'run.started') return [event.trigger];
    if (event.type !== 'message.added' || event.message.origin !== 'shell') return [];
    return event.message.parts.flatMap((part) => (part.type === 'call' ? [JSON.stringify(part.input)] : []));
  });
}

const toInput = (command: string): string => JSON.stringify({ command });

test.runIf(hasScript)(
  'a shell command is queued in order with messages, and ↑ edits it',
  { tags: ['long'] },
  async () => {
    await using chat = await open();
    const terminal = await chat.open();
    terminal.type('wait\r');
    await terminal.shows('begun');
    for (const [text, key] of [
      ['hello', KEYS.altEnter],
      ['!echo first', KEYS.enter],
      ['hello again', KEYS.altEnter],
      ['!echo last', KEYS.altEnter],
    ] as const) {
      terminal.type(text);
      await terminal.shows(`› ${text}`);
      terminal.type(key);
      await terminal.shows(`queued: ${text}`);
    }
    await terminal.shows(/queued: hello\n *queued: !echo first\n *queued: hello again\n *queued: !echo last\n/);
    terminal.type(KEYS.up);
    await terminal.hides('queued: !echo last');
    await terminal.shows(/^› !echo last *$/m);
    terminal.type('-edited');
    await terminal.shows('› !echo last-edited');
    terminal.type(KEYS.enter);
    await terminal.shows('queued: !echo last-edited');
    release(chat);
    await terminal.shows('last-edited');
    await terminal.hides('queued:');
    await untilIdle(terminal);
    const events = await chat.events();
    expect(toRuns(events)).toEqual([
      'prompt',
      'prompt',
      'shell',
      toInput('echo first'),
      'prompt',
      'shell',
      toInput('echo last-edited'),
    ]);
    expect(toPrompts(events)).toEqual(['wait', 'hello', 'hello again']);
  },
);

test.runIf(hasScript)(
  'a queued shell command survives the end of the terminal, and runs once after Enter',
  { tags: ['long'] },
  async () => {
    await using chat = await open();
    const first = await chat.open();
    first.type('wait\r');
    await first.shows('begun');
    first.type('!echo mine >> mine.txt\r');
    await first.shows('queued: !echo mine >> mine.txt');
    first.type(KEYS.ctrlD);
    expect(await first.ended).toBe(0);

    release(chat);
    const second = await chat.open();
    await second.shows('queued: !echo mine >> mine.txt');
    second.type(KEYS.enter);
    await second.shows('The command is done.');
    await second.hides('queued:');
    await untilIdle(second);
    expect(toRuns(await chat.events())).toEqual(['prompt', 'shell', toInput('echo mine >> mine.txt')]);
    expect(readFileSync(join(chat.place.workspace, 'mine.txt'), 'utf8')).toBe('mine\n');
  },
);

test.runIf(hasScript)(
  'a queued message that is edited keeps its image and its long paste',
  { tags: ['long'] },
  async () => {
    await using chat = await open();
    const image = join(chat.place.workspace, 'a.png');
    writeFileSync(image, '\u0089PNG\r\n\u001a\nrest', 'latin1');
    const terminal = await chat.open();
    terminal.type('wait\r');
    await terminal.shows('begun');
    terminal.type('hello ');
    terminal.paste(image);
    await terminal.shows('› hello [image 1: a.png]');
    terminal.paste(Array.from({ length: 200 }, (_, index) => `pasted line ${index} `.padEnd(80, '-')).join('\n'));
    await terminal.shows('[paste #1 +200 lines]');
    terminal.type(KEYS.altEnter);
    await terminal.shows('queued: hello [image 1: a.png] [paste #1 +200 lines]');
    // The second press takes nothing else.
    terminal.type(KEYS.up + KEYS.up);
    await terminal.shows('› hello [image 1: a.png] [file 2: paste-1.txt]');
    await terminal.hides('queued:');
    terminal.type(KEYS.altEnter);
    await terminal.shows('queued: hello [image 1: a.png] [file 2: paste-1.txt]');
    release(chat);
    await terminal.hides('queued:');
    await untilIdle(terminal);
    const added = (await chat.events()).filter((event) => event.type === 'message.added');
    const sent = added.findLast(({ message }) => message.origin === 'user')!;
    const { parts } = sent.message;
    expect(parts.map(({ type }) => type).toSorted()).toEqual(['file', 'image', 'text']);
    expect(JSON.stringify(parts)).toContain('pasted line 199 ');
  },
);

test.runIf(hasScript)(
  'a shell command that waits in an idle session does not run by itself',
  { tags: ['long'] },
  async () => {
    await using chat = await open();
    const first = await chat.open();
    first.type('hello\r');
    await first.shows('Hello.');
    await untilIdle(first);
    first.type(KEYS.ctrlD);
    expect(await first.ended).toBe(0);
    const [id] = await chat.sessions();
    await using klaus = await createKlaus({ cwd: chat.place.workspace, env: toEnv(chat) });
    await (await klaus.session(id!)).send({ type: 'shell', command: 'echo from before', by: 'cli', onAsk: 'wait' });

    const second = await chat.open();
    await second.shows('queued: !echo from before');
    second.type(KEYS.up);
    await second.hides('queued:');
    await second.shows('› !echo from before');
    expect(toRuns(await chat.events(id))).toEqual(['prompt']);
    second.type(KEYS.enter);
    await second.shows(/^ +from before$/m);
    await untilIdle(second);
    expect(toRuns(await chat.events(id))).toEqual(['prompt', 'shell', toInput('echo from before')]);
  },
);

test.runIf(hasScript)(
  'Esc cancels the run, and the next prompt continues the session',
  { tags: ['long'] },
  async () => {
    await using chat = await open();
    const terminal = await chat.open();
    terminal.type('hang\r');
    await terminal.shows('Half');
    terminal.type(KEYS.escape);
    await untilIdle(terminal);
    terminal.type('wait\r');
    await terminal.shows('begun');
    terminal.type(KEYS.escape);
    await untilIdle(terminal);
    terminal.type('hello\r');
    await terminal.shows('Hello.');
    await untilIdle(terminal);
    const events = await chat.events();
    expect(toPrompts(events)).toEqual(['hang', 'wait', 'hello']);
    expect(events.flatMap((event) => (event.type === 'run.finished' ? [event.outcome] : []))).toEqual([
      'cancelled',
      'cancelled',
      'done',
    ]);
  },
);

test.runIf(hasScript)(
  'Ctrl-C clears the input; twice it leaves at once, and the next start continues the run',
  async () => {
    await using chat = await open();
    const first = await chat.open();
    first.type('not sent');
    await first.shows('› not sent');
    first.type(KEYS.ctrlC);
    await first.hides('not sent');
    await first.hides('Ctrl-C again leaves');
    first.type('wait\r');
    await first.shows('begun');
    first.type(KEYS.ctrlC);
    await first.shows('Ctrl-C again leaves');
    first.type(KEYS.ctrlC);
    expect(await first.ended).toBe(0);
    expect(first.left()).toEqual(CLEAN);
    expect(first.screen()).toMatch(/Session \w{26}\. [\s\S]*Its run was inter/);

    release(chat);
    const second = await chat.open();
    await second.shows('The last run was interrupted. Enter continues it');
    expect(second.screen()).toContain('› wait');
    second.type(KEYS.enter);
    await second.shows('The command is done.');
    await untilIdle(second);
    expect(toPrompts(await chat.events())).toEqual(['wait']);
  },
);

test.runIf(hasScript)(
  'a terminal that is killed in the middle of a run loses nothing and repeats nothing',
  { tags: ['long'] },
  async () => {
    await using chat = await open();
    const first = await chat.open();
    first.type('wait\r');
    await first.shows(/^ +begun$/m);
    first.type('steered\r');
    await first.shows('next: steered');
    process.kill(first.pid, 'SIGKILL');
    expect(await first.ended).toBe(137);

    release(chat);
    const second = await chat.open();
    await second.shows('The last run was interrupted. Enter continues it');
    await second.shows('next: steered');
    // Its call has neither the animation nor the clock of a running one.
    await second.shows(/^ {2}✗ Run command .*\n {4}interrupted$/m);
    expect(second.screen()).not.toMatch(/[⠀-⣿]/);
    second.type(KEYS.enter);
    await second.shows('I was steered.');
    await untilIdle(second);
    const events = await chat.events();
    expect(toPrompts(events)).toEqual(['wait', 'steered']);
    const started = events.flatMap((event) => (event.type === 'tool.started' ? [event.call] : []));
    expect(started).toHaveLength(1);
    expect(second.all().split('I wait.')).toHaveLength(2);
    expect((await chat.run('audit', 'verify')).code).toBe(0);
  },
);

test.runIf(hasScript)('a retry has one line above the input, with its reason and one time', async () => {
  await using chat = await openChatPlace({ script: SCRIPT, env: { KLAUS_RETRY_BASE_MS: '60000' } });
  const terminal = await chat.open();
  terminal.type('limited\r');
  await terminal.shows(/The rate limit of the model is reached\. Retrying in [^·]+ · Esc cancels$/m);
  expect(terminal.screen().replaceAll(/\s+/g, ' ')).toMatch(/would exceed your rate limit; retrying in/);
  terminal.type(KEYS.escape);
  await untilIdle(terminal);
});
