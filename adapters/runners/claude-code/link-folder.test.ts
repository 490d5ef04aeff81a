import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { askToEnd, PIPE, readReport } from './link-folder.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'klaus-link-test-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const ID = '0e0f2c5e-7f0c-8d7e-9c55-6a8d1f0c1a2b';

test('a report is a small regular file with the id of a session', () => {
  const report = (name: string, text: string): string | undefined => {
    writeFileSync(join(folder, name), text);
    return readReport(join(folder, name));
  };
  expect(report('good.json', JSON.stringify({ session_id: ID, source: 'startup' }))).toBe(ID);
  expect(report('other.json', JSON.stringify({ session_id: '../../etc/passwd' }))).toBeUndefined();
  expect(report('broken.json', '{')).toBeUndefined();
  expect(report('long.json', JSON.stringify({ session_id: ID, more: 'x'.repeat(70_000) }))).toBeUndefined();
  symlinkSync(join(folder, 'good.json'), join(folder, 'link.json'));
  execFileSync('mkfifo', [join(folder, 'pipe.json')]);
  mkdirSync(join(folder, 'folder.json'));
  for (const name of ['link.json', 'pipe.json', 'folder.json', 'missing.json'])
    expect(readReport(join(folder, name)), name).toBeUndefined();
});

test('only a pipe with a reader is written to', async () => {
  expect(askToEnd(folder)).toBe(false);
  const target = join(folder, 'file');
  writeFileSync(target, 'of the user');
  symlinkSync(target, join(folder, PIPE));
  expect(askToEnd(folder)).toBe(false);
  rmSync(join(folder, PIPE));
  writeFileSync(join(folder, PIPE), 'of the user');
  expect(askToEnd(folder)).toBe(false);
  expect(readFileSync(target, 'utf8') + readFileSync(join(folder, PIPE), 'utf8')).toBe('of the userof the user');
  rmSync(join(folder, PIPE));
  execFileSync('mkfifo', [join(folder, PIPE)]);
  expect(askToEnd(folder)).toBe(false);
  const reader = spawn('/bin/sh', [
    '-c',
    `exec 3<>"$0"; echo open; read -r line <&3; echo "read $line"`,
    join(folder, PIPE),
  ]);
  await once(reader.stdout, 'data');
  expect(askToEnd(folder)).toBe(true);
  expect(String((await once(reader.stdout, 'data'))[0])).toBe('read \n');
});
