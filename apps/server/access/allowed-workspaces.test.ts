import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { createPlaces, type PlacesOptions } from './allowed-workspaces.ts';

const root = realpathSync(mkdtempSync(join(tmpdir(), 'klaus-places-')));
const at = (...names: string[]): string => join(root, ...names);
const FOLDERS = ['own/sub/.hidden', 'own/.git/hooks', 'known/sub', 'other', 'own-2', 'state/server', 'home/project'];
for (const folder of [...FOLDERS, 'home/.ssh']) mkdirSync(at(folder), { recursive: true });
symlinkSync('/etc', at('own/etc'));
symlinkSync(at('other'), at('own/out'));
symlinkSync(at('own'), at('in'));
symlinkSync('/', at('known/machine'));
afterAll(() => rmSync(root, { recursive: true }));

function judge(workspace: string, more: Partial<PlacesOptions> = {}): string {
  const places = createPlaces({
    listed: [],
    configured: at('own'),
    known: () => [at('known')],
    klausHome: at('state'),
    home: at('home'),
    ...more,
  });
  try {
    return `allowed ${places.check(workspace).slice(root.length + 1)}`;
  } catch (error) {
    return (error as { code: string }).code;
  }
}

const OWN = ['own', 'own/', 'own/sub', 'own/sub/..', 'own//sub/./', 'in', 'in/sub', 'known', 'known/sub'];
const OUTSIDE = ['other', 'own-2', 'own/../other', 'own/out', 'in/out', 'home/project', 'own/missing/../../other'];
const REFUSED = [
  'home',
  'home/..',
  '.',
  'state',
  'state/server',
  'own/.git',
  'own/.git/hooks',
  'own/etc',
  'known/machine/etc',
];

describe('by default', () => {
  test.each(OWN)('%s is inside', (path) => {
    expect(judge(at(path).replace(/\/$/, '') + (path.endsWith('/') ? '/' : ''))).toMatch(/^allowed/);
    expect(judge(`${root}/${path}`)).toMatch(/^allowed (own|known)/);
  });
  test.each([...OUTSIDE, 'own/sub/.hidden', 'home/.ssh'])('%s is outside', (path) => {
    expect(judge(`${root}/${path}`)).toBe('workspace.outside');
  });
  test.each(REFUSED)('%s is refused', (path) => expect(judge(`${root}/${path}`)).toBe('workspace.refused'));
  test('what is missing inside is missing, what is missing outside is outside', () => {
    expect(judge(at('own/none'))).toBe('workspace.missing');
    expect(judge(at('other/none'))).toBe('workspace.outside');
    expect(judge(`${at('own')}\0/etc`)).not.toMatch(/^allowed/);
  });
  test('a relative path is meant from the own folder', () => {
    expect(judge('sub')).toBe('allowed own/sub');
    expect(judge('../other')).toBe('workspace.outside');
  });
});

const SYSTEM = [
  '/',
  '//',
  '/etc',
  '/etc/',
  '/etc/ssl',
  '/./etc/../etc',
  '/usr',
  '/usr/bin',
  '/var',
  '/var/log',
  '/proc/self',
];
const MORE_SYSTEM = [
  '/root',
  '/root/x',
  '/home',
  '/tmp',
  '/dev',
  '/sys',
  '/proc/self/root/etc',
  '/bin',
  '/run',
  '/opt',
];

test.each([...SYSTEM, ...MORE_SYSTEM])('%s is refused, whatever is listed, known or configured', (path) => {
  expect(judge(path)).toBe('workspace.refused');
  expect(judge(path, { listed: ['/', path] })).toBe('workspace.refused');
  expect(judge(path, { known: () => ['/', path] })).toBe('workspace.refused');
  expect(judge(path, { configured: path })).toBe('workspace.refused');
});

test('a folder that nothing may work in opens nothing, although a session works there or the server began there', () => {
  for (const opening of ['/', at('home'), root]) {
    expect(judge(at('other'), { known: () => [opening] })).toBe('workspace.outside');
    expect(judge(at('home/project'), { known: () => [opening] })).toBe('workspace.outside');
    expect(judge(at('other'), { configured: opening })).toBe('workspace.outside');
  }
});

test('what is listed takes the place of known sessions, and the home folder may be listed', () => {
  expect(judge(at('known'), { listed: [at('other')] })).toBe('workspace.outside');
  expect(judge(at('other'), { listed: [at('other')] })).toBe('allowed other');
  expect(judge(at('own'), { listed: [at('other')] })).toBe('allowed own');
  expect(judge(at('other'), { listed: [at('own/out')] })).toBe('allowed other');
  expect(judge(at('home/project'), { listed: [at('home')] })).toBe('allowed home/project');
  expect(judge(at('home'), { listed: [at('home')] })).toBe('workspace.refused');
  expect(judge(at('home/.ssh'), { listed: [at('home')] })).toBe('workspace.outside');
  expect(judge(at('home/.ssh'), { listed: [at('home/.ssh')] })).toBe('allowed home/.ssh');
});

test('the real home of the user', () => {
  expect(judge(homedir(), { home: homedir(), listed: ['/'] })).toBe('workspace.refused');
});
