// Covers apps/terminal/commands, core/protocol/settings: limits of a session in the interactive terminal.
import type { Script } from '@klaus/adapters/models';
import { expect, test } from 'vitest';
import { KEYS } from '../fixtures/emulator.ts';
import { hasScript } from '../fixtures/pseudo-terminal.ts';
import { ofType } from '../fixtures/engine.ts';
import { openChatPlace, untilIdle } from './open-chat.ts';

const READ = { name: 'read_file', input: { path: 'README.md' } };
const NO_LIMITS = { tokens: 0, usd: 0, toolCalls: 0, turns: 0, minutes: 0 };
const SCRIPT: Script = {
  steps: [{ when: { turn: 0, tools: true }, reply: { text: 'I read.', calls: [READ, READ] } }],
  fallback: { text: 'That is all.' },
};

test.runIf(hasScript)('/budget sets and shows each limit in words, and the question says what is used', async () => {
  await using chat = await openChatPlace({ script: SCRIPT, words: ['--approve', 'auto'] });
  const terminal = await chat.open();
  const enter = async (line: string, shown: string): Promise<void> => {
    terminal.type(line);
    await terminal.shows(`› ${line}`);
    terminal.type(KEYS.enter);
    await terminal.shows(shown);
  };
  await enter('/budget tokens off', 'No limit is set.');
  await enter('/budget usd 5', 'Money: $0.00 of $5.00');
  await enter('/budget tokens 500k', 'Tokens: 0 of 500,000');
  await enter('/budget turns 20', 'Turns: 0 of 20');
  await enter('/budget calls 1', 'Tool calls: 0 of 1');
  await enter('/budget calls many', '`calls many` is not a limit.');
  await enter('read', '1 tool call used. Allow 2 more?');
  const session = await chat.events();
  expect(ofType(session, 'session.opened')[0]!.limits).toEqual({
    usd: 5,
    tokens: 500_000,
    turns: 20,
    toolCalls: 1,
    minutes: 0,
  });
  expect(ofType(session, 'approval.asked')[0]!.title).toBe('1 tool call used. Allow 2 more?');
});

test.runIf(hasScript)('a session in a terminal has no limits, and the missing budget is said once', async () => {
  const price = { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75 };
  await using chat = await openChatPlace({ script: { ...SCRIPT, price }, words: ['--approve', 'auto', '--new'] });
  const prompt = async (): Promise<string> => {
    const terminal = await chat.open();
    terminal.type('read\r');
    await terminal.shows('That is all.');
    return untilIdle(terminal);
  };
  expect(await prompt()).toContain('No budget is set. `/budget 5` sets $5');
  expect(ofType(await chat.events(), 'session.opened')[0]!.limits).toEqual(NO_LIMITS);
  expect(await prompt()).not.toContain('No budget is set.');
});
