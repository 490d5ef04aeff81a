import { expect, test } from 'vitest';
import { toolApprove } from './tool-approve.ts';

const decide = (tool: string, input: Record<string, unknown>) =>
  toolApprove.decide({ tool, input, root: '/project', request: [] })?.outcome;

test.each([
  ['git status', 'pass'],
  ['npm test && git diff --stat', 'pass'],
  ['cat src/a.ts | head -20', 'pass'],
  ['grep -rn "x" src 2>/dev/null', 'pass'],
  ['cat /etc/passwd', undefined],
  ['cat ../other/file', undefined],
  ['./git status', undefined],
  ['PATH=. ls', undefined],
  ['find . -delete', undefined],
  ['git diff --output=src/a.ts', undefined],
  ['go test -exec ./x', undefined],
  ['cargo --config x build', undefined],
  ['uniq a b', undefined],
  ['rg --pre ./x y', undefined],
  ['ls > out.txt', undefined],
  ['echo $(cat file)', undefined],
  ['npm run deploy', undefined],
  ['docker ps', undefined],
  ['rm -rf /', 'deny'],
])('%s: %s', (command, outcome) => {
  const found = decide('Bash', { command });
  if (outcome === undefined) expect(found).not.toBe('pass');
  else expect(found).toBe(outcome);
});

test.each([
  ['Read', '/project/src/a.ts', 'pass'],
  ['Read', '/project/.env', 'deny'],
  ['Read', '/etc/hosts', undefined],
  ['Edit', '/project/src/a.ts', 'pass'],
  ['Write', 'src/../docs/a.md', 'pass'],
  ['Write', '/project/../x.ts', undefined],
  ['Edit', '/project/.git/hooks/pre-commit', undefined],
  ['Edit', '/project/package.json', undefined],
  ['Edit', '/project/Makefile', undefined],
  ['Edit', '/project/.github/workflows/a.yml', undefined],
  ['Edit', '/project/CLAUDE.md', undefined],
  ['Edit', '/project/scripts/deploy.sh', undefined],
])('%s %s: %s', (tool, file_path, outcome) => {
  expect(decide(tool, { file_path })).toBe(outcome);
});

test('searches pass, unknown tools are left to the model', () => {
  expect(decide('Grep', { pattern: 'x' })).toBe('pass');
  expect(decide('mcp__db__drop', { table: 'users' })).toBeUndefined();
});
