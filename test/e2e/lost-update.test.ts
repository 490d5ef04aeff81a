// Covers adapters/tools/files/write-file.ts, adapters/tools/files/shown-text.ts, adapters/tools/files/keep-links.ts,
// core/agent/state/fold-calls.ts: a complete write over a file that others have changed.
import { linkSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Session } from '@klaus/sdk';
import { describe, expect, test } from 'vitest';
import { createTestEngine, ofType, type TestEngine } from '../fixtures/engine.ts';
import { play, toScript, type ToolCall } from '../fixtures/play.ts';

const READ: ToolCall = { name: 'read_file', input: { path: 'a.py' } };
const WRITE: ToolCall = { name: 'write_file', input: { path: 'a.py', content: 'v = 2\n' } };
const EDIT: ToolCall = { name: 'edit_file', input: { path: 'a.py', edits: [{ old: 'v = 1', new: 'v = 3' }] } };

const open = (calls: readonly ToolCall[]) =>
  createTestEngine({ files: { 'a.py': 'v = 1\n' }, script: toScript(calls), settings: { approve: 'auto' } });
const on = (engine: TestEngine, name = 'a.py') => readFileSync(join(engine.place.workspace, name), 'utf8');
const save = (engine: TestEngine, text: string) => writeFileSync(join(engine.place.workspace, 'a.py'), text);
const lastCall = async (session: Session) => ofType(await Array.fromAsync(session.events()), 'tool.finished').at(-1)!;
const next = (engine: TestEngine, session: Session) => play(engine.klaus, session, { user: 'none' });

const USERS = 'v = 1\nuser = "important"\n';

describe('a write over a file that changed since the model read it', () => {
  test('is refused with the difference, and nothing is written', async () => {
    await using engine = await open([READ, WRITE, READ, WRITE]);
    const session = await engine.klaus.open();
    await next(engine, session);
    save(engine, USERS);
    await next(engine, session);
    expect(on(engine)).toBe(USERS);
    const refused = await lastCall(session);
    expect(refused).toMatchObject({ outcome: 'error', detail: { code: 'workspace.conflict' } });
    expect(refused.output).toContain('+user = "important"');
    expect(refused.output).not.toContain('-v = 1');
    await next(engine, session);
    await next(engine, session);
    expect(on(engine)).toBe('v = 2\n');
  });

  test('also after an edit of the model, and after a command', async () => {
    const append: ToolCall = { name: 'run_command', input: { command: 'echo more >>a.py' } };
    await using engine = await open([READ, EDIT, WRITE, append, WRITE]);
    const session = await engine.klaus.open();
    for (let count = 0; count < 3; count++) await next(engine, session);
    expect(on(engine)).toBe('v = 2\n');
    await next(engine, session);
    await next(engine, session);
    expect(on(engine)).toBe('v = 2\nmore\n');
  });

  test('also when its edit did not show the rest of the file', async () => {
    await using engine = await open([READ, EDIT, WRITE]);
    const session = await engine.klaus.open();
    await next(engine, session);
    save(engine, USERS);
    await next(engine, session);
    await next(engine, session);
    expect(on(engine)).toBe('v = 3\nuser = "important"\n');
    expect(await lastCall(session)).toMatchObject({ detail: { code: 'workspace.conflict' } });
  });

  test.each(['resume', 'compaction', 'fork'])('also after a %s', async (kind) => {
    const calls = kind === 'compaction' ? [READ] : [READ, WRITE];
    const script = toScript(calls);
    // The summary and the turns after it have no fixed number.
    if (kind === 'compaction') {
      script.steps.unshift({ when: { tools: false, system: 'compress the history' }, reply: { text: 'NOTES' } });
      script.steps.push({ when: { after: 'write_file' }, reply: { text: 'Done.' } });
      script.steps.push({ when: { user: 'write now' }, reply: { calls: [WRITE] } });
    }
    await using engine = await createTestEngine({
      files: { 'a.py': 'v = 1\n' },
      script,
      settings: { approve: 'auto' },
    });
    let session = await engine.klaus.open();
    await next(engine, session);
    if (kind === 'resume') {
      await engine.reopen();
      session = await engine.klaus.session(session.id);
    } else if (kind === 'fork') {
      ({ session } = await engine.klaus.fork(session.id));
    } else {
      await session.send({ type: 'compact', by: 'test' });
      await session.advance();
    }
    save(engine, USERS);
    await play(engine.klaus, session, { user: 'none', prompt: 'write now' });
    expect(on(engine)).toBe(USERS);
    expect(await lastCall(session)).toMatchObject({ name: 'write_file', detail: { code: 'workspace.conflict' } });
  });
});

test('a write over a file that was never read says so, and shows what it replaces', async () => {
  await using engine = await open([WRITE, WRITE]);
  save(engine, USERS);
  const session = await engine.klaus.open();
  await next(engine, session);
  expect(on(engine)).toBe('v = 2\n');
  expect((await lastCall(session)).output).toContain('user = "important"');
  save(engine, USERS);
  await next(engine, session);
  expect(on(engine)).toBe(USERS);
});

test('a file that was read in part counts as not read', async () => {
  const part: ToolCall = { name: 'read_file', input: { path: 'a.py', start: 1, end: 1 } };
  await using engine = await open([part, WRITE]);
  save(engine, USERS);
  const session = await engine.klaus.open();
  await next(engine, session);
  await next(engine, session);
  expect((await lastCall(session)).output).toContain('user = "important"');
});

describe('names of one file (hard links)', () => {
  const other = (engine: TestEngine) => join(engine.place.workspace, 'b.py');

  test.each([[[EDIT]], [[READ, WRITE]]])('stay names of it: %j', async (calls) => {
    await using engine = await open(calls);
    linkSync(join(engine.place.workspace, 'a.py'), other(engine));
    const session = await engine.klaus.open();
    for (const _ of calls) await next(engine, session);
    expect(on(engine, 'b.py')).toBe(on(engine));
    expect(on(engine)).not.toBe('v = 1\n');
    expect(statSync(other(engine)).ino).toBe(statSync(join(engine.place.workspace, 'a.py')).ino);
    const { changes } = await lastCall(session);
    expect(changes.map(({ path }) => path).toSorted()).toEqual(['a.py', 'b.py']);
    await session.restore({ kind: 'undo' }, { by: 'test' });
    expect([on(engine), on(engine, 'b.py')]).toEqual(['v = 1\n', 'v = 1\n']);
  });

  test('outside of the workspace are not changed, and named', async () => {
    await using engine = await open([EDIT]);
    const outside = join(engine.place.workspace, '..', 'outside.py');
    linkSync(join(engine.place.workspace, 'a.py'), outside);
    const session = await engine.klaus.open();
    await next(engine, session);
    expect(readFileSync(outside, 'utf8')).toBe('v = 1\n');
    expect(on(engine)).toBe('v = 3\n');
    expect((await lastCall(session)).output).toContain('hard links');
  });

  test('that a rule protects are not changed through another name', async () => {
    const edit = { ...EDIT, input: { ...(EDIT.input as object), path: 'c.py' } };
    await using engine = await open([edit]);
    writeFileSync(join(engine.place.workspace, '.npmrc'), 'v = 1\n');
    linkSync(join(engine.place.workspace, '.npmrc'), join(engine.place.workspace, 'c.py'));
    const session = await engine.klaus.open();
    await next(engine, session);
    expect(on(engine, '.npmrc')).toBe('v = 1\n');
  });
});
