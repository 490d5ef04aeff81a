import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { loadPolicy } from './load-policy.ts';
import { readPolicyFile } from './read-policy-file.ts';

const TOOLS = ['read_file', 'git_commit', 'run_command'];
const read = (text: string) => readPolicyFile(text, { path: '/p/policy.yaml', tools: TOOLS });
const digest = (text: string) => createHash('sha256').update(text).digest('hex');

/** A repository with a state folder beside it, filled with files by path. */
function createTree(
  files: Record<string, string>,
): Disposable & { root: string; load(workspace?: string): ReturnType<typeof loadPolicy> } {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'klaus-policy-')));
  mkdirSync(join(root, 'repo', '.git'), { recursive: true });
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  return {
    root,
    load: (workspace = 'repo') =>
      loadPolicy({ home: join(root, 'home'), workspace: join(root, workspace), tools: TOOLS, digest }),
    [Symbol.dispose]: () => rmSync(root, { recursive: true, force: true }),
  };
}

test.each([
  ['rules:\n  - deny: { tool: git_comit }\n', 2, /"git_comit"/, /^[^,]*\bgit_commit\b[^,]*$/],
  ['rulez: []\n', 1, /"rulez"/, /^[^,]*\brules\b[^,]*$/],
  ['secrets: []\n\nrules:\n  - deny: { tool: "*" }\n    reson: x\n', 5, /"reson"/, /reason/],
  ['rules:\n  - ask: { tool: "*" }\n  - deny:\n      files: a\n', 4, /"files"/, /tool, read, write, command/],
  ['rules:\n  - allow: { command: npm publish }\n', 2, /"allow"/, undefined],
  ['rules:\n  - deny: { tool: 5 }\n', 2, /rules\[0\]\.deny\.tool/, undefined],
  ['rules: nothing\n', 1, /rules/, undefined],
  ['- a\n', 1, /\bfile\b/, undefined],
  ['rules:\n  - deny: { tool: "*" }\n  - deny:\n      read: /etc\n', 4, /absolute/, /relative/],
  ['rules:\n  - deny: &a { read: a }\n  - deny: *a\n', 3, /\brule 1\b/, undefined],
  ['secrets:\n  - a\n  - ../b\n', 3, /`\.\.`/, undefined],
  ['rules:\n  - deny: { read: a }\n  - deny: { read: ""}\n', 3, /read/, undefined],
])('%j is refused at line %i', async (text, line, message, hint) => {
  const error: unknown = await read(text).catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({ code: 'config', message: expect.stringMatching(message) });
  expect((error as Error).message).toMatch(new RegExp(`^/p/policy\\.yaml:${line}: `));
  if (hint) expect((error as { hint?: string }).hint).toMatch(hint);
});

test.each(['rules: [', 'a: b: c', 'rules: []\nrules: []\n', '"', '--- 1\n--- 2\n'])(
  'text that is no YAML is refused with its place and not quoted: %j',
  async (text) => {
    await expect(read(text)).rejects.toMatchObject({
      code: 'config',
      message: expect.stringMatching(/^\/p\/policy\.yaml:\d+:\d+: [\w ]+ \([A-Z_]+\)$/),
    });
  },
);

test('aliases without end are refused', async () => {
  const names = Array.from(
    { length: 12 },
    (_, index) =>
      `a${index}: &a${index} [${Array(9)
        .fill(index === 0 ? 'x' : `*a${index - 1}`)
        .join(', ')}]`,
  );
  await expect(read(names.join('\n'))).rejects.toMatchObject({ code: 'config' });
});

test.each(['', '# only words\n', 'rules:\n', 'rules: []\nsecrets: []\n'])('%j says nothing', async (text) => {
  const result = await read(text).catch((error: unknown) => error);
  // An empty list is written as `[]`: a key without a value may be an unfinished list.
  if (text === 'rules:\n') expect(result).toMatchObject({ code: 'config' });
  else expect(result).toMatchObject({ targets: [] });
});

test('the files of the user and of every folder up to the repository hold together', async () => {
  using tree = createTree({
    'home/policy.yaml': 'rules:\n  - deny: { tool: git_commit }\n    reason: people commit here\n',
    'repo/.klaus/policy.yaml':
      'rules:\n  - ask: { write: packages/api/db/** }\n  - deny: { write: other/** }\nsecrets: [packages/api/config.yaml, "*.secret"]\n',
    'repo/packages/api/.klaus/policy.yaml': 'rules:\n  - ask: { command: terraform * }\n',
    '.klaus/policy.yaml': 'rules:\n  - deny: { tool: "*" }\n',
  });
  const policy = await tree.load('repo/packages/api');
  expect(policy.entries).toEqual([
    {
      verdict: 'deny',
      kind: 'tool',
      pattern: 'git_commit',
      globs: [],
      reason: 'people commit here',
      where: `${tree.root}/home/policy.yaml:2`,
    },
    {
      verdict: 'ask',
      kind: 'command',
      pattern: 'terraform *',
      globs: [],
      where: `${tree.root}/repo/packages/api/.klaus/policy.yaml:2`,
    },
    {
      verdict: 'ask',
      kind: 'write',
      pattern: 'packages/api/db/**',
      globs: ['db/**'],
      where: `${tree.root}/repo/.klaus/policy.yaml:2`,
    },
    { verdict: 'deny', kind: 'write', pattern: 'other/**', globs: [], where: `${tree.root}/repo/.klaus/policy.yaml:3` },
  ]);
  expect(policy.secrets).toEqual(['/config.yaml', '*.secret']);
  // Folders above the repository belong to other projects.
  expect(policy.sources.map(({ path }) => path)).not.toContain(`${tree.root}/.klaus/policy.yaml`);
  expect(policy.sources.every(({ hash }) => /^[0-9a-f]{64}$/.test(hash))).toBe(true);
});

test('nothing there is nothing in force', async () => {
  using tree = createTree({});
  expect(await tree.load()).toEqual({ entries: [], secrets: [], sources: [] });
});

test.each<[string, (root: string) => void, RegExp]>([
  [
    'a link to outside',
    (root) => symlinkSync(join(root, 'outside.yaml'), join(root, 'repo/.klaus/policy.yaml')),
    /\brepository\b/,
  ],
  ['a link to nothing', (root) => symlinkSync('gone.yaml', join(root, 'repo/.klaus/policy.yaml')), /policy\.yaml/],
  ['a link to itself', (root) => symlinkSync('policy.yaml', join(root, 'repo/.klaus/policy.yaml')), /ELOOP/],
  ['a folder', (root) => mkdirSync(join(root, 'repo/.klaus/policy.yaml')), /policy\.yaml/],
])('%s in the place of the file is refused, not passed over', async (_, place, message) => {
  using tree = createTree({ 'outside.yaml': 'rules: []\n', 'repo/.klaus/README.md': '' });
  place(tree.root);
  await expect(tree.load()).rejects.toMatchObject({ code: 'config', message: expect.stringMatching(message) });
});
