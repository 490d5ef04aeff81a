// Covers adapters/workspace, core/policy: reading folders in addition to the workspace.
import { linkSync, mkdirSync, realpathSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { defineTool, KlausError, type OpenOptions, type Session, type Tool } from '@klaus/sdk';
import { describe, expect } from 'vitest';
import { z } from 'zod';
import { createTestEngine, ofType, type TestEngine } from '../fixtures/engine.ts';
import { test } from '../fixtures/sandboxed.ts';

const SECRET = 'Gh72-Lq4w-Ss6z-Vd1m';

interface Call {
  name: string;
  input: Readonly<Record<string, string | number | { old: string; new: string }[]>>;
}

interface Place {
  /** Holds everything; real. */
  base: string;
  workspace: string;
  /** The further folder. */
  extra: string;
}

interface Given {
  calls: (place: Place) => readonly Call[];
  /** Puts more into the place before anything is opened. */
  prepare?: (place: Place) => void;
  /** Default: the further folder. */
  folders?: (place: Place) => readonly string[];
  tool?: (place: Place) => Tool;
}

function write(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

/** An engine whose script can name the paths of its own folders: they are made with another engine's place before. */
async function withFolders(given: Given, use: (engine: TestEngine, place: Place) => Promise<void>): Promise<void> {
  await using holder = await createTestEngine({ script: { steps: [], fallback: { text: 'Done.' } } });
  const base = realpathSync(dirname(holder.place.workspace));
  const place = { base, workspace: join(base, 'project'), extra: join(base, 'extra') };
  write(join(place.workspace, 'own.txt'), 'own text\n');
  write(join(place.extra, 'notes.txt'), 'a note\n');
  write(join(place.extra, 'deep/.env'), `TOKEN=${SECRET}\n`);
  given.prepare?.(place);
  await using engine = await createTestEngine({
    script: {
      steps: given.calls(place).map(({ name, input }) => ({ reply: { calls: [{ name, input: { ...input } }] } })),
      fallback: { text: 'Done.' },
    },
    settings: {
      'sandbox.driver': 'bubblewrap',
      'sandbox.folders': given.folders?.(place) ?? [place.extra],
    },
    ...(given.tool ? { tools: [given.tool(place)] } : {}),
  });
  await use(engine, place);
}

async function run(engine: TestEngine, place: Place, options: OpenOptions = {}): Promise<Session> {
  const session = await engine.klaus.open({ workspace: place.workspace, ...options });
  await session.prompt('go', { onAsk: 'deny' });
  await session.advance();
  return session;
}

const finished = async (session: Session) =>
  ofType(await Array.fromAsync(session.events()), 'tool.finished').map(({ outcome, output }) => ({ outcome, output }));
const read = (path: string): Call => ({ name: 'read_file', input: { path } });

describe('tools that read', () => {
  test('find files of a further folder by every spelling, and name them by absolute paths', async () => {
    const calls = ({ extra }: Place): Call[] => [
      read(`${extra}/notes.txt`),
      read('../extra/notes.txt'),
      read('link/notes.txt'),
      { name: 'read_file', input: { path: `${extra}/notes.txt`, start: 1, end: 1 } },
      { name: 'list_files', input: { path: extra } },
      { name: 'search_files', input: { pattern: 'note', path: '../extra' } },
    ];
    const prepare = ({ workspace, extra }: Place): void => symlinkSync(extra, join(workspace, 'link'));
    await withFolders({ calls, prepare }, async (engine, place) => {
      const [absolute, up, link, range, list, search] = await finished(await run(engine, place));
      for (const found of [absolute, up, link]) expect(found).toEqual({ outcome: 'ok', output: 'a note\n' });
      expect(range?.output).toBe('1\ta note');
      expect(list?.output).toBe(`${place.extra}/deep/.env\n${place.extra}/notes.txt`);
      expect(search?.output).toBe(`1 match in 1 file\n\n${place.extra}/notes.txt\n1: a note`);
    });
  });

  test('find the repository around the workspace, and the way back', async () => {
    const calls = ({ workspace }: Place): Call[] => [
      read('../../package.json'),
      read('../../app/main.txt'),
      read(`${workspace}/packages/app/../../app/main.txt`),
      { name: 'list_files', input: { path: '../..', glob: '*.json' } },
    ];
    const prepare = ({ workspace }: Place): void => {
      mkdirSync(join(workspace, '.git'));
      write(join(workspace, 'package.json'), '{ "name": "root" }\n');
      write(join(workspace, 'packages/app/main.txt'), 'main\n');
      symlinkSync('packages/app', join(workspace, 'app'));
    };
    await withFolders({ calls, prepare, folders: () => [] }, async (engine, place) => {
      const session = await run(engine, { ...place, workspace: join(place.workspace, 'packages/app') });
      const [root, back, dots, list] = await finished(session);
      expect(root?.output).toContain('"name": "root"');
      expect([back?.output, dots?.output]).toEqual(['main\n', 'main\n']);
      expect(list?.output).toBe(`${place.workspace}/package.json`);
      const titles = ofType(await Array.fromAsync(session.events()), 'message.added').flatMap(({ message }) =>
        JSON.stringify(message),
      );
      expect(titles.join()).not.toContain('outside');
    });
  });

  test('ask before a secret file under each of its names, and show no value of it', async () => {
    const calls = ({ extra }: Place): Call[] => [
      read(`${extra}/deep/.env`),
      read(`${extra}/harmless.txt`),
      read('hard.txt'),
      read(`${extra}/.docker/config.json`),
      { name: 'search_files', input: { pattern: 'TOKEN', path: extra } },
      {
        name: 'run_command',
        input: { command: `cat ${extra}/deep/.env ${extra}/harmless.txt ${extra}/.docker/config.json` },
      },
    ];
    const prepare = ({ extra, workspace }: Place): void => {
      symlinkSync('deep/.env', join(extra, 'harmless.txt'));
      linkSync(join(extra, 'deep/.env'), join(workspace, 'hard.txt'));
      write(join(extra, '.docker/config.json'), `token: ${SECRET}2\n`);
    };
    const folders = ({ extra }: Place): string[] => [extra, join(extra, '.docker')];
    await withFolders({ calls, prepare, folders }, async (engine, place) => {
      const session = await run(engine, place);
      const [byName, byLink, byHardLink, byPlace, search] = await finished(session);
      for (const found of [byName, byLink, byHardLink, byPlace]) expect(found?.outcome).toBe('denied');
      const rules = ofType(await Array.fromAsync(session.events()), 'gate.decided').map(
        ({ rule, verdict }) => `${rule} ${verdict}`,
      );
      expect(rules.slice(0, 4)).toEqual(Array.from({ length: 4 }, () => 'path ask'));
      expect(search?.outcome).toBe('ok');
      expect(JSON.stringify([await Array.fromAsync(session.events()), engine.server.requests])).not.toContain(SECRET);
    });
  });

  test('do not leave the folders by links, dots or absolute paths', async () => {
    const calls = ({ base, extra }: Place): Call[] => [
      read(`${extra}/out`),
      read(`${extra}/up/outside.txt`),
      read(`${extra}/../outside.txt`),
      read(`${base}/outside.txt`),
      read(`${extra}-evil/outside.txt`),
      read(`${extra}/loop`),
      { name: 'list_files', input: { path: base } },
      { name: 'search_files', input: { pattern: 'out', path: `${extra}/up` } },
      { name: 'search_files', input: { pattern: 'beyond', path: extra } },
    ];
    const prepare = ({ base, extra, workspace }: Place): void => {
      write(join(base, 'outside.txt'), 'beyond\n');
      write(`${extra}-evil/outside.txt`, 'beyond\n');
      symlinkSync('../outside.txt', join(extra, 'out'));
      symlinkSync(base, join(extra, 'up'));
      symlinkSync(join(workspace, 'loop'), join(extra, 'loop'));
      symlinkSync(join(extra, 'loop'), join(workspace, 'loop'));
    };
    await withFolders({ calls, prepare }, async (engine, place) => {
      const session = await run(engine, place);
      const found = await finished(session);
      const denied = ofType(await Array.fromAsync(session.events()), 'gate.decided').filter(
        ({ verdict, rule }) => verdict === 'deny' && rule === 'path',
      );
      expect(denied).toHaveLength(7);
      expect(found.filter(({ outcome }) => outcome === 'denied')).toHaveLength(7);
      expect(found[5]).toMatchObject({ outcome: 'error', output: expect.stringContaining('/loop') });
      expect(found.at(-1)).toEqual({ outcome: 'ok', output: expect.not.stringContaining('beyond') });
    });
  });

  test('keep to a policy there, and write nothing', async () => {
    const calls = ({ extra }: Place): Call[] => [
      read(`${extra}/salaries.sql`),
      read(`${extra}/notes.txt`),
      { name: 'write_file', input: { path: `${extra}/new.txt`, content: 'x' } },
      { name: 'edit_file', input: { path: `${extra}/notes.txt`, edits: [{ old: 'a note', new: 'b' }] } },
    ];
    const prepare = ({ extra, workspace }: Place): void => {
      write(join(extra, 'salaries.sql'), 'select 1\n');
      write(join(workspace, '.klaus/policy.yaml'), 'rules:\n  - deny: { read: "*.sql" }\n');
    };
    await withFolders({ calls, prepare }, async (engine, place) => {
      const session = await run(engine, place);
      const decided = ofType(await Array.fromAsync(session.events()), 'gate.decided').map(
        ({ rule, verdict }) => `${rule} ${verdict}`,
      );
      expect(decided[0]).toBe('policy deny');
      expect((await finished(session)).map(({ outcome }) => outcome)).toEqual(['denied', 'ok', 'denied', 'denied']);
    });
  });

  test('read nothing that the grant leaves out', async () => {
    const calls = ({ extra }: Place): Call[] => [read(`${extra}/notes.txt`)];
    await withFolders({ calls }, async (engine, place) => {
      const session = await run(engine, place, { grant: 'file-operations' });
      expect(await finished(session)).toMatchObject([{ outcome: 'denied' }]);
    });
  });

  test('lose a folder whose place a link or another folder takes, and so do commands', async () => {
    const calls = ({ extra }: Place): Call[] => [
      read(`${extra}/notes.txt`),
      { name: 'swap', input: {} },
      read(`${extra}/notes.txt`),
      { name: 'search_files', input: { pattern: 'private', path: extra } },
      { name: 'run_command', input: { command: `cat ${extra}/notes.txt` } },
    ];
    const prepare = ({ base }: Place): void => write(join(base, 'private/notes.txt'), 'private\n');
    const swap = ({ base, extra }: Place): Tool =>
      defineTool({
        name: 'swap',
        description: 'Puts a link in the place of the folder.',
        input: z.object({}),
        effects: ['read'],
        resume: 'repeat',
        run: async () => {
          renameSync(extra, join(base, 'moved'));
          symlinkSync(join(base, 'private'), extra);
          return { text: 'swapped' };
        },
      });
    await withFolders({ calls, prepare, tool: swap }, async (engine, place) => {
      const session = await run(engine, place);
      const [before, , ...found] = await finished(session);
      expect(before).toEqual({ outcome: 'ok', output: 'a note\n' });
      expect(found.slice(0, 2).map(({ outcome }) => outcome)).toEqual(['error', 'error']);
      expect(found[2]?.output).toContain('No such file');
      expect(JSON.stringify(found)).not.toContain('private\\n');
      expect(found[2]?.output).toContain(`[${place.extra} `);
    });
  });
});

describe('a grant for a folder outside of the workspace', () => {
  const OWN = 'file-operations · code-execution';

  test(
    'shows it to tools and commands, also under another name, and nothing beside it',
    { tags: ['long'] },
    async () => {
      const calls = ({ base, extra }: Place): Call[] => [
        read(`${extra}/notes.txt`),
        read(`${base}/other/notes.txt`),
        { name: 'run_command', input: { command: `cat ${extra}/notes.txt; cat ${base}/other/notes.txt` } },
        read(`${extra}/deep/.env`),
        { name: 'write_file', input: { path: `${extra}/new.txt`, content: 'x' } },
      ];
      const prepare = ({ base, extra }: Place): void => {
        write(join(base, 'other/notes.txt'), 'not granted\n');
        symlinkSync(extra, join(base, 'name'));
      };
      await withFolders({ calls, prepare, folders: () => [] }, async (engine, place) => {
        const session = await run(engine, place, { grant: `${OWN} · fs(${place.base}/name, rw)` });
        const [opened] = ofType(await Array.fromAsync(session.events()), 'session.opened');
        expect(opened?.readable).toEqual([place.extra]);
        const [granted, other, command, secret, written] = await finished(session);
        expect(granted).toEqual({ outcome: 'ok', output: 'a note\n' });
        expect([other?.outcome, secret?.outcome, written?.outcome]).toEqual(['denied', 'denied', 'denied']);
        expect(command?.output).toContain('a note');
        expect(command?.output).not.toContain('not granted');
      });
    },
  );

  test('ends with its authority', async () => {
    const calls = ({ extra }: Place): Call[] => [read(`${extra}/notes.txt`), read(`${extra}/notes.txt`)];
    await withFolders({ calls, folders: () => [] }, async (engine, place) => {
      const session = await engine.klaus.open({
        workspace: place.workspace,
        grant: `${OWN} · fs(${place.extra}, r)`,
      });
      await session.send({
        type: 'revoke',
        authorities: [{ kind: 'fs', path: place.extra, rights: 'r' }],
        by: 'test',
      });
      await session.prompt('go', { onAsk: 'deny' });
      await session.advance();
      expect((await finished(session)).map(({ outcome }) => outcome)).toEqual(['denied', 'denied']);
    });
  });

  test('is refused for what no grant opens, with the reason', async () => {
    const prepare = ({ base }: Place): void => {
      mkdirSync(join(base, 'user/.ssh'), { recursive: true });
      mkdirSync(join(base, 'user/.aws'));
    };
    await withFolders({ calls: () => [], prepare, folders: () => [] }, async (engine, place) => {
      const refused = { code: 'workspace.refused' };
      const reasons: [string, string, { code: string }][] = [
        ['/', 'home', refused],
        [homedir(), 'home', refused],
        [dirname(engine.place.home), 'Klaus', refused],
        [`${engine.place.home}`, 'Klaus', refused],
        [`${place.base}/user/.ssh`, 'secrets', refused],
        [`${place.base}/user/.aws`, 'secrets', refused],
        ['/etc', 'system', refused],
        ['/proc/1', 'system', refused],
        ['/var/tmp', homedir().startsWith('/var/tmp/') ? 'home' : 'system', refused],
        [`${place.base}/missing`, `${place.base}/missing`, { code: 'workspace.missing' }],
        [`${place.extra}/notes.txt`, `${place.extra}/notes.txt`, { code: 'workspace.missing' }],
      ];
      mkdirSync(engine.place.home, { recursive: true });
      for (const [path, reason, error] of reasons) {
        const opened = run(engine, place, { grant: `${OWN} · fs(${path}, r)` });
        await expect(opened, path).rejects.toMatchObject({ ...error, message: expect.stringContaining(reason) });
      }
      const asked: string[] = [];
      const checkFolder = (folder: string): void => {
        asked.push(folder);
        throw new KlausError('workspace.outside', 'Not here.');
      };
      const opened = run(engine, place, { grant: `${OWN} · fs(${place.extra}, r)`, checkFolder });
      await expect(opened).rejects.toMatchObject({ code: 'workspace.outside' });
      expect(asked).toEqual([place.extra]);
    });
  });
});

describe('which folders there are', () => {
  test('one in the workspace is read and written as the workspace', { tags: ['long'] }, async () => {
    const calls = (): Call[] => [
      read('sub/in.txt'),
      { name: 'write_file', input: { path: 'sub/new.txt', content: 'x' } },
    ];
    const prepare = ({ workspace }: Place): void => write(join(workspace, 'sub/in.txt'), 'inside\n');
    const folders = ({ workspace }: Place): string[] => [join(workspace, 'sub')];
    await withFolders({ calls, prepare, folders }, async (engine, place) => {
      const session = await run(engine, place);
      expect(ofType(await Array.fromAsync(session.events()), 'session.opened')[0]).not.toHaveProperty('readable');
      expect((await finished(session)).map(({ outcome }) => outcome)).toEqual(['ok', 'ok']);
    });
  });

  test(
    'one that holds the workspace shows what is around it, and the workspace stays writable',
    { tags: ['long'] },
    async () => {
      const calls = ({ base }: Place): Call[] => [
        read(`${base}/extra/notes.txt`),
        read(`${base}/project/own.txt`),
        { name: 'write_file', input: { path: `${base}/project/new.txt`, content: 'x' } },
        { name: 'write_file', input: { path: `${base}/new.txt`, content: 'x' } },
      ];
      await withFolders({ calls, folders: ({ base }) => [base] }, async (engine, place) => {
        const session = await run(engine, place);
        expect((await finished(session)).map(({ outcome }) => outcome)).toEqual(['ok', 'ok', 'ok', 'denied']);
      });
    },
  );
});
