import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createLayers } from './create-layers.ts';
import { createLayerFixture, describeTree, mountsIn, overlayObstacle, type LayerFixture } from './layer.fixture.ts';

const obstacle = overlayObstacle();
const KINDS = ['overlay', 'copy'] as const;

let place: LayerFixture;
beforeEach(() => {
  place = createLayerFixture();
});
afterEach(async () => {
  await place.layers.clear();
  await place.remove();
});

/** Runs a command on a layer and returns its changes. The workspace must not change. */
async function run(kind: 'overlay' | 'copy', command: string): Promise<{ paths: string[]; git: boolean }> {
  const before = describeTree(place.root);
  const layer = await place.layers.open({ kind });
  try {
    place.sh(layer.folder, command);
    return await layer.touched();
  } finally {
    await layer.close();
    expect(describeTree(place.root)).toBe(before);
  }
}

describe.each(KINDS)('%s', (kind) => {
  beforeEach((context) => {
    if (kind === 'overlay') context.skip(obstacle !== undefined, obstacle);
  });

  test('shows the complete workspace and protects it from changes', async () => {
    place.sh(
      place.root,
      `mkdir -p src node_modules/x empty .git; echo a > src/a; echo m > node_modules/x/m; echo ref > .git/HEAD
       ln -s src/a link; ln -s nowhere dangling; chmod 755 src/a; mkdir locked; echo l > locked/l; chmod 555 locked
       printf odd > "$(printf -- '-n\\n\\\\ "\\303\\244 :,')"; chmod 4711 node_modules/x/m; touch -d 2001-01-01 src/a`,
    );
    const layer = await place.layers.open({ kind });
    expect(layer.kind).toBe(kind);
    expect(describeTree(layer.folder)).toBe(describeTree(place.root));
    expect(lstatSync(join(layer.folder, 'src/a')).mtimeMs).toBe(lstatSync(join(place.root, 'src/a')).mtimeMs);
    expect(await layer.touched()).toEqual({ paths: [], git: false });
    await layer.close();
    await layer.close();
  });

  test('lists created, changed, deleted and chmod-ed paths, and nothing else', async () => {
    place.sh(
      place.root,
      'mkdir -p a/b c; echo 1 > a/b/1; echo 2 > a/b/2; echo 3 > a/3; echo 4 > c/4; echo 5 > 5; ln -s a l',
    );
    const { paths } = await run(
      kind,
      'echo x >> a/b/1; rm a/3; chmod 600 c/4; mkdir new; echo n > new/n; ln -sfn c l; echo 6 > 6; : > "c/ä b"',
    );
    expect(paths).toEqual(['6', 'a/3', 'a/b/1', 'c/4', 'c/ä b', 'l', 'new']);
  });

  test('lists a folder that was deleted, replaced or got another mode once', async () => {
    for (const name of ['gone', 'again', 'mode', 'calm'])
      place.sh(place.root, `mkdir -p ${name}/in; echo ${name} > ${name}/f; echo ${name} > ${name}/in/f`);
    const { paths } = await run(
      kind,
      'rm -r gone; rm -r again; mkdir -p again/in; echo again > again/f; echo again > again/in/f; chmod 700 mode',
    );
    expect(paths).toEqual(expect.arrayContaining(['gone', 'mode']));
    // If the new folder got the old one's inode, its entries are listed instead.
    for (const path of ['again/f', 'again/in/f'])
      expect(paths.some((it) => `${path}/`.startsWith(`${it}/`))).toBe(true);
    expect(paths.join()).not.toContain('calm');
  });

  test('a renamed folder is found at both names, also over one with the same files', async () => {
    for (const name of ['one', 'two', 'three'])
      place.sh(place.root, `mkdir -p ${name}/in; echo ${name} > ${name}/in/f`);
    const rename = `node -e 'fs.renameSync("one", "moved"); fs.rmSync("two", { recursive: true }); fs.renameSync("three", "two"); fs.appendFileSync("moved/in/f", "more")'`;
    const layer = await place.layers.open({ kind });
    place.sh(layer.folder, rename);
    expect(await layer.touched()).toEqual({ paths: ['moved', 'one', 'three', 'two'], git: false });
    expect(readFileSync(join(layer.folder, 'two/in/f'), 'utf8')).toBe('three\n');
    expect(readFileSync(join(layer.folder, 'moved/in/f'), 'utf8')).toBe('one\nmore');
    await layer.close();
    expect(readdirSync(place.root).sort()).toEqual(['one', 'three', 'two']);
  });

  test('a folder that was renamed and renamed back is the same one', async () => {
    place.sh(place.root, 'mkdir -p d/in; echo 1 > d/in/1; echo 2 > d/in/2');
    const { paths } = await run(kind, 'mv d e; mv e d; echo x >> d/in/2');
    expect(paths.some((path) => 'd/in/2' === path || 'd/in/2'.startsWith(`${path}/`))).toBe(true);
  });

  test('files, folders and links that take each other’s place', async () => {
    place.sh(
      place.root,
      'echo f > file; mkdir folder; echo x > folder/x; ln -s file link; mkdir other; echo o > other/o',
    );
    const { paths } = await run(
      kind,
      'rm file; mkdir file; echo in > file/in; rm -r folder; ln -s /etc folder; rm link; echo now > link; rm -r other; echo o > other',
    );
    expect(paths).toEqual(['file', 'folder', 'link', 'other']);
  });

  test('one name of a hard-linked file is written', async () => {
    place.sh(place.root, 'echo same > a; ln a b; mkdir d; ln a d/c');
    const { paths } = await run(kind, 'echo more >> a');
    expect(paths).toEqual(['a']);
    expect(readFileSync(join(place.root, 'b'), 'utf8')).toBe('same\n');
  });

  test('a new name for an old file is found', async () => {
    place.sh(place.root, 'echo same > a');
    const { paths } = await run(kind, 'ln a b; mkfifo pipe');
    expect(paths).toEqual(expect.arrayContaining(['b', 'pipe']));
  });

  test('an edit of the same size with its times put back is found', async () => {
    place.sh(place.root, 'echo 111 > a; echo 111 > b; touch -d 2001-01-01 a b');
    const { paths } = await run(kind, 'echo 222 > a; touch -r b a');
    expect(paths).toEqual(['a']);
  });

  test('appending to 50 MB', { tags: ['long'] }, async () => {
    place.sh(place.root, 'head -c 50M /dev/urandom > big; echo s > small');
    const layer = await place.layers.open({ kind });
    place.sh(layer.folder, 'printf tail >> big');
    expect(await layer.touched()).toEqual({ paths: ['big'], git: false });
    expect(place.sh(layer.folder, `cmp -n 52428800 big "${place.root}/big" && tail -c 4 big`)).toBe('tail');
    await layer.close();
    expect(lstatSync(join(place.root, 'big')).size).toBe(50 * 2 ** 20);
  });

  test('changes in .git are reported by a flag, never by paths', async () => {
    place.sh(place.root, 'git init -q .; mkdir -p sub; git -C sub init -q; echo 1 > sub/f');
    expect(await run(kind, 'echo x >> sub/f')).toEqual({ paths: ['sub/f'], git: false });
    expect(await run(kind, 'git config klaus.test 1')).toEqual({ paths: [], git: true });
    expect(await run(kind, 'git -C sub config klaus.test 1')).toEqual({ paths: [], git: true });
    expect(await run(kind, 'rm -r .git')).toEqual({ paths: [], git: true });
    expect(await run(kind, 'mkdir new; git -C new init -q')).toEqual({ paths: ['new'], git: true });
    expect(await run(kind, 'rm -r sub')).toEqual({ paths: ['sub'], git: true });
  });

  test('a name that is not Unicode makes its folder count as changed', async () => {
    place.sh(place.root, 'mkdir -p d/e; echo 1 > d/1; printf byte > "$(printf "d/e/\\377")"');
    const layer = await place.layers.open({ kind });
    expect(describeTree(layer.folder)).toBe(describeTree(place.root));
    place.sh(layer.folder, 'printf more >> "$(printf "d/e/\\377")"; echo x >> d/1');
    expect((await layer.touched()).paths).toEqual(['d/1', 'd/e']);
    await layer.close();
  });

  test('unusual names of the workspace and of the state folder work', async () => {
    const odd = createLayerFixture({ name: 'a:b,c \\d\ne=ä"' });
    writeFileSync(join(odd.root, 'f'), '1');
    const layer = await odd.layers.open({ kind });
    odd.sh(layer.folder, 'echo 2 > f; mkdir "x,y:z"');
    expect((await layer.touched()).paths).toEqual(['f', 'x,y:z']);
    await layer.close();
    expect(readFileSync(join(odd.root, 'f'), 'utf8')).toBe('1');
    expect(mountsIn(odd.base)).toEqual([]);
    await odd.remove();
  });

  test('two concurrent layers are independent', async () => {
    writeFileSync(join(place.root, 'f'), '0');
    const [one, two] = [await place.layers.open({ kind }), await place.layers.open({ kind })];
    place.sh(one.folder, 'echo 1 > f; echo 1 > one');
    expect(await two.touched()).toEqual({ paths: [], git: false });
    expect((await one.touched()).paths).toEqual(['f', 'one']);
    await one.close();
    await two.close();
    expect(mountsIn(place.base)).toEqual([]);
  });

  test('layers of a killed process are removed by the next open', async () => {
    place.sh(place.root, 'mkdir d; echo 1 > d/1');
    const script = `
      const { createLayers } = await import(${JSON.stringify(join(import.meta.dirname, 'create-layers.ts'))});
      const layer = await createLayers(process.argv[1], { stateDir: process.argv[2] }).open({ kind: process.argv[3] });
      (await import('node:fs')).writeFileSync(layer.folder + '/d/1', 'left behind');
      process.stdout.write(layer.folder);
      setInterval(() => {}, 1000);`;
    const child = spawn(process.execPath, ['--input-type=module', '-e', script, place.root, place.stateDir, kind], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const [folder] = (await once(child.stdout, 'data')) as [Buffer];
    expect(existsSync(join(folder.toString(), 'd/1'))).toBe(true);
    expect(mountsIn(place.base)).toHaveLength(kind === 'overlay' ? 1 : 0);
    const over = once(child, 'exit');
    child.kill('SIGKILL');
    await over;

    const layer = await place.layers.open({ kind });
    expect(existsSync(folder.toString())).toBe(false);
    expect(mountsIn(place.base)).toEqual(kind === 'overlay' ? [layer.folder] : []);
    expect(describeTree(layer.folder)).toBe(describeTree(place.root));
    expect(await layer.touched()).toEqual({ paths: [], git: false });
    await layer.close();
    expect(readFileSync(join(place.root, 'd/1'), 'utf8')).toBe('1\n');
  });

  test('a layer of a living process is left alone', async () => {
    const layer = await place.layers.open({ kind });
    writeFileSync(join(layer.folder, 'f'), '1');
    const other = await createLayers(place.root, { stateDir: place.stateDir }).open({ kind });
    expect(readFileSync(join(layer.folder, 'f'), 'utf8')).toBe('1');
    await other.close();
    await layer.close();
  });
});

describe.skipIf(obstacle !== undefined)('overlays', () => {
  test('are the default, and are unmounted even while in use', async () => {
    writeFileSync(join(place.root, 'f'), '1');
    expect(await place.layers.whyNoOverlay()).toBeUndefined();
    const layer = await place.layers.open();
    expect(layer.kind).toBe('overlay');
    const user = spawn('/bin/sh', ['-c', 'echo in; read _'], { cwd: layer.folder, stdio: ['pipe', 'pipe', 'ignore'] });
    await once(user.stdout, 'data');
    await layer.close();
    expect(mountsIn(place.base)).toEqual([]);
    expect(readdirSync(place.stateDir)).toEqual([]);
    const over = once(user, 'exit');
    user.stdin.end();
    await over;
  });

  test('are not used over a mount inside the workspace, whose files they would not show', async () => {
    const inner = join(place.root, 'inner');
    mkdirSync(inner);
    place.sh('/', `mount -t tmpfs none ${inner}`);
    try {
      writeFileSync(join(inner, 'f'), 'inside');
      expect(await place.layers.whyNoOverlay()).toContain(inner);
      await expect(place.layers.open({ kind: 'overlay' })).rejects.toMatchObject({ code: 'sandbox.unavailable' });
      const layer = await place.layers.open();
      expect(layer.kind).toBe('copy');
      expect(readFileSync(join(layer.folder, 'inner/f'), 'utf8')).toBe('inside');
      await layer.close();
    } finally {
      place.sh('/', `umount ${inner}`);
    }
  });

  test('are not used when their folder lies in the workspace, and a copy does not hold itself', async () => {
    const stateDir = join(place.root, 'state/layers');
    const layers = createLayers(place.root, { stateDir, klausHome: join(place.root, 'state') });
    writeFileSync(join(place.root, 'f'), '1');
    expect(await layers.whyNoOverlay()).toContain(stateDir);
    const layer = await layers.open();
    expect(readdirSync(layer.folder)).toEqual(['f']);
    expect(await layer.touched()).toEqual({ paths: [], git: false });
    await layer.close();
  });
});
