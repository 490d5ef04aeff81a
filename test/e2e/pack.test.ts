// Covers scripts/build.ts, apps/cli: the installed program.
// @module-tag long
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { npm, plainPath } from '../fixtures/npm.ts';
import { canActAsOrdinaryUser, OrdinaryUser } from '../fixtures/ordinary-user.ts';

const root = join(import.meta.dirname, '../..');
const folder = mkdtempSync(join(tmpdir(), 'klaus-pack-'));
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

test('installed into an empty prefix, the demo fixes its project and exits with 0', (context) => {
  const { status, stdout, stderr } = runInstalled(['demo']);
  context.skip(status === 7 && process.env.CI !== 'true', 'no sandbox works on this machine');
  expect({ status, output: stdout + stderr }).toMatchObject({ status: 0 });
  expect(stderr + stdout).toContain('scripted');
});

test.skipIf(!canActAsOrdinaryUser)(
  'without bubblewrap and without root, the first session fetches it, and the next has it',
  () => {
    const user = new OrdinaryUser(join(folder, 'user'));
    const first = user.run([klaus, 'demo']);
    expect({ status: first.status, text: first.stdout + first.stderr }).toMatchObject({ status: 0 });
    expect(first.stderr).toContain('apt');
    expect(first.stderr).toContain('sandbox bubblewrap');
    const tools = join(user.home, '.klaus/tools');
    expect(existsSync(join(tools, 'bubblewrap/usr/bin/bwrap'))).toBe(true);
    expect(readdirSync(tools)).toEqual(['bubblewrap']);
    expect(user.run([klaus, 'demo']).stderr).not.toContain('Fetching');
  },
  120_000,
);
