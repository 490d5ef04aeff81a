// Covers adapters/workspace, adapters/sandboxes: writable folders in addition to the workspace.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, renameSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Session } from '@klaus/sdk';
import { describe, expect } from 'vitest';
import { ofType } from '../fixtures/engine.ts';
import { test } from '../fixtures/sandboxed.ts';
import { open, put, run, text, withFolder, write, type Call, type Place } from '../fixtures/writable-folder.ts';

async function prompt(session: Session, words = 'go'): Promise<void> {
  await session.prompt(words, { onAsk: 'deny' });
  await session.advance();
}

const finished = async (session: Session) =>
  ofType(await Array.fromAsync(session.events()), 'tool.finished').map(({ outcome, output }) => ({ outcome, output }));

describe('a writable folder', () => {
  test('is written by tools and commands, and each prompt is undone and redone', async () => {
    const prompts = ({ extra }: Place): Call[][] => [
      [
        write('../extra/new.txt', 'new\n'),
        { name: 'edit_file', input: { path: `${extra}/notes.txt`, edits: [{ old: 'a note', new: 'an edit' }] } },
        write('own.txt', 'changed\n'),
      ],
      [run(`rm ${extra}/notes.txt; mkdir -p ${extra}/sub; echo made > ${extra}/sub/made.txt; echo c >> own.txt`)],
    ];
    await withFolder({ prompts }, async (engine, place) => {
      const at = (path: string): string | undefined => text(join(place.extra, path));
      const session = await open(engine, place);
      await prompt(session);
      expect((await finished(session)).map(({ outcome }) => outcome)).toEqual(['ok', 'ok', 'ok']);
      expect([at('new.txt'), at('notes.txt')]).toEqual(['new\n', 'an edit\n']);
      await prompt(session, 'more');
      expect([at('notes.txt'), at('sub/made.txt')]).toEqual([undefined, 'made\n']);

      const last = await session.restore({ kind: 'undo' }, { by: 'test' });
      expect(last.done && last.changes.map(({ path }) => path)).toEqual([
        'own.txt',
        `${place.extra}/notes.txt`,
        `${place.extra}/sub`,
        `${place.extra}/sub/made.txt`,
      ]);
      expect([at('notes.txt'), existsSync(join(place.extra, 'sub'))]).toEqual(['an edit\n', false]);
      await session.restore({ kind: 'undo' }, { by: 'test' });
      expect([at('new.txt'), at('notes.txt')]).toEqual([undefined, 'a note\n']);
      expect(text(join(place.workspace, 'own.txt'))).toBe('own text\n');
      await session.restore({ kind: 'redo' }, { by: 'test' });
      expect([at('new.txt'), at('notes.txt')]).toEqual(['new\n', 'an edit\n']);
    });
  });

  test('is undone with the workspace or not at all', async () => {
    const prompts = ({ extra }: Place): Call[][] => [
      [write('own.txt', 'changed\n'), write(`${extra}/notes.txt`, 'b\n')],
    ];
    await withFolder({ prompts }, async (engine, place) => {
      const session = await open(engine, place);
      await prompt(session);
      writeFileSync(join(place.extra, 'notes.txt'), 'by the user\n');
      const refused = await session.restore({ kind: 'undo' }, { by: 'test' });
      expect(refused).toMatchObject({ done: false, conflicts: [{ path: `${place.extra}/notes.txt` }] });
      expect(text(join(place.workspace, 'own.txt'))).toBe('changed\n');
      const kept = await session.restore({ kind: 'undo' }, { by: 'test', conflicts: 'keep' });
      expect(kept).toMatchObject({ done: true, kept: [{ path: `${place.extra}/notes.txt` }] });
      expect(text(join(place.workspace, 'own.txt'))).toBe('own text\n');
      expect(text(join(place.extra, 'notes.txt'))).toBe('by the user\n');
    });
  });

  test('has stored states, from which single files are restored', { tags: ['long'] }, async () => {
    const prompts = ({ extra }: Place): Call[][] => [[run(`rm ${extra}/notes.txt; echo x > own.txt`)]];
    await withFolder({ prompts }, async (engine, place) => {
      const session = await open(engine, place);
      await prompt(session);
      const turn = ofType(await Array.fromAsync(session.events()), 'workspace.snapshotted')[0]!.turn;
      await engine.klaus.collectGarbage({ dryRun: false });
      const path = join(place.extra, 'notes.txt');
      const restored = await session.restore({ kind: 'file', path, turn }, { by: 'test' });
      expect(restored).toMatchObject({ done: true, changes: [{ path, kind: 'created' }] });
      expect(text(path)).toBe('a note\n');
      expect(text(join(place.workspace, 'own.txt'))).toBe('x\n');
    });
  });

  test('is part of a fork, and left out of an exported test', { tags: ['long'] }, async () => {
    const prompts = ({ extra }: Place): Call[][] => [[write(`${extra}/new.txt`, 'x')], [run(`rm ${extra}/*`)]];
    await withFolder({ prompts }, async (engine, place) => {
      const session = await open(engine, place);
      await prompt(session);
      const turn = ofType(await Array.fromAsync(session.events()), 'workspace.snapshotted')[0]!.turn;
      await prompt(session, 'more');
      const fork = await engine.klaus.fork(session.id);
      const folder = { kind: 'file', path: '', turn, side: 'after', of: session.id } as const;
      expect(await fork.session.restore(folder, { by: 'test' })).toMatchObject({ done: true });
      expect(text(join(place.extra, 'new.txt'))).toBe('x');
      expect(text(join(place.extra, 'notes.txt'))).toBe('a note\n');
      const { files } = await engine.klaus.exportTest(session.id);
      expect([...files.keys()].filter((path) => path.includes('notes.txt'))).toEqual([]);
      expect([...files.keys()].some((path) => path.endsWith('own.txt'))).toBe(true);
    });
  });

  test('keeps its protected places, its git data and its secrets from commands', async () => {
    const planted = ['.claude/settings.json', '.vscode/tasks.json', '.klaus/policy.yaml', 'CLAUDE.md', '.envrc'];
    const gitData = ['.git/hooks/pre-commit', '.git/config'];
    // Rules for command lines do not apply to the content of a script.
    const prompts = (): Call[][] => [[run('sh plant.sh'), run('sh init.sh')]];
    const prepare = ({ extra, workspace }: Place): void => {
      execFileSync('git', ['init', '-q', extra]);
      execFileSync('git', ['init', '-q', join(extra, 'kept')]);
      put(join(extra, '.env'), 'TOKEN=Gh72-Lq4w-Ss6z-Vd1m\n');
      put(join(extra, '.vscode/tasks.json'), '{}\n');
      const plant = 'mkdir -p $(dirname $f); echo x >> $f; chmod +x $f';
      const all = [...planted, ...gitData].join(' ');
      const secrets = 'cat .env; mv .env moved; cat moved; echo y > .env; echo x > kept/.git/planted';
      put(
        join(workspace, 'plant.sh'),
        `cd ${extra}; for f in ${all}; do ${plant}; done; ${secrets}; echo end > seen\n`,
      );
      const hook = '.git/hooks/post-checkout';
      const init = `git init -q . && git config core.fsmonitor ./evil; echo x > ${hook}; chmod +x ${hook}`;
      put(join(workspace, 'init.sh'), `cd ${extra} && mkdir other && cd other && ${init}; echo end > ../init\n`);
    };
    const folders = ({ extra }: Place): string[] => [`${extra}:rw`, `${extra}/kept`];
    await withFolder({ prompts, prepare, folders }, async (engine, place) => {
      const at = (path: string): string | undefined => text(join(place.extra, path));
      const config = at('.git/config');
      const session = await open(engine, place);
      await prompt(session);
      expect(at('kept/.git/planted')).toBe(undefined);
      expect([at('seen'), at('init')]).toEqual(['end\n', 'end\n']);
      expect(at('.vscode/tasks.json')).toBe('{}\n');
      expect(at('.git/config')).toBe(config);
      const gone = [...planted, ...gitData].filter((path) => path !== '.vscode/tasks.json' && path !== '.git/config');
      for (const path of gone) expect({ path, text: at(path) }).toEqual({ path, text: undefined });
      expect(at('other/.git/config') ?? '').not.toContain('fsmonitor');
      const hook = statSync(join(place.extra, 'other/.git/hooks/post-checkout'), { throwIfNoEntry: false });
      expect((hook?.mode ?? 0) & 0o111).toBe(0);
      expect(at('.env')).toBe('TOKEN=Gh72-Lq4w-Ss6z-Vd1m\n');
      expect(JSON.stringify([await Array.fromAsync(session.events()), engine.server.requests])).not.toContain(
        'Gh72-Lq4w',
      );
    });
  });

  test('has the same gate rules as the workspace', async () => {
    const prompts = ({ extra, base }: Place): Call[][] => [
      [
        write(`${extra}/.git/config`, 'x'),
        write(`${extra}/.github/workflows/ci.yml`, 'x'),
        write(`${extra}/.env`, 'x'),
        write(`${extra}/data.sql`, 'x'),
        run(`echo x > ${extra}/data.sql`),
        write(`${extra}/out/new.txt`, 'x'),
        write(`${extra}/../outside.txt`, 'x'),
        write(`${extra}/kept/new.txt`, 'x'),
        run(`echo x > ${extra}/kept/new.txt; echo x > ${base}/outside.txt; echo end`),
        write('link/inside.txt', 'x'),
        {
          name: 'apply_patch',
          input: {
            patch: `*** Begin Patch\n*** Add File: both.txt\n+x\n*** Add File: ${extra}/both.txt\n+x\n*** End Patch\n`,
          },
        },
      ],
    ];
    const prepare = ({ base, extra, workspace }: Place): void => {
      mkdirSync(join(base, 'outside'));
      mkdirSync(join(extra, 'kept'));
      symlinkSync(join(base, 'outside'), join(extra, 'out'));
      symlinkSync(extra, join(workspace, 'link'));
      put(join(workspace, '.klaus/policy.yaml'), 'rules:\n  - deny: { write: "*.sql" }\n');
    };
    const folders = ({ extra }: Place): string[] => [`${extra}:rw`, `${extra}/kept:ro`];
    await withFolder({ prompts, prepare, folders }, async (engine, place) => {
      const session = await open(engine, place);
      await prompt(session);
      const decided = ofType(await Array.fromAsync(session.events()), 'gate.decided').map(
        ({ rule, verdict }) => `${rule} ${verdict}`,
      );
      expect(decided.slice(0, 5)).toEqual(['path deny', 'path ask', 'path ask', 'policy deny', 'policy deny']);
      const outcomes = (await finished(session)).map(({ outcome }) => outcome);
      expect(outcomes.slice(5)).toEqual(['denied', 'denied', 'denied', 'ok', 'ok', 'error']);
      const there = ['outside/new.txt', 'outside.txt', 'extra/kept/new.txt', 'extra/both.txt', 'project/both.txt'];
      expect(there.filter((path) => existsSync(join(place.base, path)))).toEqual([]);
      expect(text(join(place.extra, 'inside.txt'))).toBe('x');
    });
  });

  test('is read-only if the grant is, and the model is informed', async () => {
    const prompts = ({ extra }: Place): Call[][] => [
      [run(`cat ${extra}/notes.txt; echo x > ${extra}/new.txt; echo end`)],
    ];
    await withFolder({ prompts }, async (engine, place) => {
      const grant = `file-operations · code-execution · fs(${place.extra}, r)`;
      const session = await open(engine, place, { grant });
      await prompt(session);
      expect((await finished(session))[0]?.output).toContain('a note');
      expect(existsSync(join(place.extra, 'new.txt'))).toBe(false);
      const [opened] = ofType(await Array.fromAsync(session.events()), 'session.opened');
      expect(opened?.readable).toEqual([place.extra]);
      // Named once, as readable.
      expect(opened?.system.split(place.extra)).toHaveLength(2);
    });
  });

  test('is not undone if a link has replaced it, and not written without undo', async () => {
    const prompts = ({ extra }: Place): Call[][] => [[write(`${extra}/notes.txt`, 'x')]];
    await withFolder({ prompts }, async (engine, place) => {
      const session = await open(engine, place);
      await prompt(session);
      renameSync(place.extra, join(place.base, 'moved'));
      put(join(place.base, 'outside/notes.txt'), 'x');
      symlinkSync(join(place.base, 'outside'), place.extra);
      const undo = session.restore({ kind: 'undo' }, { by: 'test', conflicts: 'overwrite' });
      await expect(undo).rejects.toMatchObject({ code: 'workspace.missing' });
      expect(text(join(place.base, 'outside/notes.txt'))).toBe('x');
    });
    await withFolder({ prompts, settings: { 'undo.enabled': false } }, async (engine, place) => {
      await expect(open(engine, place)).rejects.toMatchObject({ code: 'config' });
    });
  });

  test('is refused if it contains the workspace or a link has replaced it', async () => {
    const prompts = ({ extra }: Place): Call[][] => [
      [write(`${extra}/new.txt`, 'x'), run(`echo x > ${extra}/new.txt`)],
    ];
    await withFolder({ prompts: () => [], folders: ({ base }) => [`${base}:rw`] }, async (engine, place) => {
      await expect(open(engine, place)).rejects.toMatchObject({ code: 'workspace.refused' });
    });
    await withFolder({ prompts }, async (engine, place) => {
      const session = await open(engine, place);
      renameSync(place.extra, join(place.base, 'moved'));
      mkdirSync(join(place.base, 'outside'));
      symlinkSync(join(place.base, 'outside'), place.extra);
      await session.prompt('go', { onAsk: 'deny' });
      await session.advance().catch(() => {});
      expect(existsSync(join(place.base, 'outside/new.txt'))).toBe(false);
    });
  });

  test('is reported to the model', async () => {
    await withFolder({ prompts: () => [] }, async (engine, place) => {
      const session = await open(engine, place);
      const [opened] = ofType(await Array.fromAsync(session.events()), 'session.opened');
      expect(opened).toMatchObject({ readable: [place.extra], writable: [place.extra] });
      // Named as readable and as writable.
      expect(opened?.system.split(place.extra)).toHaveLength(3);
    });
  });
});
