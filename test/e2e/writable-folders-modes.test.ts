// Covers adapters/workspace, adapters/sandboxes: writable folders on layers and in the background.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { hunksOf, type EventOf, type OpenOptions, type Session } from '@klaus/sdk';
import { describe, expect } from 'vitest';
import { ofType } from '../fixtures/engine.ts';
import { test } from '../fixtures/sandboxed.ts';
import { open, put, run, text, withFolder, type Call, type Place } from '../fixtures/writable-folder.ts';

async function runToQuestion(session: Session): Promise<EventOf<'approval.asked'>> {
  await session.prompt('go', { onAsk: 'wait' });
  const result = await session.advance();
  if (result.state !== 'parked')
    throw new Error(`no question: ${ofType(await Array.fromAsync(session.events()), 'tool.finished').at(-1)?.output}`);
  return result.approvals[0]!;
}

const hunkIdsOf = (asked: EventOf<'approval.asked'>): string[] => hunksOf(asked).map(({ id }) => id);
const outputOf = async (session: Session): Promise<string> =>
  ofType(await Array.fromAsync(session.events()), 'tool.finished').at(-1)!.output;
const systemOf = async (session: Session): Promise<string> =>
  ofType(await Array.fromAsync(session.events()), 'session.opened')[0]!.system;
/** How often the model is informed of the folder: as readable, and as writable. */
const countNotices = async (session: Session, { extra }: Place): Promise<number> =>
  (await systemOf(session)).split(extra).length - 1;

const MODES: [string, OpenOptions][] = [
  ['isolated', { isolate: true }],
  ['in mode ask', { mode: 'ask' }],
];

describe('a writable folder on a layer', () => {
  const prompts = ({ extra }: Place): Call[][] => [
    [
      run(
        `cat ${extra}/notes.txt; echo two >> ${extra}/notes.txt; mkdir ${extra}/sub; echo x > ${extra}/sub/new.txt; echo c > own.txt; cat ${extra}/notes.txt`,
      ),
    ],
  ];

  test.each(MODES)('is changed after the changes were accepted, %s', async (_name, options) => {
    await withFolder({ prompts }, async (engine, place) => {
      const at = (path: string): string | undefined => text(join(place.extra, path));
      const session = await open(engine, place, options);
      expect(await countNotices(session, place)).toBe(2);
      let asked = await runToQuestion(session);
      // Mode ask asks about the command too.
      if (asked.subject.kind === 'call') {
        await engine.klaus.answer(asked.approval, 'approved');
        const next = await session.advance();
        if (next.state !== 'parked') throw new Error('its changes were not asked about');
        asked = next.approvals[0]!;
      }
      expect([at('notes.txt'), at('sub/new.txt')]).toEqual(['a note\n', undefined]);
      expect(text(join(place.workspace, 'own.txt'))).toBe('own text\n');
      expect(hunkIdsOf(asked)).toEqual(
        expect.arrayContaining(['own.txt#1', `${place.extra}/notes.txt#1`, `${place.extra}/sub/new.txt#1`]),
      );
      await engine.klaus.answer(asked.approval, 'approved');
      await session.advance();
      expect([at('notes.txt'), at('sub/new.txt')]).toEqual(['a note\ntwo\n', 'x\n']);
      expect(text(join(place.workspace, 'own.txt'))).toBe('c\n');
      expect(await outputOf(session)).toContain('a note\na note\ntwo');
      await session.restore({ kind: 'undo' }, { by: 'test' });
      expect([at('notes.txt'), existsSync(join(place.extra, 'sub'))]).toEqual(['a note\n', false]);
      expect(text(join(place.workspace, 'own.txt'))).toBe('own text\n');
    });
  });

  test('is accepted hunk by hunk, and unchanged if all are rejected', { tags: ['long'] }, async () => {
    await withFolder({ prompts }, async (engine, place) => {
      const session = await open(engine, place, { isolate: true });
      const asked = await runToQuestion(session);
      await engine.klaus.answer(asked.approval, 'approved', { hunks: { accepted: [`${place.extra}/notes.txt#1`] } });
      await session.advance();
      expect(text(join(place.extra, 'notes.txt'))).toBe('a note\ntwo\n');
      expect(existsSync(join(place.extra, 'sub/new.txt'))).toBe(false);
      expect(text(join(place.workspace, 'own.txt'))).toBe('own text\n');
    });
    await withFolder({ prompts }, async (engine, place) => {
      const session = await open(engine, place, { isolate: true });
      const asked = await runToQuestion(session);
      await engine.klaus.answer(asked.approval, 'rejected');
      await session.advance();
      expect(text(join(place.extra, 'notes.txt'))).toBe('a note\n');
      expect(existsSync(join(place.extra, 'sub'))).toBe(false);
    });
  });

  test('is not overwritten if the user changed it', { tags: ['long'] }, async () => {
    await withFolder({ prompts }, async (engine, place) => {
      const session = await open(engine, place, { isolate: true });
      const asked = await runToQuestion(session);
      writeFileSync(join(place.extra, 'notes.txt'), 'by the user\n');
      await engine.klaus.answer(asked.approval, 'approved');
      await session.advance();
      expect(text(join(place.extra, 'notes.txt'))).toBe('by the user\n');
      expect(text(join(place.workspace, 'own.txt'))).toBe('own text\n');
      expect(await outputOf(session)).toContain(`${place.extra}/notes.txt`);
    });
  });

  test('keeps its secrets, its git data and its protected places', async () => {
    const prepare = ({ extra, workspace }: Place): void => {
      execFileSync('git', ['init', '-q', extra]);
      put(join(extra, '.env'), 'TOKEN=Gh72-Lq4w-Ss6z-Vd1m\n');
      put(join(extra, '.klaus/policy.yaml'), 'rules: []\n');
      // Rules for command lines do not apply to the content of a script.
      const places = '.git/hooks/pre-commit .git/config .klaus/policy.yaml .env';
      put(
        join(workspace, 'plant.sh'),
        `cd ${extra}; cat .env; for f in ${places}; do echo x >> $f; done; echo c > ok.txt; echo end`,
      );
    };
    const attack = (): Call[][] => [[run('sh plant.sh')]];
    await withFolder({ prompts: attack, prepare }, async (engine, place) => {
      const config = text(join(place.extra, '.git/config'));
      const session = await open(engine, place, { isolate: true });
      let result = await (await session.prompt('go', { onAsk: 'wait' }), session.advance());
      for (let at = 0; result.state === 'parked' && at < 5; at++) {
        await engine.klaus.answer(result.approvals[0]!.approval, 'approved');
        result = await session.advance();
      }
      expect(text(join(place.extra, 'ok.txt'))).toBe('c\n');
      expect(text(join(place.extra, '.env'))).toBe('TOKEN=Gh72-Lq4w-Ss6z-Vd1m\n');
      expect(text(join(place.extra, '.klaus/policy.yaml'))).toBe('rules: []\n');
      expect(text(join(place.extra, '.git/config'))).toBe(config);
      expect(existsSync(join(place.extra, '.git/hooks/pre-commit'))).toBe(false);
      expect(JSON.stringify([await Array.fromAsync(session.events()), engine.server.requests])).not.toContain(
        'Gh72-Lq4w',
      );
    });
  });
});

test('a background process can change a writable folder, but not its git data', async () => {
  const prepare = ({ extra, workspace }: Place): void => {
    execFileSync('git', ['init', '-q', extra]);
    put(join(extra, '.env'), 'TOKEN=Gh72-Lq4w-Ss6z-Vd1m\n');
    const plant = 'echo x >> .git/config; echo x > .git/hooks/post-checkout';
    put(join(workspace, 'plant.sh'), `cd ${extra}; cat .env; echo x > made.txt; ${plant}; echo end`);
  };
  const prompts = (): Call[][] => [
    [{ name: 'run_command', input: { command: 'sh plant.sh', background: true } }],
    [{ name: 'process_output', input: { process: 'p1', waitFor: 'exit' } }],
  ];
  await withFolder({ prompts, prepare, settings: { approve: 'auto' } }, async (engine, place) => {
    const config = text(join(place.extra, '.git/config'));
    const session = await open(engine, place);
    expect(await countNotices(session, place)).toBe(2);
    for (const words of ['go', 'and then']) {
      await session.prompt(words, { onAsk: 'deny' });
      await session.advance();
    }
    expect(await outputOf(session)).toContain('end');
    expect(text(join(place.extra, 'made.txt'))).toBe('x\n');
    expect(text(join(place.extra, '.git/config'))).toBe(config);
    expect(existsSync(join(place.extra, '.git/hooks/post-checkout'))).toBe(false);
    expect(JSON.stringify([await Array.fromAsync(session.events()), engine.server.requests])).not.toContain(
      'Gh72-Lq4w',
    );
  });
});

describe('a folder that is a linked worktree of a repository elsewhere', () => {
  const prepare = ({ base, extra }: Place): void => {
    const git = (...words: string[]): void =>
      void execFileSync('git', words, { cwd: join(base, 'main'), stdio: 'ignore' });
    const who = ['-c', 'user.name=User', '-c', 'user.email=user@localhost'];
    mkdirSync(join(base, 'main'));
    git('init', '-q');
    git(...who, 'commit', '--allow-empty', '-qm', 'first');
    rmSync(extra, { recursive: true });
    git('worktree', 'add', '-q', '-b', 'side', extra);
    put(join(extra, 'notes.txt'), 'a note\n');
  };
  const commit =
    'git add notes.txt && git -c user.name=A -c user.email=a@b commit -qm second && git log --oneline side';
  const script = ({ workspace, extra, base }: Place): void => {
    const plant = 'echo x >> config; echo x > hooks/post-checkout; rm -rf objects/*';
    put(join(workspace, 'plant.sh'), `cd ${base}/main/.git && ls && ${plant}`);
    put(join(workspace, 'work.sh'), `cd ${extra} && git status --short; ${commit}; echo end`);
  };
  const log = ({ base }: Place): string =>
    execFileSync('git', ['log', '--format=%s', 'side'], { cwd: join(base, 'main'), encoding: 'utf8' });

  test('has git, with configuration, hooks and objects that commands cannot change', async () => {
    const prompts = (): Call[][] => [[run('sh work.sh')], [run('sh plant.sh')]];
    const setUp = (place: Place): void => (prepare(place), script(place));
    await withFolder({ prompts, prepare: setUp, settings: { approve: 'auto' } }, async (engine, place) => {
      const main = join(place.base, 'main/.git');
      const config = text(join(main, 'config'));
      const session = await open(engine, place);
      await session.prompt('go', { onAsk: 'deny' });
      await session.advance();
      expect(await outputOf(session)).toContain('?? notes.txt');
      expect(await outputOf(session)).toMatch(/second\n.*first/);
      expect(await outputOf(session)).toContain('end');
      await session.prompt('more', { onAsk: 'deny' });
      await session.advance();
      expect(await outputOf(session)).toContain('Read-only file system');
      expect(log(place)).toBe('second\nfirst\n');
      expect(text(join(main, 'config'))).toBe(config);
      expect(existsSync(join(main, 'hooks/post-checkout'))).toBe(false);
    });
  });

  test('is read-only on a layer', { tags: ['long'] }, async () => {
    const prompts = (): Call[][] => [[run('sh work.sh')]];
    const setUp = (place: Place): void => (prepare(place), script(place));
    await withFolder({ prompts, prepare: setUp }, async (engine, place) => {
      const session = await open(engine, place, { isolate: true });
      await session.prompt('go', { onAsk: 'deny' });
      await session.advance();
      expect(await outputOf(session)).toContain('?? notes.txt');
      expect(log(place)).toBe('first\n');
    });
  });
});
