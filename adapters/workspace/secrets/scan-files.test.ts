import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createSecretScanner } from '@klaus/core/policy';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { readSecretsAllow, scanFiles } from './scan-files.ts';

// Concatenated, so that this file contains no secret itself.
const KEY = ['AKIA', 'Q3EGRIZ7TLWBXN2K'].join('');
const scanner = createSecretScanner({ digest: (text) => createHash('sha256').update(text).digest('hex') });

let root: string;
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'klaus-scan-')));
});
afterEach(() => rmSync(root, { recursive: true }));

const scan = async (...paths: string[]) => {
  const found: string[] = [];
  for await (const { path, line, rule } of scanFiles(root, { scanner, paths })) found.push(`${path}:${line} ${rule}`);
  return found;
};

test('a secret deep in a file is found once, with its line, also at the border of two chunks', async () => {
  const line = `${'x'.repeat(99)}\n`;
  const piece = 4 * 1024 * 1024;
  writeFileSync(join(root, 'far.txt'), `${line.repeat(90_000)}${KEY}\n`);
  writeFileSync(join(root, 'edge.txt'), `${'\n'.repeat(piece - 10)}${KEY}\n`);
  expect(await scan()).toEqual([`edge.txt:${piece - 9} aws-access-key`, 'far.txt:90001 aws-access-key']);
});

test('links, binary files and what Git ignores are left out, unless a file is named', async () => {
  mkdirSync(join(root, 'sub'));
  writeFileSync(join(root, '.gitignore'), 'ignored.js\n');
  for (const path of ['sub/a.js', 'ignored.js']) writeFileSync(join(root, path), `${KEY}\n`);
  writeFileSync(join(root, 'binary'), `\0${KEY}`);
  writeFileSync(join(root, 'store.p12'), '\0');
  symlinkSync('ignored.js', join(root, 'link.js'));
  expect(await scan()).toEqual(['store.p12:1 pkcs12-file', 'sub/a.js:1 aws-access-key']);
  expect(await scan('ignored.js', 'sub', 'sub/a.js')).toEqual([
    'ignored.js:1 aws-access-key',
    'sub/a.js:1 aws-access-key',
  ]);
});

test('paths that are outside or missing are refused', async () => {
  await expect(scan('../other')).rejects.toMatchObject({ code: 'usage' });
  await expect(scan('nothing')).rejects.toMatchObject({ code: 'usage' });
});

test('without an allow-list nothing is allowed', async () => {
  expect(await readSecretsAllow(root)).toEqual(new Set());
});
