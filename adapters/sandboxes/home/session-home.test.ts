import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, renameSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { findBubblewrap } from '../bubblewrap/find-bubblewrap.ts';
import { createProcesses, createSandbox } from '../index.ts';
import { createSandboxFixture } from '../sandbox.fixture.ts';
import { CONFIGURATION } from './configuration.ts';

const place = createSandboxFixture();
afterAll(() => place[Symbol.dispose]());
const { program } = await findBubblewrap(place);

const open = (session?: string) => createSandbox({ ...place, choice: 'bubblewrap', session });
const sh = async (session: string | undefined, command: string) =>
  await (await open(session)).exec({ command, env: { npm_config_update_notifier: 'false' } });

describe.skipIf(!program)('the home folder of a session', () => {
  test('is the same for all commands of a session and differs between sessions', async () => {
    await sh('a', 'echo 1 > ~/left && mkdir -p ~/.local/bin && echo 2 > ~/.local/bin/tool');
    expect((await sh('a', 'cat ~/left')).stdout).toBe('1\n');
    const [first, second] = [await sh('a', 'echo $HOME'), await sh('b', 'echo $HOME')];
    expect(second.stdout).toBe(first.stdout);
    for (const session of ['b', undefined]) expect((await sh(session, 'cat ~/left ~/.local/bin/tool')).stdout).toBe('');
  });

  test.each(CONFIGURATION)('has $path empty and read-only', async ({ path, isFolder }) => {
    const tries = isFolder
      ? [`echo x > ~/${path}/x`, `mkdir ~/${path}/x`, `rmdir ~/${path}`]
      : [`echo x > ~/${path}`, `rm -f ~/${path}`, `echo x > ~/new && mv ~/new ~/${path}`];
    const parent = path.includes('/') ? path.split('/')[0]! : undefined;
    const all = [...tries, `mv ~/${path} ~/other`, ...(parent ? [`mv ~/${parent} ~/other`] : [])];
    const { stdout } = await sh('c', all.map((line) => `(${line}) 2>/dev/null && echo done`).join('\n'));
    expect(stdout).toBe('');
  });

  test('is removed when it is unused for long, and not while a Klaus process uses it', async () => {
    await sh('old', 'echo 1 > ~/old');
    const old = findHomes().find((folder) => existsSync(join(folder, 'home', 'old')))!;
    await sh('used', 'echo 1 > ~/left');
    const longAgo = new Date(Date.now() - 9 * 86_400_000);
    const owners = join(old, 'owners');
    // A process that has ended.
    for (const name of readdirSync(owners))
      renameSync(join(owners, name), join(owners, name.replace(/-.*/, '-4194305-1')));
    for (const folder of findHomes()) utimesSync(folder, longAgo, longAgo);
    await sh('new', 'true');
    expect(existsSync(old)).toBe(false);
    expect((await sh('used', 'cat ~/left')).stdout).toBe('1\n');
  });
});

test.skipIf(!program)('the home of a session is removed with the session', async () => {
  await sh('deleted', 'echo 1 > ~/left');
  await createProcesses(place).remove('deleted');
  expect((await sh('deleted', 'cat ~/left')).stdout).toBe('');
});

function findHomes(): string[] {
  const cache = join(place.home, 'cache');
  return readdirSync(cache).flatMap((name) => {
    const homes = join(cache, name, 'homes');
    return existsSync(homes) ? readdirSync(homes).map((each) => join(homes, each)) : [];
  });
}

describe.skipIf(!program)('caches that outlive a session', () => {
  const pack = () => {
    const folder = join(place.root, 'package');
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'package.json'), '{"name":"tiny","version":"1.0.0"}');
    execFileSync('npm', ['pack', '--silent', '--pack-destination', place.workspace], { cwd: folder });
  };

  test(
    'npm installs packages of an earlier session by a lock file, without a network',
    { tags: ['long'] },
    async () => {
      pack();
      const added = await sh('first', 'npm cache add ./tiny-1.0.0.tgz && sha512sum tiny-1.0.0.tgz');
      const integrity = Buffer.from(/[0-9a-f]{128}/.exec(added.stdout)![0], 'hex').toString('base64');
      const tiny = { version: '1.0.0', resolved: 'https://registry.npmjs.org/tiny/-/tiny-1.0.0.tgz' };
      const dependencies = { tiny: '1.0.0' };
      writeFileSync(
        join(place.workspace, 'package.json'),
        JSON.stringify({ name: 'p', version: '1.0.0', dependencies }),
      );
      const packages = {
        '': { name: 'p', version: '1.0.0', dependencies },
        'node_modules/tiny': { ...tiny, integrity: `sha512-${integrity}` },
      };
      const lock = { name: 'p', version: '1.0.0', lockfileVersion: 3, requires: true, packages };
      writeFileSync(join(place.workspace, 'package-lock.json'), JSON.stringify(lock));
      const installed = await sh('second', 'npm ci --offline --no-audit --no-fund');
      expect(installed).toMatchObject({ exitCode: 0 });
      expect(existsSync(join(place.workspace, 'node_modules/tiny/package.json'))).toBe(true);
    },
  );

  test.each([
    { name: 'content that is not what its name says', make: (path: string) => `echo forged > ${path}` },
    { name: 'a link to a file elsewhere', make: (path: string) => `ln -s /etc/passwd ${path}` },
    { name: 'a pipe', make: (path: string) => `mkfifo ${path}` },
    { name: 'a folder', make: (path: string) => `mkdir -p ${path}/x` },
  ])('take over nothing but content with its hash: $name', async ({ name, make }) => {
    const hash = createHash('sha512').update(name).digest('hex');
    const path = `~/.npm/_cacache/content-v2/sha512/${hash.slice(0, 2)}/${hash.slice(2, 4)}/${hash.slice(4)}`;
    await sh(`poison ${name}`, `mkdir -p $(dirname ${path}) && ${make(path)} && echo x > ~/.npm/_cacache/index-v5`);
    expect((await sh(`after ${name}`, `ls -d ${path} ~/.npm/_cacache/index-v5`)).stdout).toBe('');
  });

  test('keep an entry unchanged by later sessions', async () => {
    const text = 'a package';
    const hash = createHash('sha512').update(text).digest('hex');
    const path = `~/.npm/_cacache/content-v2/sha512/${hash.slice(0, 2)}/${hash.slice(2, 4)}/${hash.slice(4)}`;
    await sh('one', `mkdir -p $(dirname ${path}) && printf '${text}' > ${path}`);
    await sh('two', `echo x > ${path}; echo x >> $(readlink -f ${path}); rm -rf ${path}; echo forged > ${path}`);
    expect((await sh('three', `cat ${path}`)).stdout).toBe(text);
  });

  test('are not read through a link that replaced a folder', async () => {
    const text = 'outside';
    const hash = createHash('sha512').update(text).digest('hex');
    const tail = `${hash.slice(0, 2)}/${hash.slice(2, 4)}`;
    mkdirSync(join(place.workspace, 'away', tail), { recursive: true });
    writeFileSync(join(place.workspace, 'away', tail, hash.slice(4)), text);
    await sh('link', `mkdir -p ~/.npm/_cacache/content-v2 && ln -s $PWD/away ~/.npm/_cacache/content-v2/sha512`);
    expect((await sh('link after', 'find ~/.npm -name "*" -type l')).stdout).not.toContain(hash.slice(4));
  });
});
