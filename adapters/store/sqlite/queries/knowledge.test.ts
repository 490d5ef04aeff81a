import type { KnowledgeEntry } from '@klaus/core/agent';
import { expect, test } from 'vitest';
import { overwrite } from '../../fixtures/damage.ts';
import { createTemporaryHome } from '../../fixtures/temporary-home.ts';
import { PAGE_SIZE, toDatabaseFile } from '../open-database.ts';
import { recoverDatabase } from '../recovery/recover.ts';
import { createSqliteStore, type SqliteStore } from '../sqlite-store.ts';

/** A store whose clock steps one second with every look at it. */
function open(home: string): SqliteStore {
  let now = 0;
  return createSqliteStore({ home, clock: { now: () => (now += 1_000), every: () => () => {} } });
}

const keys = (entries: readonly KnowledgeEntry[]) => entries.map(({ key }) => key);

test('an entry is there for the next session, with who wrote it and when', async () => {
  using home = createTemporaryHome();
  {
    using store = open(home.path);
    const set = await store.knowledge('/a').set({ key: ' build ', value: 'npm run build\n', session: 'S1' });
    expect(set).toEqual({
      ...{ key: 'build', value: 'npm run build', category: 'general', scope: 'project', session: 'S1' },
      ...{ createdAt: 1_000, updatedAt: 1_000 },
    });
    await store.knowledge('/a').set({ key: 'build', value: 'make', category: 'commands' });
    await store.knowledge('/a').set({ key: 'build', value: 'make all' });
  }
  using store = open(home.path);
  expect(await store.knowledge('/a').get('build')).toEqual({
    ...{ key: 'build', value: 'make all', category: 'commands', scope: 'project', session: null },
    ...{ createdAt: 1_000, updatedAt: 3_000 },
  });
  expect(await store.knowledge('/a').get('nothing')).toBeUndefined();
  expect((await store.stats()).tables).toContainEqual({ name: 'knowledge', rows: 1 });
});

test('what one project knows no other one sees; what is global all see', async () => {
  using home = createTemporaryHome();
  using store = open(home.path);
  const [a, b] = [store.knowledge('/a'), store.knowledge('/b')];
  await a.set({ key: 'style', value: 'tabs' });
  await b.set({ key: 'style', value: 'spaces', scope: 'global' });
  await b.set({ key: 'owner', value: 'the b team' });
  expect(await a.get('style')).toMatchObject({ value: 'tabs', scope: 'project' });
  expect(await a.get('style', 'global')).toMatchObject({ value: 'spaces' });
  expect(await b.get('style')).toMatchObject({ value: 'spaces', scope: 'global' });
  expect(await a.get('owner')).toBeUndefined();
  expect((await a.list()).map(({ scope, value }) => `${scope} ${value}`)).toEqual(['project tabs', 'global spaces']);
  expect(await a.search('owner team')).toEqual([]);
  expect(keys(await a.search('tabs spaces', { scope: 'global' }))).toEqual(['style']);
  expect([await a.count(), await a.count({ scope: 'project' }), await b.count()]).toEqual([2, 1, 2]);
  expect(await a.remove('style', 'project')).toBe(true);
  expect(await a.remove('style', 'project')).toBe(false);
  expect(await a.get('style')).toMatchObject({ value: 'spaces' });
});

test('lists begin with what is pinned, then with the latest', async () => {
  using home = createTemporaryHome();
  using store = open(home.path);
  const knowledge = store.knowledge('/a');
  await knowledge.set({ key: 'first', value: '1', category: 'pinned' });
  for (const key of ['second', 'third', 'fourth']) await knowledge.set({ key, value: '1' });
  await knowledge.set({ key: 'second', value: '2' });
  expect(keys(await knowledge.list())).toEqual(['first', 'second', 'fourth', 'third']);
  expect(keys(await knowledge.list({ limit: 2 }))).toEqual(['first', 'second']);
  expect(keys(await knowledge.list({ category: 'pinned' }))).toEqual(['first']);
});

test('a search finds the beginnings of words, the key before the value, and nothing that is gone', async () => {
  using home = createTemporaryHome();
  using store = open(home.path);
  const knowledge = store.knowledge('/a');
  await knowledge.set({ key: 'deploy', value: 'by hand, never on Fridays' });
  await knowledge.set({ key: 'release notes', value: 'Größe der Pakete before each deployment' });
  await knowledge.set({ key: 'tests', value: 'vitest', category: 'commands' });
  expect(keys(await knowledge.search('deploy'))).toEqual(['deploy', 'release notes']);
  expect(keys(await knowledge.search('grosse größe'))).toEqual(['release notes']);
  expect(keys(await knowledge.search('command'))).toEqual(['tests']);
  expect(keys(await knowledge.search('deploy', { limit: 1 }))).toEqual(['deploy']);
  await knowledge.set({ key: 'tests', value: 'jest', category: 'other' });
  expect(await knowledge.search('vitest command')).toEqual([]);
  await knowledge.remove('deploy', 'project');
  expect(await knowledge.search('fridays')).toEqual([]);
});

test.each([
  '"',
  'a AND',
  'NEAR(',
  'key:x',
  '*',
  '^',
  '',
  ' ',
  '\0',
  '\uD800',
  '- -a',
  "'; DROP TABLE x",
  'x '.repeat(5_000),
])('a query never throws: %j', async (query) => {
  using home = createTemporaryHome();
  using store = open(home.path);
  const knowledge = store.knowledge('/a');
  await knowledge.set({ key: 'k', value: 'v' });
  expect(await knowledge.search(query)).toEqual([]);
});

test('what is too long, empty or one too many is refused and changes nothing', async () => {
  using home = createTemporaryHome();
  using store = open(home.path);
  const knowledge = store.knowledge('/a');
  for (const draft of [
    { key: '', value: 'v' },
    { key: 'two\nlines', value: 'v' },
    { key: 'k'.repeat(201), value: 'v' },
    { key: 'k', value: ' ' },
    { key: 'k', value: 'v'.repeat(4_001) },
    { key: 'k', value: 'a\0b' },
    { key: 'k', value: 'v', category: 'c'.repeat(51) },
  ]) {
    await expect(knowledge.set(draft)).rejects.toMatchObject({ code: 'usage' });
  }
  expect(await knowledge.count()).toBe(0);
  await Promise.all(Array.from({ length: 1_000 }, (_, i) => knowledge.set({ key: `k${i}`, value: 'v' })));
  await expect(knowledge.set({ key: 'more', value: 'v' })).rejects.toMatchObject({ code: 'usage' });
  await expect(knowledge.set({ key: 'k1', value: 'changed' })).resolves.toMatchObject({ value: 'changed' });
  await expect(knowledge.set({ key: 'more', value: 'v', scope: 'global' })).resolves.toMatchObject({ key: 'more' });
});

test('a recovery keeps what is remembered, also for the search', async () => {
  using home = createTemporaryHome();
  {
    using store = open(home.path);
    await store.knowledge('/a').set({ key: 'build', value: 'npm run build', session: 'S1' });
    await store.knowledge('/a').set({ key: 'style', value: 'tabs', scope: 'global' });
  }
  expect(recoverDatabase(home.path)).toMatchObject({ knowledge: 2 });
  {
    using store = open(home.path);
    expect(await store.knowledge('/a').search('npm')).toMatchObject([
      { key: 'build', session: 'S1', createdAt: 1_000 },
    ]);
    expect(keys(await store.knowledge('/b').list())).toEqual(['style']);
  }
  overwrite(toDatabaseFile(home.path), 0, PAGE_SIZE);
  expect(recoverDatabase(home.path)).toMatchObject({ knowledge: null });
});
