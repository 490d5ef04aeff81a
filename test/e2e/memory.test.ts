// Covers core/agent/context, adapters/store/sqlite/queries, adapters/tools/memory: remembered knowledge.
import { expect, test } from 'vitest';
import type { EventOf, Session } from '@klaus/sdk';
import { createTestEngine, ofType, outcomeOf, type TestEngine } from '../fixtures/engine.ts';
import { runKlaus } from '../fixtures/klaus.ts';
import { createTestHome } from '../fixtures/test-home.ts';

const REMEMBER = {
  steps: [
    { when: { turn: 0 }, reply: { calls: [{ name: 'memory_set', input: { key: 'tests', value: 'run npm test' } }] } },
    { when: { turn: 1 }, reply: { text: 'Done.' } },
  ],
};
const JUST_TALK = { steps: [{ reply: { text: 'Done.' } }] };

const contextOf = async (session: Session) =>
  ofType(await Array.fromAsync(session.events()), 'message.added').filter(
    ({ message }) => message.origin === 'context',
  );
const toText = ({ message }: EventOf<'message.added'>) =>
  message.parts.map((part) => (part.type === 'text' ? part.text : '')).join('');

async function prompt(engine: TestEngine): Promise<Session> {
  const session = await engine.klaus.open();
  await session.prompt('Do it.');
  await session.advance();
  return session;
}

test('what one session notes is in the context of the next one from the first turn, and once only', async () => {
  await using engine = await createTestEngine({ script: REMEMBER });
  const first = await prompt(engine);
  expect(outcomeOf(await Array.fromAsync(first.events()))).toMatchObject({ outcome: 'done' });
  expect(await contextOf(first)).toEqual([]);
  expect(await engine.klaus.memory().get('tests')).toMatchObject({ value: 'run npm test', session: first.id });

  const second = await prompt(engine);
  const [note, ...more] = await contextOf(second);
  expect(more).toEqual([]);
  expect(toText(note!)).toContain('<memory>\n- tests [general]: run npm test\n</memory>');
  expect(toText(note!)).toMatch(/<\/memory>\n\S/);
  const seqOf = async (origin: string) =>
    ofType(await Array.fromAsync(second.events()), 'message.added').find(({ message }) => message.origin === origin)!
      .seq;
  expect(note!.seq).toBeLessThan(await seqOf('user'));
  await engine.klaus.memory().set({ key: 'later', value: 'not in this history' });
  await second.prompt('Continue.');
  await second.advance();
  expect(await contextOf(second)).toHaveLength(1);
});

test('the context holds about 2 KB, what is pinned first, and says how to find the rest', async () => {
  await using engine = await createTestEngine({ script: JUST_TALK });
  const memory = engine.klaus.memory();
  await memory.set({ key: 'first of all', value: `never\npush </memory> ${'x'.repeat(3_000)}`, category: 'pinned' });
  for (let i = 0; i < 30; i++)
    await memory.set({ key: `k${i}`, value: 'v'.repeat(200), scope: i % 2 ? 'global' : 'project' });
  const text = toText((await contextOf(await prompt(engine)))[0]!);
  expect(text.length).toBeLessThan(2_500);
  expect(text).toMatch(/^<memory>\n- first of all \[pinned\]: never push \(\/memory> x+… \(memory_get\b.*\)\n/);
  expect(text.match(/<\/memory>/g)).toHaveLength(1);
  expect(text).toMatch(/<\/memory>\n.*\b\d\b.*\b31\b.*\bmemory_search\b/);
});

test('secrets are not remembered', async () => {
  const token = `ghp_${'a1B2c3D4e5F6'.repeat(3)}`;
  await using engine = await createTestEngine({
    script: {
      steps: [
        {
          when: { turn: 0 },
          reply: {
            calls: [{ name: 'memory_set', input: { key: 'token', value: `use ${token}`, category: 'pinned' } }],
          },
        },
        { when: { turn: 1 }, reply: { text: 'Done.' } },
      ],
    },
  });
  const session = await prompt(engine);
  expect(ofType(await Array.fromAsync(session.events()), 'tool.finished')[0]).toMatchObject({ outcome: 'ok' });
  expect((await engine.klaus.memory().get('token'))!.value).toMatch(/^use \[secret:/);
  await engine.klaus.memory().set({ key: 'mine', value: token });
  expect(JSON.stringify(await engine.klaus.memory().list())).not.toContain(token);
});

test('a note needs an approval if changes do, and the approver sees it', async () => {
  await using engine = await createTestEngine({ script: REMEMBER });
  const session = await engine.klaus.open({ mode: 'ask' });
  await session.prompt('Do it.', { onAsk: 'wait' });
  expect(await session.advance()).toMatchObject({ state: 'parked' });
  const [asked] = await engine.klaus.approvals();
  expect(asked).toMatchObject({ title: 'remember: tests', diff: expect.stringContaining('+run npm test') });
  expect(await engine.klaus.memory().list()).toEqual([]);
  await (await engine.klaus.answer(asked!.id, 'approved')).advance();
  expect(await engine.klaus.memory().get('tests')).toMatchObject({ value: 'run npm test' });
});

test('a session without the tools for memory receives no notes', async () => {
  await using engine = await createTestEngine({ script: JUST_TALK, builtinTools: false });
  await engine.klaus.memory().set({ key: 'k', value: 'v' });
  expect(await contextOf(await prompt(engine))).toEqual([]);
  expect(() => engine.klaus.memory('/no/such/folder')).toThrow(expect.objectContaining({ code: 'workspace.missing' }));
});

test('the command line reads and changes the same notes', async () => {
  using place = createTestHome({ 'sub/a.txt': '' });
  const klaus = (...words: string[]) => runKlaus(['memory', ...words], { place });
  const set = await klaus('set', 'build', 'make all', '--category', 'pinned');
  expect(set).toMatchObject({ code: 0, stdout: '', stderr: '' });
  expect(await klaus('set', 'style', 'tabs', '--global')).toMatchObject({ code: 0 });
  const table = (await klaus('list')).stdout.split('\n').map((line) => line.split(/ {2,}/));
  expect(table.slice(0, 3)).toEqual([
    ['KEY', 'CATEGORY', 'SCOPE', 'BY', 'CHANGED', 'NOTE'],
    ['build', 'pinned', 'project', 'user', expect.stringMatching(/^\d{4}-/), 'make all'],
    ['style', 'general', 'global', 'user', expect.stringMatching(/^\d{4}-/), 'tabs'],
  ]);
  const found = await klaus('search', 'mak', '--json');
  expect(found).toMatchObject({ code: 0, stderr: '' });
  expect(JSON.parse(found.stdout)).toMatchObject({ key: 'build', session: null });
  expect(await klaus('get', 'build')).toMatchObject({ code: 0, stdout: 'make all\n' });
  expect(await klaus('get', 'build', '--cwd', 'sub')).toMatchObject({
    ...{ code: 2, stdout: '' },
    stderr: expect.stringContaining('build'),
  });
});
