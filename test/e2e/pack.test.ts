import { spawnSync } from 'node:child_process';
import { chmodSync, chownSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { npm, plainPath } from '../fixtures/npm.ts';
import { hasBubblewrap } from '../fixtures/sandboxed.ts';

const root = join(import.meta.dirname, '../..');
const folder = mkdtempSync(join(tmpdir(), 'klaus-pack-'));
/** An ordinary user, who owns nothing else. */
const USER = 54_321;
const klaus = join(folder, 'prefix/bin/klaus');
const manifest: { name: string; version: string } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const tarball = join(folder, `${manifest.name}-${manifest.version}.tgz`);

function runInstalled(words: string[]) {
  const home = join(folder, 'home');
  mkdirSync(home, { recursive: true });
  const env = { HOME: home, PATH: plainPath, TMPDIR: folder };
  return spawnSync(klaus, words, { cwd: home, env, encoding: 'utf8' });
}

beforeAll(() => {
  npm(['pack', '--pack-destination', folder], root);
  npm(['install', '--global', '--prefix', join(folder, 'prefix'), '--loglevel=error', tarball], folder);
}, 300_000);

afterAll(() => rmSync(folder, { recursive: true, force: true }));

test('the tarball has what its manifest promises', async () => {
  const bytes = readFileSync(tarball);
  const pack = { tarball: bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength) };
  const { messages, pkg } = await publint({ pack });
  expect(messages.map((it) => formatMessage(it, pkg))).toEqual([]);
});

test('installed into an empty prefix, it answers with its version', () => {
  expect(runInstalled(['--version'])).toMatchObject({ status: 0, stdout: `${manifest.version}\n`, stderr: '' });
});

test('a usage error of the installed program keeps its exit code', () => {
  expect(runInstalled(['--no-such-option'])).toMatchObject({ status: 2, signal: null });
});

test('installed into an empty prefix, the demo mends its project and ends with 0', (context) => {
  const { status, stdout, stderr } = runInstalled(['demo']);
  context.skip(status === 7 && process.env.CI !== 'true', 'no sandbox works on this machine');
  expect({ status, output: stdout + stderr }).toMatchObject({ status: 0 });
  expect(stderr + stdout).toContain('scripted');
});

/** Only where apt-get is known to reach a mirror. */
const canHide = process.env['CI'] === 'true' && process.getuid?.() === 0 && hasBubblewrap;

test.skipIf(!canHide)(
  'without bubblewrap and without root, the first session fetches it, and the next has it',
  () => {
    const home = join(folder, 'user');
    mkdirSync(home);
    chmodSync(folder, 0o755);
    chownSync(home, USER, USER);
    const hidden = (process.env.PATH ?? '').split(delimiter).map((each) => join(each, 'bwrap'));
    const script = [
      ...hidden.filter((path) => existsSync(path)).map((path) => `mount --bind /dev/null ${path}`),
      'command -v bwrap && exit 99',
      `exec setpriv --reuid ${USER} --regid ${USER} --clear-groups "$@"`,
    ].join('\n');
    const run = (words: string[]) =>
      spawnSync('unshare', ['-m', 'sh', '-c', script, 'sh', klaus, ...words], {
        cwd: home,
        env: { HOME: home, PATH: plainPath },
        encoding: 'utf8',
      });
    const first = run(['demo']);
    expect({ status: first.status, text: first.stdout + first.stderr }).toMatchObject({ status: 0 });
    expect(first.stderr).toContain('Fetching its package by apt');
    expect(first.stderr).toContain('sandbox bubblewrap');
    expect(existsSync(join(home, '.klaus/tools/bubblewrap/usr/bin/bwrap'))).toBe(true);
    expect(readdirSync(join(home, '.klaus/tools'))).toEqual(['bubblewrap']);
    expect(run(['demo']).stderr).not.toContain('Fetching');
  },
  120_000,
);
