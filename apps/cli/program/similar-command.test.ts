import { expect, test } from 'vitest';
import { findSimilarCommand } from './similar-command.ts';

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
