import { describe, expect, test } from 'vitest';
import type { Access, PolicyFile } from '../../protocol/index.ts';
import { decide } from '../gate.ts';
import { toDefaultGrant } from '../index.ts';
import { review } from '../review.ts';
import type { GateContext } from '../rule.ts';
import { RULES } from '../rules.ts';
import { readTargets } from './check-policy.ts';
import { toGlobsBelow, toHiddenGlobs, type Policy } from './policy.ts';
import { createPolicyRule, type PolicyRuleOptions } from './policy-rule.ts';

const CONTEXT: GateContext = {
  grant: toDefaultGrant('/project'),
  mode: 'auto',
  patchApproval: false,
  workspace: '/project',
  home: '/home/me/.klaus',
  now: 0,
};

function toPolicy(file: PolicyFile): Policy {
  const read = readTargets(file, ['read_file', 'git_commit', 'run_command']);
  if ('problem' in read) throw new Error(read.problem.message);
  const entries = read.targets.map(({ verdict, kind, pattern, index }) => ({
    ...{ verdict, kind, pattern, globs: kind === 'read' || kind === 'write' ? [pattern] : [] },
    ...(file.rules?.[index]?.reason !== undefined && { reason: file.rules[index].reason }),
    where: `policy.yaml:${index + 1}`,
  }));
  return { entries, secrets: file.secrets ?? [], sources: [] };
}

const judge = (file: PolicyFile, access: Access[], options: PolicyRuleOptions & { name?: string } = {}) =>
  createPolicyRule(toPolicy(file), options).check(
    { name: options.name ?? 'run_command', effects: ['execute'], access, altered: false },
    CONTEXT,
  )?.verdict;
const read = (path: string): Access => ({ kind: 'fs', path: `/project/${path}`.replace(/\/$/, ''), right: 'r' });
const write = (path: string): Access => ({ kind: 'fs', path: `/project/${path}`, right: 'w' });
const run = (command: string): Access => ({ kind: 'exec', command });

test('a tool is denied by its name, with the reason and the place of the rule', () => {
  const rule = createPolicyRule(toPolicy({ rules: [{ deny: { tool: 'git_*' }, reason: 'people commit here' }] }));
  const facts = { name: 'git_commit', effects: ['write' as const], access: [], altered: false };
  const decision = decide(facts, CONTEXT, [...RULES, rule]);
  expect(decision).toMatchObject({ verdict: 'deny', rule: 'policy' });
  expect(decision.reason).toMatch(/\bgit_commit\b.*\bpeople commit here\b.*\bpolicy\.yaml:1\b/);
  expect(rule.check({ ...facts, name: 'read_file' }, CONTEXT)).toBeUndefined();
});

test('names are compared as the file system does', () => {
  const policy = toPolicy({ rules: [{ deny: { write: 'migrations/**' } }, { ask: { read: 'Customers/*.txt' } }] });
  const verdict = (names: 'exact' | 'folded', access: Access[]) =>
    createPolicyRule(policy).check(
      { name: 'run_command', effects: ['execute'], access, altered: false },
      { ...CONTEXT, names },
    )?.verdict;
  for (const path of [
    'MIGRATIONS/c.sql',
    'migrationſ/c.sql',
    'Migrations./c.sql',
    'migrations::$DATA',
    'MIGRAT~1/C.SQL',
  ]) {
    expect(verdict('exact', [write(path)]), path).toBeUndefined();
    expect(verdict('folded', [write(path)]), path).toBe('deny');
    expect(verdict('folded', [run(`rm '${path}'`)]), path).toBeDefined();
  }
  expect(verdict('folded', [read('customers/c.TXT')])).toBe('ask');
  expect(verdict('folded', [run('cat CUSTOMERS/*')])).toBe('ask');
  expect(verdict('folded', [read('customers/c.md')])).toBeUndefined();
  expect(verdict('folded', [write('src/migration.sql')])).toBeUndefined();
});

test('it never allows: what another rule denies stays denied', () => {
  const rule = createPolicyRule(toPolicy({ rules: [{ ask: { tool: '*' } }] }));
  const facts = {
    name: 'read_file',
    effects: ['read' as const],
    access: [{ kind: 'fs' as const, path: '/etc/passwd', right: 'r' as const }],
    altered: false,
  };
  expect(decide(facts, CONTEXT, [...RULES, rule])).toMatchObject({ verdict: 'deny', rule: 'path' });
});

test('deny beats ask within the policy, in either order', () => {
  const rules: PolicyFile['rules'] = [{ ask: { write: 'a/**' } }, { deny: { write: 'a/b/**' } }];
  expect(judge({ rules }, [write('a/b/c')])).toBe('deny');
  expect(judge({ rules: rules.toReversed() }, [write('a/b/c')])).toBe('deny');
  expect(judge({ rules }, [write('a/c')])).toBe('ask');
});

describe('files', () => {
  const customers: PolicyFile = { rules: [{ deny: { read: 'customers/**' } }] };
  const migrations: PolicyFile = { rules: [{ deny: { write: 'migrations/**' } }] };
  test.each<[PolicyFile, Access, string | undefined]>([
    [customers, read('customers/a.csv'), 'deny'],
    [customers, read('customers'), 'deny'],
    // A tool that changes a file sees it.
    [customers, write('customers/a.csv'), 'deny'],
    [customers, read('customers-old/a.csv'), undefined],
    // A search of the workspace would read it.
    [customers, read(''), 'ask'],
    [customers, read('src'), undefined],
    [{ rules: [{ deny: { read: 'data/customers/**' } }] }, read('data'), 'ask'],
    [migrations, write('migrations/1.sql'), 'deny'],
    [migrations, read('migrations/1.sql'), undefined],
    [{ rules: [{ ask: { write: '*.sql' } }] }, write('deep/down/1.sql'), 'ask'],
  ])('%j %j: %s', (file, access, verdict) => {
    expect(judge(file, [access])).toBe(verdict);
  });

  test('where denied files are hidden, a search of the folder passes', () => {
    expect(judge(customers, [read('')], { hidesDenied: true })).toBeUndefined();
    expect(judge(customers, [read('customers/a.csv')], { hidesDenied: true })).toBe('deny');
  });

  test.each([
    [customers, 'cat customers/a.csv', 'deny'],
    [customers, 'cd src && cat ./../customers/../customers/a.csv', 'deny'],
    [customers, 'cat "/project/customers/a.csv"', 'deny'],
    [customers, 'tool --in=customers/a.csv', 'deny'],
    [customers, 'cat < customers/a.csv', 'deny'],
    [customers, 'ls src', undefined],
    [customers, 'cd customers && cat a.csv', 'deny'],
    [customers, 'cat customers/*', 'deny'],
    [customers, 'cat cust*/a.csv', 'ask'],
    [customers, 'cat *.md', undefined],
    [customers, 'cat $FILE', undefined],
    [{ rules: [{ deny: { read: '*.csv' } }] }, 'cat src/*.csv', 'ask'],
    [migrations, 'cat migrations/1.sql', undefined],
    [migrations, 'sed -i s/a/b/ migrations/1.sql', 'ask'],
    [migrations, 'rm -r migrations', 'ask'],
    [migrations, 'echo x > migrations/1.sql', 'deny'],
    [migrations, 'cat a.sql >> migrations/1.sql', 'deny'],
  ])('%j in a command: %s: %s', (file, command, verdict) => {
    expect(judge(file, [run(command)])).toBe(verdict);
  });

  test('what a command changed on a layer is refused by its path, and the rest is kept', () => {
    const change = (path: string) => ({ path, kind: 'deleted' as const, before: null, after: null });
    const facts = { name: 'run_command', changes: [change('migrations/1.sql'), change('src/a.ts')], scripts: [] };
    expect(review(facts, CONTEXT, [createPolicyRule(toPolicy(migrations))])).toMatchObject({
      verdict: 'allow',
      refused: ['migrations/1.sql'],
    });
    const ask: PolicyFile = { rules: [{ ask: { write: 'src/**' } }] };
    expect(review(facts, CONTEXT, [createPolicyRule(toPolicy(ask))])).toMatchObject({
      verdict: 'ask',
      rule: 'policy',
      refused: [],
    });
  });
});

describe('commands', () => {
  test.each([
    ['terraform *', 'terraform apply', 'deny'],
    ['terraform *', 'terraform', 'deny'],
    ['terraform', '/usr/local/bin/terraform plan', 'deny'],
    ['terraform *', 'echo terraform', undefined],
    ['git push', 'git push', 'deny'],
    ['git push', 'git -C sub push origin main', 'deny'],
    ['git push', 'git pull', undefined],
    ['git push', '/usr/lib/git-core/git-push origin main', 'deny'],
    ['git-push', '/usr/lib/git-core/git-push origin main', 'deny'],
    ['git push', 'git-pull', undefined],
    ['git push', 'npm test && git push', 'deny'],
    ['git push', 'npm test; (git push)', 'deny'],
    ['git push', 'true\ngit push', 'deny'],
    ['git push', "'git' pu''sh", 'deny'],
    ['git push', 'GIT_TRACE=1 git push', 'deny'],
    ['git push', 'sh -c "git push"', 'deny'],
    ['git push', 'env X=1 nohup git push', 'deny'],
    ['git push', 'echo $(git push)', 'deny'],
    ['git push', 'V=push; git $V', 'deny'],
    ['git push', 'git add *', undefined],
    ['git push', 'git pus?', 'ask'],
    ['npm publish*', 'npm publish:dry', 'deny'],
    ['npm publish', 'npm --otp x publish', 'deny'],
    ['npm publish', 'npm --tag x publish', 'deny'],
    ['npm publish', 'npm --tag exec publish', 'deny'],
    ['npm publish', 'npm --json publish', 'deny'],
    ['npm publish', 'npm --unheard x publish', 'deny'],
    ['pnpm publish', 'pnpm --unheard dlx -w x publish', 'deny'],
    ['yarn publish', 'yarn --tag dlx publish', 'deny'],
    ['npm publish', 'npm exec --yes -- prettier publish.ts', undefined],
    ['npm publish', 'npm run build', undefined],
    ['git push', 'timeout --unheard 3 9 git push', 'deny'],
    ['git push', 'nice --unheard 5 git push', 'deny'],
    ['npm publish', 'node /usr/bin/npm publish', 'ask'],
    ['npm publish', 'node --no-warnings /usr/lib/node_modules/npm/bin/npm-cli.js publish', 'ask'],
    ['npm publish', 'node "$(which npm)" publish', 'ask'],
    ['npm publish', 'node build.js publish', undefined],
    // Only the running shell knows the word: a human decides.
    ['git push', 'git $VERB', 'ask'],
    ['git push', '$TOOL push', 'ask'],
    ['git push', 'cat <<x\n$(git push)\nx', 'deny'],
    ['git push', 'echo "unclosed', 'ask'],
    ['*', 'anything at all', 'deny'],
  ])('%s against %s: %s', (pattern, command, verdict) => {
    expect(judge({ rules: [{ deny: { command: pattern } }] }, [run(command)])).toBe(verdict);
  });
});

test.each([
  ['*.pem', 'packages/api', ['*.pem']],
  ['packages/api/db/**', 'packages/api', ['db/**']],
  ['packages/api/x', 'packages/api', ['/x']],
  ['packages/*/db/x', 'packages/api', ['db/x']],
  ['**/db/x', 'packages/api', ['**/db/x']],
  ['packages/**', 'packages/api', ['**']],
  ['packages', 'packages/api', ['packages']],
  ['other/**', 'packages/api', []],
])('%s of the repository is %j in %s', (glob, below, globs) => {
  expect(toGlobsBelow(glob, below).toSorted()).toEqual([...globs].toSorted());
});

test('what must not be read is hidden like secret files', () => {
  const file: PolicyFile = {
    rules: [{ deny: { read: 'a/**' } }, { ask: { read: 'b' } }, { deny: { write: 'c' } }],
    secrets: ['s'],
  };
  expect(toHiddenGlobs(toPolicy(file))).toEqual(['a/**']);
});
