import { expect, test } from 'vitest';
import { checkPromptWords, findSimilarCommand } from './unknown-command.ts';
import { UsageError } from './cli-error.ts';

const NAMES = ['run', 'resume', 'sessions', 'show', 'config', 'db'];

function refusal(words: readonly string[], isFirst = true): UsageError | undefined {
  try {
    checkPromptWords(words, { names: NAMES, isFirst });
    return undefined;
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    return error;
  }
}

test.each([
  ['login', 'ANTHROPIC_API_KEY'],
  ['setup', 'klaus init'],
  ['update', 'npm install'],
  ['upgrade', 'npm install'],
  ['mcp', 'MCP'],
  ['instal', 'klaus doctor --install'],
  ['Install', 'klaus doctor --install'],
  ['sesions', 'klaus run -- sesions'],
  ['hello', 'klaus --help'],
  ['self-test', 'klaus --help'],
  ['show', 'klaus show first'],
])('%s alone is no prompt, and the hint names %s', (word, hint) => {
  expect(refusal([word])).toMatchObject({ hint: expect.stringContaining(hint) });
  expect(refusal([word])!.hint).toContain(`klaus run -- ${word}`);
});

test.each([[['mcp', 'add', 'x']], [['login', 'now']]])('%s is no prompt', (words) => {
  expect(refusal(words)!.hint).toContain('klaus run -- "');
});

test.each([
  [['fix the tests']],
  [['update', 'the', 'docs']],
  [['fix', 'it']],
  [['Hallo!']],
  [['src/a.ts']],
  [['Füge']],
  [[]],
])('%j is a prompt', (words) => {
  expect(refusal(words)).toBeUndefined();
});

test('after an option a word is an answer, unless it resembles a command', () => {
  expect(refusal(['yes'], false)).toBeUndefined();
  expect(refusal(['login'], false)).toBeUndefined();
  expect(refusal(['sesions'], false)).toBeDefined();
});

const COMMANDS = ['run', 'resume', 'sessions', 'show', 'approve', 'approvals', 'db'];

test.each([
  ['sesions', 'sessions'],
  ['sessoins', 'sessions'],
  ['shwo', 'show'],
  ['approv', 'approve'],
  ['rum', 'run'],
  ['Show', 'show'],
  ['fix', undefined],
  ['refactor', undefined],
  ['hello', undefined],
  ['do', undefined],
])('%s is near %s', (word, near) => {
  expect(findSimilarCommand(word, COMMANDS)).toBe(near);
});
