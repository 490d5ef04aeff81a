// Covers apps/cli/commands/run/run.ts, apps/cli/commands/run/chat.ts: options without a prompt, in a terminal.
import { expect, test } from 'vitest';
import { KEYS } from '../fixtures/emulator.ts';
import { hasScript } from '../fixtures/pseudo-terminal.ts';
import { openChatPlace, untilIdle } from './open-chat.ts';

const SCRIPT = { steps: [], fallback: { text: 'A sentence.' } };

test
  .runIf(hasScript)
  .each([
    [['--model', 'anthropic/claude-sonnet-5-5']],
    [['-m', 'anthropic/claude-sonnet-5-5', '--approve', 'ask']],
    [['--effort', 'low']],
  ])('%j opens the terminal', async (words) => {
  await using chat = await openChatPlace({ script: SCRIPT });
  const terminal = await chat.open({ command: words, words: [] });
  terminal.type('hello\r');
  await terminal.shows('A sentence.');
  await untilIdle(terminal);
  terminal.type(KEYS.ctrlD);
  expect(await terminal.ended).toBe(0);
  expect(await chat.sessions()).toHaveLength(1);
});

test.runIf(hasScript)('options of a run alone still need a prompt', async () => {
  await using chat = await openChatPlace({ script: SCRIPT });
  const terminal = await chat.open({ command: ['--output-format', 'json'], words: [], isReady: false });
  expect(await terminal.ended).toBe(2);
});
