import { chmodSync, lstatSync, mkdtempSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { EVENTS, readSettings, withGuard } from './settings-file.ts';
import { writeJsonFile } from '../../settings/json-file.ts';

let folder: string;
beforeAll(() => void (folder = mkdtempSync(join(tmpdir(), 'klaus-settings-'))));
afterAll(() => rmSync(folder, { recursive: true }));

const PROGRAM = "/home/o'brien/.klaus/guard/hook";
const OTHER = { matcher: 'Bash', hooks: [{ type: 'command', command: 'my-hook' }] };

function read(text: string) {
  const file = join(folder, 'settings.json');
  writeFileSync(file, text);
  return readSettings(file);
}

test.each([
  ['nothing', ''],
  ['an empty object', '{}\n'],
  ['other settings', '{\n  "model": "opus",\n  "env": { "A":   "b" }\n}\n'],
  ['tabs', '{\n\t"model": "opus"\n}\n'],
  ['Windows line ends', '{\r\n  "model": "opus"\r\n}\r\n'],
  ['a comment and a comma at the end', '{\n  // mine\n  "model": "opus",\n}\n'],
  [
    'other hooks',
    `${JSON.stringify({ model: 'opus', hooks: { PreToolUse: [OTHER], Notification: [OTHER] } }, undefined, 2)}\n`,
  ],
])('with %s: installed twice is once, and removed leaves what was there', (_, text) => {
  const once = withGuard(read(text), PROGRAM);
  const found = read(once);
  expect(Object.keys(found.hooks)).toEqual(expect.arrayContaining([...EVENTS]));
  expect(withGuard(found, PROGRAM)).toBe(once);
  const removed = withGuard(found, null);
  expect(readSettings(write(removed)).settings).toEqual(read(text === '' ? '{}' : text).settings);
  for (const line of text.split(/\r?\n/).filter((it) => it.includes('opus') || it.includes('mine'))) {
    expect(once).toContain(line.replace(/,$/, ''));
  }
});

function write(text: string): string {
  const file = join(folder, 'settings.json');
  writeFileSync(file, text);
  return file;
}

test('another state folder replaces the former one, and other hooks keep their place', () => {
  const text = JSON.stringify({ hooks: { PreToolUse: [OTHER] } });
  const first = read(withGuard(read(text), '/one/guard/hook'));
  const second = read(withGuard(first, '/two/guard/hook'));
  expect(second.hooks['PreToolUse']).toHaveLength(2);
  expect(second.hooks['PreToolUse']![0]).toEqual(OTHER);
  expect(JSON.stringify(second.hooks)).not.toContain('/one/');
});

test.each([
  ['{', 'no JSON'],
  ['[]', 'a list'],
  ['{"hooks":{"Stop":"x"}}', 'an event without a list'],
  ['{"hooks":{"Stop":[{"hooks":[{"command":"x"}]}]}}', 'a hook without a type'],
])('%s is refused: %s', (text) => {
  expect(() => read(text)).toThrow(expect.objectContaining({ code: 'config' }) as Error);
});

test('a link stays a link, and the mode stays', () => {
  const target = join(folder, 'target.json');
  const link = join(folder, 'link.json');
  writeFileSync(target, '{}');
  chmodSync(target, 0o640);
  symlinkSync(target, link);
  writeJsonFile(link, '{"a":1}');
  expect(lstatSync(link).isSymbolicLink()).toBe(true);
  expect(readFileSync(target, 'utf8')).toBe('{"a":1}');
  expect(statSync(target).mode & 0o777).toBe(0o640);
});

test('a byte order mark is no part of the settings, and stays', () => {
  const file = join(folder, 'settings.json');
  expect(read('\uFEFF{"a":1}')).toMatchObject({ text: '{"a":1}' });
  writeJsonFile(file, '{"a":2}');
  expect(readFileSync(file, 'utf8')).toBe('\uFEFF{"a":2}');
});
