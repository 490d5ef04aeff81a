// Covers core/agent/workspace, adapters/workspace/layer: edge cases of reviewed changes.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { hunksOf, createKlaus, defineTool, type EventOf, type Klaus, type Session } from '@klaus/sdk';
import { describe, expect } from 'vitest';
import { z } from 'zod';
import { createTestEngine, ofType, outcomeOf, type TestEngine } from '../fixtures/engine.ts';
import { toScript, type ToolCall } from '../fixtures/play.ts';
import { test } from '../fixtures/sandboxed.ts';
import { splitCases } from '../fixtures/split-cases.ts';
import { untilFile } from '../fixtures/watch-file.ts';

const SANDBOXED = { 'sandbox.driver': 'bubblewrap' };
const ISOLATED = { ...SANDBOXED, isolate: true };
const by = 'test';

function command(text: string, more: object = {}): ToolCall {
  return { name: 'run_command', input: { command: text, ...more } };
}

/** A script whose first answer makes all of these calls. */
function atOnce(...calls: ToolCall[]) {
  return {
    steps: [
      { when: { turn: 0 }, reply: { calls } },
      { when: { turn: 1 }, reply: { text: 'Done.' } },
    ],
  };
}

async function runToQuestion(session: Session): Promise<EventOf<'approval.asked'>> {
  await session.prompt('go', { onAsk: 'wait' });
  const result = await session.advance();
  if (result.state !== 'parked')
    throw new Error(`no question: ${JSON.stringify(outcomeOf(await Array.fromAsync(session.events())))}`);
  return result.approvals[0]!;
}

function put({ place }: TestEngine, path: string, text: string): void {
  writeFileSync(join(place.workspace, path), text);
}

function read({ place }: TestEngine, path: string): string {
  return readFileSync(join(place.workspace, path), 'utf8');
}

/** Another process, as far as anything in memory goes. */
function reopen({ place, server }: TestEngine): Promise<Klaus> {
  return createKlaus({
    home: place.home,
    cwd: place.workspace,
    env: place.env,
    settings: { model: 'scripted/test' },
    scripted: async () => ({ url: server.url }),
  });
}

async function finishedOf(session: Session): Promise<EventOf<'tool.finished'>> {
  return ofType(await Array.fromAsync(session.events()), 'tool.finished').at(-1)!;
}

describe('changes by the user at the same time', () => {
  test('while a question is open, is not of the turn and survives its undo', async () => {
    await using engine = await createTestEngine({
      script: atOnce(
        { name: 'write_file', input: { path: 'a.txt', content: 'model\n' } },
        command('echo command > b.txt'),
      ),
      files: { 'a.txt': 'a\n', 'mine.txt': 'old\n' },
      settings: { ...SANDBOXED, approve: 'edits' },
    });
    const session = await engine.klaus.open();
    const asked = await runToQuestion(session);
    put(engine, 'mine.txt', 'hours of work\n');
    await engine.klaus.answer(asked.approval, 'approved');
    expect((await session.advance()).state).toBe('idle');
    expect(await session.restore({ kind: 'undo' }, { by })).toMatchObject({ done: true });
    expect(read(engine, 'mine.txt')).toBe('hours of work\n');
    expect(read(engine, 'a.txt')).toBe('a\n');
    expect(existsSync(join(engine.place.workspace, 'b.txt'))).toBe(false);
  });

  test('after a run was cancelled, survives the undo of its turn', async () => {
    await using engine = await createTestEngine({
      script: atOnce(
        { name: 'write_file', input: { path: 'a.txt', content: 'model\n' } },
        command('echo command > b.txt'),
      ),
      files: { 'a.txt': 'a\n', 'mine.txt': 'old\n' },
      settings: { ...SANDBOXED, approve: 'edits' },
    });
    const session = await engine.klaus.open();
    await runToQuestion(session);
    await session.send({ type: 'cancel' });
    await session.advance();
    put(engine, 'mine.txt', 'hours of work\n');
    await session.restore({ kind: 'undo' }, { by });
    expect(read(engine, 'mine.txt')).toBe('hours of work\n');
    expect(read(engine, 'a.txt')).toBe('a\n');
  });

  test('while a reviewed command runs, is a conflict and not overwritten', { tags: ['long'] }, async () => {
    await using engine = await createTestEngine({
      // The command reports when it has changed the file, and runs while the user changes it too.
      script: atOnce(command('sed -i s/a/command/ a.txt && echo seen && sleep 1')),
      files: { 'a.txt': 'a\n' },
      settings: ISOLATED,
    });
    const session = await engine.klaus.open();
    const seen = new Promise<void>((resolve) => {
      session.onLive((live) => {
        if (live.type === 'tool.progress' && live.text.includes('seen')) resolve();
      });
    });
    await session.prompt('go', { onAsk: 'wait' });
    const running = session.advance();
    await seen;
    put(engine, 'a.txt', 'mine\n');
    const result = await running;
    if (result.state === 'parked') {
      await engine.klaus.answer(result.approvals[0]!.approval, 'approved');
      await session.advance();
    }
    expect(read(engine, 'a.txt')).toBe('mine\n');
    expect(await finishedOf(session)).toMatchObject({ outcome: 'error' });
  });
});

describe('an undo while a question is open', () => {
  test('leaves what comes after it open to another undo', { tags: ['long'] }, async () => {
    await using engine = await createTestEngine({
      script: atOnce(
        { name: 'write_file', input: { path: 'a.txt', content: 'model\n' } },
        command('echo command > b.txt'),
      ),
      files: { 'a.txt': 'a\n' },
      settings: { ...SANDBOXED, approve: 'edits' },
    });
    const session = await engine.klaus.open();
    const asked = await runToQuestion(session);
    expect(await session.restore({ kind: 'undo' }, { by })).toMatchObject({ done: true });
    expect(read(engine, 'a.txt')).toBe('a\n');
    await engine.klaus.answer(asked.approval, 'approved');
    expect((await session.advance()).state).toBe('idle');
    expect(read(engine, 'b.txt')).toBe('command\n');
    expect(await session.restore({ kind: 'undo' }, { by })).toMatchObject({ done: true });
    expect(existsSync(join(engine.place.workspace, 'b.txt'))).toBe(false);
    await session.restore({ kind: 'redo' }, { by });
    expect(read(engine, 'b.txt')).toBe('command\n');
    expect(read(engine, 'a.txt')).toBe('a\n');
    await session.restore({ kind: 'redo' }, { by });
    expect(read(engine, 'a.txt')).toBe('model\n');
  });
});

test(
  'an undo of a turn that was cut off leaves what the turn does later open to another undo',
  { tags: ['long'] },
  async () => {
    await using engine = await createTestEngine({
      script: atOnce(command('echo 1 > one.txt && sleep 60'), command('echo 2 > two.txt')),
      settings: SANDBOXED,
    });
    const at = (path: string): string => join(engine.place.workspace, path);
    const session = await engine.klaus.open();
    await session.prompt('go');
    const leave = new AbortController();
    const cut = session.advance({ signal: leave.signal });
    await untilFile(at('one.txt'));
    leave.abort();
    await cut;
    expect(await session.restore({ kind: 'undo' }, { by })).toMatchObject({ done: true });
    expect(existsSync(at('one.txt'))).toBe(false);
    await session.advance();
    expect(existsSync(at('two.txt'))).toBe(true);
    expect(await session.restore({ kind: 'undo' }, { by })).toMatchObject({ done: true });
    expect(existsSync(at('two.txt'))).toBe(false);
  },
);

describe('reviewed changes', () => {
  test('are undone with the turn, empty folders too', { tags: ['long'] }, async () => {
    await using engine = await createTestEngine({
      script: atOnce(command('mkdir -p empty/inner && echo x > a.txt')),
      files: { 'a.txt': 'a\n' },
      settings: ISOLATED,
    });
    const session = await engine.klaus.open();
    const asked = await runToQuestion(session);
    await engine.klaus.answer(asked.approval, 'approved');
    await session.advance();
    expect(existsSync(join(engine.place.workspace, 'empty/inner'))).toBe(true);
    expect(await session.restore({ kind: 'undo' }, { by })).toMatchObject({ done: true });
    expect(existsSync(join(engine.place.workspace, 'empty'))).toBe(false);
    expect(read(engine, 'a.txt')).toBe('a\n');
  });

  test('a folder stays where the removal of a file in it was rejected', { tags: ['long'] }, async () => {
    await using engine = await createTestEngine({
      script: atOnce(command('rm -r folder')),
      files: { 'folder/keep.txt': 'keep\n', 'folder/old.txt': 'old\n' },
      settings: ISOLATED,
    });
    const session = await engine.klaus.open();
    const asked = await runToQuestion(session);
    const ids = asked.subject.kind === 'changes' ? asked.subject.hunks.map(({ id }) => id) : [];
    await engine.klaus.answer(asked.approval, 'approved', {
      hunks: { accepted: ids.filter((id) => !id.startsWith('folder/keep.txt')) },
    });
    await session.advance();
    expect(await finishedOf(session)).toMatchObject({ outcome: 'ok' });
    expect(readdirSync(join(engine.place.workspace, 'folder'))).toEqual(['keep.txt']);
  });

  test(
    'of a run that is cancelled are said not to be kept, with what the command said',
    { tags: ['long'] },
    async () => {
      await using engine = await createTestEngine({
        script: atOnce(command('echo x > a.txt && echo it said this')),
        files: { 'a.txt': 'a\n' },
        settings: ISOLATED,
      });
      const session = await engine.klaus.open();
      await runToQuestion(session);
      await session.send({ type: 'cancel' });
      await session.advance();
      expect(read(engine, 'a.txt')).toBe('a\n');
      expect(await finishedOf(session)).toMatchObject({
        outcome: 'cancelled',
        // The words of the command, then a note.
        output: expect.stringMatching(/it said this[^]*\n\n\S/),
      });
    },
  );

  test('are refused clearly where there is no sandbox to make a layer in', async () => {
    await using engine = await createTestEngine({
      script: atOnce(command('echo x > a.txt')),
      files: { 'a.txt': 'a\n' },
      settings: { isolate: true },
    });
    const session = await engine.klaus.open();
    await session.prompt('go', { onAsk: 'wait' });
    expect((await session.advance()).state).toBe('idle');
    expect(read(engine, 'a.txt')).toBe('a\n');
    expect(await finishedOf(session)).toMatchObject({ outcome: 'error' });
  });

  for (const { cases, tags } of splitCases(
    [
      ['isolated', ISOLATED],
      ['asking', { ...SANDBOXED, approve: 'ask' }],
    ],
    1,
  ))
    test.each(cases)('a commit in a session that is %s is in the repository', { tags }, async (_kind, settings) => {
      await using engine = await createTestEngine({
        script: toScript([{ name: 'git_commit', input: { message: 'Mine', all: true } }]),
        files: { 'a.txt': 'a\n' },
        settings,
      });
      put(engine, 'a.txt', 'b\n');
      const session = await engine.klaus.open();
      const asked = await runToQuestion(session);
      expect(asked.subject).toMatchObject({ kind: 'call', name: 'git_commit' });
      await engine.klaus.answer(asked.approval, 'approved');
      expect((await session.advance()).state).toBe('idle');
      const log = execFileSync('git', ['log', '--format=%s'], { cwd: engine.place.workspace, encoding: 'utf8' });
      expect((await finishedOf(session)).outcome).toBe('ok');
      expect(log).toBe('Mine\nBegin\n');
    });
});

describe('a hunk that the user edits', () => {
  const SECRET = `ghp_${'aB3dE5gH7jK9mN1p'.repeat(3).slice(0, 36)}`;
  const before = `one\ntoken = "${SECRET}"\nthree\n`;
  const files = { 'config.txt': before };
  const edited = (asked: EventOf<'approval.asked'>) => {
    const [hunk] = hunksOf(asked);
    const lines = hunk!.lines.filter((line) => !line.startsWith('-')).map((line) => line.slice(1));
    expect(lines.join()).not.toContain(SECRET);
    return { accepted: [], edited: [{ id: hunk!.id, text: `${lines.join('\n').replace('four', 'vier')}\n` }] };
  };

  test('keeps secrets in the rest of the file', async () => {
    await using engine = await createTestEngine({
      script: atOnce({ name: 'edit_file', input: { path: 'config.txt', edits: [{ old: 'three', new: 'four' }] } }),
      files,
      settings: { approve: 'ask' },
    });
    const session = await engine.klaus.open();
    const asked = await runToQuestion(session);
    await engine.klaus.answer(asked.approval, 'approved', { hunks: edited(asked) });
    await session.advance();
    expect(read(engine, 'config.txt')).toBe(before.replace('three', 'vier'));
  });

  test('keeps them in what a command changed', async () => {
    await using engine = await createTestEngine({
      script: atOnce(command('sed -i s/three/four/ config.txt')),
      files,
      settings: ISOLATED,
    });
    const session = await engine.klaus.open();
    const asked = await runToQuestion(session);
    await engine.klaus.answer(asked.approval, 'approved', { hunks: edited(asked) });
    await session.advance();
    expect(read(engine, 'config.txt')).toBe(before.replace('three', 'vier'));
  });
});

test(
  'a question about large changes of a command has a limited size, and the changes are applied completely',
  { tags: ['long'] },
  async () => {
    const make = `let s="";for(let i=0;i<20000;i++)s+="line "+i+"\\n";for(let i=0;i<60;i++)require("fs").writeFileSync("f"+i,s+i)`;
    await using engine = await createTestEngine({
      script: atOnce(command(`node -e '${make}'`)),
      files: { 'package.json': '{"scripts":{}}' },
      settings: ISOLATED,
    });
    const session = await engine.klaus.open();
    const asked = await runToQuestion(session);
    expect(asked.subject).toMatchObject({ kind: 'changes', files: 60 });
    expect(JSON.stringify(asked).length).toBeLessThan(8_000_000);
    const ids = asked.subject.kind === 'changes' ? asked.subject.hunks.map(({ id }) => id) : [];
    await engine.klaus.answer(asked.approval, 'approved', { hunks: { accepted: ids.filter((id) => id !== 'f59#1') } });
    await session.advance();
    expect((await finishedOf(session)).outcome).toBe('ok');
    expect(existsSync(join(engine.place.workspace, 'f59'))).toBe(false);
    for (const name of ['f0', 'f58']) expect(read(engine, name).endsWith(`line 19999\n${name.slice(1)}`)).toBe(true);
  },
);

test('the states of a folder that is away for a while are not freed while they may be needed', async () => {
  await using engine = await createTestEngine({
    script: toScript([{ name: 'write_file', input: { path: 'a.txt', content: 'model\n' } }]),
    files: { 'a.txt': 'a\n' },
  });
  const session = await engine.klaus.open();
  await session.prompt('go');
  await session.advance();
  const { workspace } = engine.place;
  renameSync(workspace, `${workspace}-away`);
  const { workspaces } = await engine.klaus.collectGarbage({ dryRun: false });
  expect(workspaces).toMatchObject([{ isGone: true, freed: 0 }]);
  renameSync(`${workspace}-away`, workspace);
  await session.restore({ kind: 'undo' }, { by });
  expect(read(engine, 'a.txt')).toBe('a\n');
});

test('a hunk that is named twice does not count for another one', async () => {
  await using engine = await createTestEngine({
    script: atOnce(command('echo x > a.txt && echo y > b.txt')),
    files: { 'a.txt': 'a\n', 'b.txt': 'b\n' },
    settings: ISOLATED,
  });
  const session = await engine.klaus.open();
  const asked = await runToQuestion(session);
  await engine.klaus.answer(asked.approval, 'approved', { hunks: { accepted: ['a.txt#1', 'a.txt#1'] } });
  await session.advance();
  expect([read(engine, 'a.txt'), read(engine, 'b.txt')]).toEqual(['x\n', 'b\n']);
});

test('an answer whose changes are not kept any more ends the call and says so', { tags: ['long'] }, async () => {
  await using engine = await createTestEngine({
    script: atOnce(command('echo x > a.txt && echo it said this')),
    files: { 'a.txt': 'a\n' },
    settings: ISOLATED,
  });
  const session = await engine.klaus.open();
  const asked = await runToQuestion(session);
  await engine.klaus.close();
  rmSync(join(engine.place.home, 'snapshots'), { recursive: true });
  await using later = await reopen(engine);
  await later.answer(asked.approval, 'approved');
  expect((await later.handle(session.id).advance()).state).toBe('idle');
  const finished = ofType(await Array.fromAsync(later.handle(session.id).events()), 'tool.finished').at(-1)!;
  expect(finished).toMatchObject({ outcome: 'error' });
  expect(finished.output).toContain('it said this');
});

test('changes that a revocation came before are not kept', async () => {
  await using engine = await createTestEngine({
    script: atOnce(command('echo x > a.txt')),
    files: { 'a.txt': 'a\n' },
    settings: ISOLATED,
  });
  const session = await engine.klaus.open();
  const asked = await runToQuestion(session);
  await session.revoke();
  await engine.klaus.answer(asked.approval, 'approved');
  await session.advance();
  expect(read(engine, 'a.txt')).toBe('a\n');
});

describe('one file', () => {
  const calls = [command('echo 1 >> a.txt'), command('echo 2 >> a.txt')];
  const open = () =>
    createTestEngine({ script: toScript(calls), files: { 'a.txt': 'a\n', 'sub/b.txt': 'b\n' }, settings: SANDBOXED });

  test(
    'that the user changed is not overwritten without asking, and a restore can be undone',
    { tags: ['long'] },
    async () => {
      await using engine = await open();
      const session = await engine.klaus.open();
      await session.prompt('go');
      await session.advance();
      put(engine, 'a.txt', 'mine\n');
      const request = { kind: 'file', path: 'a.txt', turn: 1 } as const;
      expect(await session.restore(request, { by })).toMatchObject({ done: false, conflicts: [{ path: 'a.txt' }] });
      expect(read(engine, 'a.txt')).toBe('mine\n');
      expect(await session.restore(request, { by, conflicts: 'overwrite' })).toMatchObject({ done: true });
      expect(read(engine, 'a.txt')).toBe('a\n');
      expect(await session.restore({ kind: 'redo' }, { by })).toMatchObject({ done: true });
      expect(read(engine, 'a.txt')).toBe('mine\n');
    },
  );

  test('is found however its path is written', { tags: ['long'] }, async () => {
    await using engine = await open();
    const session = await engine.klaus.open();
    await session.prompt('go');
    await session.advance();
    expect(await session.restore({ kind: 'file', path: './a.txt', turn: 1 }, { by })).toMatchObject({ done: true });
    expect(read(engine, 'a.txt')).toBe('a\n');
    rmSync(join(engine.place.workspace, 'sub'), { recursive: true });
    const gone = await session.restore({ kind: 'file', path: 'sub/', turn: 1 }, { by, conflicts: 'overwrite' });
    expect(gone).toMatchObject({ done: true });
    expect(read(engine, 'sub/b.txt')).toBe('b\n');
  });

  test('of the user in a folder that is restored is shown and stays', { tags: ['long'] }, async () => {
    await using engine = await open();
    const session = await engine.klaus.open();
    await session.prompt('go');
    await session.advance();
    mkdirSync(join(engine.place.workspace, 'sub'), { recursive: true });
    put(engine, 'sub/mine.txt', 'mine\n');
    const refused = await session.restore({ kind: 'file', path: 'sub', turn: 1 }, { by });
    expect(refused).toMatchObject({ done: false, conflicts: [{ path: 'sub/mine.txt' }] });
    expect(read(engine, 'sub/mine.txt')).toBe('mine\n');
  });
});

test('a remembered approval of a command without network does not give it the network', async () => {
  await using engine = await createTestEngine({
    script: toScript([command('echo one'), command('echo one', { network: true })]),
    settings: { ...SANDBOXED, approve: 'edits' },
  });
  const session = await engine.klaus.open({ grant: ['file-operations', 'code-execution', 'net(*)'] });
  const asked = await runToQuestion(session);
  await engine.klaus.answer(asked.approval, 'approved', { scope: 'session' });
  expect((await session.advance()).state).toBe('idle');
  await session.prompt('again', { onAsk: 'wait' });
  expect((await session.advance()).state).toBe('parked');
});

test('effects of a program that runs again after a crash are undone too', { tags: ['long'] }, async () => {
  const check = defineTool({
    name: 'check',
    description: 'Runs a check.',
    input: z.object({}),
    effects: ['execute'],
    resume: 'repeat',
    prepare: async () => ({ title: 'check', access: [{ kind: 'exec' as const, command: 'true' }], command: 'true' }),
    async run(_input, { sandbox }) {
      await sandbox.exec({ command: 'echo cache > .cache' });
      return { text: 'fine' };
    },
  });
  await using engine = await createTestEngine({
    script: toScript([{ name: 'check', input: {} }]),
    settings: SANDBOXED,
    tools: [check],
  });
  const session = await engine.klaus.open();
  await session.prompt('go');
  await session.advance();
  expect(read(engine, '.cache')).toBe('cache\n');
  await session.restore({ kind: 'undo' }, { by });
  expect(existsSync(join(engine.place.workspace, '.cache'))).toBe(false);
});
