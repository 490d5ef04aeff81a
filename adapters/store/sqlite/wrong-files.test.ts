import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, renameSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { toNotice } from '../fixtures/sample-events.ts';
import { startStoreProcess } from '../fixtures/store-process.ts';
import { createTemporaryHome } from '../fixtures/temporary-home.ts';
import { exportKlaude } from './queries/export-klaude.ts';
import { createSqliteStore } from './sqlite-store.ts';

const PIPE = (path: string): void => void spawnSync('mkfifo', [path]);
const FOLDER = (path: string): void => mkdirSync(path);
const LINK = (path: string): void => symlinkSync(join(path, '../target'), path);
const DEVICE = (path: string): void => symlinkSync('/dev/zero', path);

/** Runs a function of a module in a process that is ended if it waits. Returns the code of its error and the text. */
function run(module: string, call: string, home: string): { status: number | null; code?: string; text?: string } {
  const program = `import * as m from ${JSON.stringify(join(import.meta.dirname, module))};
try { m.${call}; console.log('{}'); }
catch (error) { console.log(JSON.stringify({ code: error.code, text: error.message + error.hint })); }
process.exit(0);`;
  const words = ['--input-type=module', '--eval', program];
  const { status, stdout } = spawnSync(process.execPath, words, {
    encoding: 'utf8',
    env: { ...process.env, AT: home },
    timeout: 60_000,
    killSignal: 'SIGKILL',
  });
  return { status, ...(JSON.parse(stdout || '{}') as object) };
}

const OPENERS = [
  ['the store', './sqlite-store.ts', 'createSqliteStore({ home: process.env.AT })'],
  ['recovery', './recovery/recover.ts', 'recoverDatabase(process.env.AT)'],
  ['a query', './queries/query-database.ts', 'queryDatabase(process.env.AT, "SELECT 1", { limit: 1 })'],
] as const;

test.for(
  OPENERS.flatMap(([who, module, call]) =>
    (
      [
        ['klaus.db', 'a pipe', PIPE],
        ['klaus.db', 'a folder', FOLDER],
        ['klaus.db', 'a device', DEVICE],
        ['klaus.db-wal', 'a link', LINK],
        ['klaus.db-wal', 'a pipe', PIPE],
        ...(who === 'a query'
          ? []
          : ([
              ['klaus.lock', 'a pipe', PIPE],
              ['klaus.lock', 'a folder', FOLDER],
            ] as const)),
      ] as const
    ).map(([name, kind, put]) => ({ who, module, call, name, kind, put })),
  ),
)('$who names $name if it is $kind, and does not wait', async ({ module, call, name, put }) => {
  using home = createTemporaryHome();
  const target = join(home.path, 'target');
  await createSqliteStore({ home: home.path }).close();
  writeFileSync(target, 'untouched');
  const path = join(home.path, name);
  rmSync(path, { force: true });
  put(path);
  const { status, code, text } = run(module, call, home.path);
  expect({ status, code }).toEqual({ status: 0, code: 'config' });
  expect(text).toContain(`${path} `);
  expect(text).not.toContain('Free some space');
  expect(readFileSync(target, 'utf8')).toBe('untouched');
});

test('a lock of a session that is a pipe is named, and not waited for', async () => {
  using home = createTemporaryHome();
  await createSqliteStore({ home: home.path }).close();
  mkdirSync(join(home.path, 'locks'), { recursive: true });
  PIPE(join(home.path, 'locks', 'A.lock'));
  const probe = "probeLock(process.env.AT + '/locks/A.lock')";
  expect(run('./locks/probe-lock.ts', probe, home.path)).toMatchObject({
    status: 0,
    text: expect.stringContaining('A.lock'),
  });
  const claim = "lockFile(process.env.AT + '/locks/A.lock')";
  expect(run('./locks/file-lock.ts', claim, home.path)).toMatchObject({ status: 0, code: 'config' });
});

test('a state folder that is moved while it is used is named, and is not created again', async () => {
  using home = createTemporaryHome();
  const path = join(home.path, 'state');
  await using other = startStoreProcess(path);
  await other.ask('claim A');
  renameSync(path, `${path}-moved`);
  {
    using store = createSqliteStore({ home: `${path}-moved` });
    const lease = (await store.claim('B'))!;
    await store.append('B', [toNotice('1')], { lease });
    renameSync(`${path}-moved`, `${path}-again`);
    await expect(store.claim('C')).rejects.toMatchObject({ code: 'config' });
    const failure: unknown = await store.append('B', [toNotice('2')], { lease }).then(
      () => undefined,
      (error: unknown) => error,
    );
    if (failure !== undefined) expect(failure).toMatchObject({ code: 'config' });
  }
  for (const gone of [path, `${path}-moved`]) expect(statSync(gone, { throwIfNoEntry: false })).toBeUndefined();
});

test.for([
  ['a link to nowhere', (path: string) => symlinkSync(`${path}.nowhere`, path)],
  ['a file', (path: string) => writeFileSync(path, '')],
] as const)('an export does not replace %s', async ([, put]) => {
  using home = createTemporaryHome();
  await createSqliteStore({ home: home.path }).close();
  const file = join(home.path, 'export.db');
  put(file);
  expect(() => exportKlaude(home.path, file)).toThrow(expect.objectContaining({ code: 'usage' }));
});
