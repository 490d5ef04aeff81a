import { expect, test } from 'vitest';
import { toolAppeal } from './tool-appeal.ts';

const decide = (request: string[], command = 'git push --force') =>
  toolAppeal.decide({ tool: 'Bash', input: { command }, root: '/project', denial: 'it rewrites history', request })
    ?.outcome;

test.each([
  [[], 'deny'],
  [['Please run `git push --force` now.'], 'pass'],
  [['git push --force'], 'pass'],
  [["Don't run git push --force."], 'deny'],
  [['Never use git push --force', 'Run the tests.'], undefined],
  [['Run git push --force', 'Wait, not yet.'], undefined],
  [['Fix the build and do what is needed.'], undefined],
  [['Run git push --force-with-lease'], undefined],
  [['I wonder what git push --force does'], undefined],
])('%j: %s', (request, outcome) => {
  expect(decide(request)).toBe(outcome);
});

test('a command that contains what the user named is another one', () => {
  expect(decide(['Run git push --force'], 'git push --force origin :main')).toBeUndefined();
});
