import { expect, test } from 'vitest';
import { checkPromptWords, findSimilarCommand } from './unknown-command.ts';
import { UsageError } from './cli-error.ts';

const NAMES = ['run', 'resume', 'sessions', 'show', 'config', 'db'];

async function refusal(
  words: readonly string[],
  given: { isFirst?: boolean; hasInput?: boolean } = {},
): Promise<UsageError | undefined> {
  try {
    const options = { names: NAMES, isFirst: true, hasInput: false, listAgents: async () => ['filer'] };
    await checkPromptWords(words, { ...options, ...given });
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
  ['filer', 'klaus chat filer'],
  ['instal', 'klaus doctor --install'],
  ['Install', 'klaus doctor --install'],
  ['sesions', 'klaus run -- sesions'],
  ['show', 'klaus show first'],
])('%s alone is no prompt, and the hint names %s', async (word, hint) => {
  const refused = await refusal([word]);
  expect(refused).toMatchObject({ hint: expect.stringContaining(hint) });
  expect(refused!.hint).toContain(`klaus run -- ${word}`);
});

test.each([[['whoami', 'please']], [['login', 'now']]])('%s is no prompt', async (words) => {
  expect((await refusal(words))!.hint).toContain('klaus run -- "');
});

test.each([
  [['fix the tests']],
  [['update', 'the', 'docs']],
  [['fix', 'it']],
  [['Hallo!']],
  [['src/a.ts']],
  [['Füge']],
  [['hello']],
  [['self-test']],
  [['work']],
  [[]],
])('%j is a prompt', async (words) => {
  expect(await refusal(words)).toBeUndefined();
});

test('after an option a word is an answer, unless it resembles a command', async () => {
  expect(await refusal(['yes'], { isFirst: false })).toBeUndefined();
  expect(await refusal(['login'], { isFirst: false })).toBeUndefined();
  expect(await refusal(['sesions'], { isFirst: false })).toBeDefined();
});

test('a word beside the text of a program is a prompt, unless it resembles a command', async () => {
  expect(await refusal(['review'], { hasInput: true })).toBeUndefined();
  expect(await refusal(['sesions'], { hasInput: true })).toBeDefined();
  expect(await refusal(['login'], { hasInput: true })).toBeDefined();
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
