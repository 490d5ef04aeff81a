// Covers adapters/tools/git/carried: which content git finds in new commits, in the sandbox.
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createSandbox } from '@klaus/adapters/sandboxes';
import { judgeContents } from '@klaus/adapters/tools';
import { createWorkspace } from '@klaus/adapters/workspace';
import type { ContentQuery, IndexContents } from '@klaus/core/agent';
import { describe, expect, test } from 'vitest';
import { createTestHome, type TestHome } from '../fixtures/test-home.ts';
import { createToolContext } from '../fixtures/tool-context.ts';

const git = ({ workspace, env }: TestHome, ...words: string[]): string =>
  execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@localhost', ...words], {
    cwd: workspace,
    env,
    stdio: 'pipe',
  })
    .toString()
    .trim();

function commit(place: TestHome, path: string): string {
  writeFileSync(join(place.workspace, path), `${path}\n`);
  git(place, 'add', '-A');
  git(place, 'commit', '-q', '-m', 'complete');
  return git(place, 'rev-parse', 'HEAD');
}

async function judge(place: TestHome, query: Partial<ContentQuery>) {
  const { workspace, home, env } = place;
  mkdirSync(home, { recursive: true, mode: 0o700 });
  const sandbox = await createSandbox({ workspace, home, env });
  const context = createToolContext({ workspace: await createWorkspace(workspace), sandbox });
  const given: ContentQuery = {
    ...{ repository: '', gitFolder: '.git', known: [], further: [], tips: [], files: [] },
    indexes: { entries: [], isComplete: true },
    isPlace: () => true,
    accepts: async () => false,
    ...query,
  };
  const { carried } = await judgeContents(context, given);
  return Object.fromEntries([...carried].map(([tip, entries]) => [tip, entries.map(({ path }) => path).toSorted()]));
}

describe('content of new commits', () => {
  test('is that of all of them, also of a merge, of a second root and of names like the end of the list', async () => {
    using place = createTestHome();
    const known = [git(place, 'rev-parse', 'HEAD')];
    const named = commit(place, 'x\ncomplete\n');
    git(place, 'checkout', '-q', '--orphan', 'second');
    git(place, 'rm', '-rfq', '.');
    const second = commit(place, 'complete');
    git(place, 'checkout', '-q', 'main');
    git(place, 'merge', '-q', '--allow-unrelated-histories', '--no-commit', 'second');
    const merge = commit(place, 'added by the merge');
    const tree = git(place, 'rev-parse', `${second}^{tree}`);
    expect(await judge(place, { known, tips: [named, second, merge, tree, known[0]!, 'f'.repeat(40)] })).toEqual({
      [named]: ['x\ncomplete\n'],
      [second]: ['complete'],
      [merge]: ['added by the merge', 'complete', 'x\ncomplete\n'],
      [tree]: ['complete'],
    });
  });

  test('is not judged if a commit or a tree of the history is missing', async () => {
    using place = createTestHome();
    const known = [git(place, 'rev-parse', 'HEAD')];
    const lost = commit(place, 'a');
    const tip = commit(place, 'b');
    for (const id of [lost, git(place, 'rev-parse', `${lost}^{tree}`)]) {
      const path = join(place.workspace, '.git/objects', id.slice(0, 2), id.slice(2));
      const content = readFileSync(path);
      rmSync(path, { force: true });
      await expect(judge(place, { known, tips: [tip] })).rejects.toMatchObject({ code: 'tool.failed' });
      writeFileSync(path, content);
    }
    expect(await judge(place, { known, tips: [tip] })).toEqual({ [tip]: ['a', 'b'] });
  });

  test('is not judged if the index cannot be read', async () => {
    using place = createTestHome();
    const known = [git(place, 'rev-parse', 'HEAD')];
    const tip = commit(place, 'a');
    const indexes = Promise.reject<IndexContents>(new RangeError('the index cannot be read'));
    indexes.catch(() => {});
    await expect(judge(place, { known, tips: [tip], indexes })).rejects.toBeInstanceOf(RangeError);
  });
});
