// Covers apps/terminal/app, apps/terminal/commands, apps/cli/chat, apps/cli/client: which agent a terminal opens, and /agent.
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Script } from '@klaus/adapters/models';
import { expect, test } from 'vitest';
import { type Emulator, KEYS } from '../fixtures/emulator.ts';
import { hasScript } from '../fixtures/pseudo-terminal.ts';
import { type ChatPlace, openChatPlace, untilIdle } from './open-chat.ts';

const SCRIPT: Script = {
  steps: [
    { when: { after: 'run_command' }, reply: { text: 'I was not allowed to.' } },
    { when: { user: 'run$' }, reply: { calls: [{ name: 'run_command', input: { command: 'true' } }] } },
    { when: { system: 'You lead' }, reply: { text: 'The lead answers.' } },
    { when: { system: 'You are agent-builder' }, reply: { text: 'The builder answers.' } },
  ],
  fallback: { text: 'Klaus answers.' },
};

const open = (): Promise<ChatPlace> => openChatPlace({ script: SCRIPT, words: [], command: [] });

/** Defines an agent of the user that only reads. */
function addLead({ place }: ChatPlace): void {
  const file = join(place.home, 'agents/lead.md');
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(
    file,
    '---\nname: lead\ndescription: Leads.\ngrants: fs(., r) · tool(read_file)\n---\n\nYou lead the test.\n',
  );
}

async function prompt(terminal: Emulator, text: string, answer: string): Promise<void> {
  terminal.type(`${text}\r`);
  await terminal.shows(answer);
  await untilIdle(terminal);
}

async function leave(terminal: Emulator): Promise<void> {
  terminal.type(KEYS.ctrlD);
  expect(await terminal.ended).toBe(0);
}

test.runIf(hasScript)('the first start is with klaus; it creates agent-builder and does not open it', async () => {
  await using chat = await open();
  const terminal = await chat.open();
  await terminal.shows(/Klaus \S+ · [~/]/);
  await terminal.shows(/klaus chat\s+agent-builder/);
  expect(existsSync(join(chat.place.home, 'agents/agent-builder.md'))).toBe(true);
  await prompt(terminal, 'hello', 'Klaus answers.');
  await leave(terminal);
  const later = await chat.open();
  await later.shows('Klaus answers.');
  expect(later.all()).not.toContain('First start');
});

test.runIf(hasScript)('two first starts at the same moment are both with klaus', async () => {
  await using chat = await open();
  const both = await Promise.all([chat.open(), chat.open()]);
  for (const terminal of both) expect(terminal.screen()).toMatch(/Klaus \S+ · [~/]/);
});

test.runIf(hasScript)(
  'klaus continues the coding agent of its folder, regardless of other folders',
  { tags: ['long'] },
  async () => {
    await using chat = await open();
    addLead(chat);
    const other = join(chat.place.workspace, '../other');
    mkdirSync(other);
    const there = await chat.open({ cwd: other });
    await prompt(there, 'hello', 'Klaus answers.');
    await leave(there);
    const here = await chat.open({ command: ['chat', 'lead'] });
    await here.shows(/Klaus \S+ · lead ·/);
    await prompt(here, 'hello', 'The lead answers.');
    await leave(here);
    expect(here.all()).toMatch(/`klaus chat\s+lead` continues/);
    const again = await chat.open({ cwd: other });
    await again.shows(/Klaus \S+ · [~/][^]*Klaus answers\./);
    const first = await chat.open();
    await first.shows(/Klaus \S+ · [~/]/);
    expect(first.screen()).not.toContain('The lead answers.');
  },
);

test.runIf(hasScript)('/agent switches by name and in a list, and continues the latest chat of the agent', async () => {
  await using chat = await open();
  addLead(chat);
  const terminal = await chat.open();
  await prompt(terminal, 'hello', 'Klaus answers.');
  terminal.type('/agent lead\r');
  await terminal.shows(/Klaus \S+ · lead ·[^]*The next prompt starts a new session\.[^]*^── lead · /m);
  await prompt(terminal, 'hello', 'The lead answers.');
  await prompt(terminal, 'run', 'I was not allowed to.');
  expect(terminal.all()).toContain('/agent chooses another one');
  terminal.type('/agent\r');
  await terminal.shows(/Agent \(now lead\):[^]*klaus[^]*› lead/);
  terminal.type(KEYS.up);
  await terminal.shows('› klaus');
  terminal.type(KEYS.enter);
  await terminal.shows(/Session \S+[^.]*\. \/new starts another one\.[^]*Klaus answers\./);
  await terminal.until((screen) => !/^── lead · /m.test(screen), 'still shows the agent');
  const [lead, klaus] = await chat.sessions();
  expect((await chat.events(lead)).find(({ type }) => type === 'session.opened')).toMatchObject({ agent: 'lead' });
  expect((await chat.events(klaus)).find(({ type }) => type === 'session.opened')).not.toHaveProperty('agent');
  terminal.type('/agent leed\r');
  await terminal.shows(/✗ [^\n]*leed[^]*lead/);
});
