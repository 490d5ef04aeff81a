import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliDecompressSync } from 'node:zlib';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createStaticFiles } from './static-files.ts';

let root = '';
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'klaus-page-'));
  mkdirSync(join(root, 'page/assets'), { recursive: true });
  writeFileSync(join(root, 'page/index.html'), '<script nonce="__KLAUS_NONCE__" src="/assets/a-1.js"></script>');
  writeFileSync(join(root, 'page/assets/a-1.js'), 'console.log("a");\n'.repeat(50));
  writeFileSync(join(root, 'page/favicon.svg'), '<svg/>');
  writeFileSync(join(root, 'secret.txt'), 'secret');
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

test('the page has a nonce of its own each time, which its policy names, and is never kept', () => {
  const files = createStaticFiles(join(root, 'page'));
  const [first, second] = [files.find('/', {}), files.find('/', {})];
  const [, nonce = ''] = /nonce="([^"]+)"/.exec(String(first?.body)) ?? [];
  expect(nonce.length).toBeGreaterThan(16);
  expect(String(second?.body)).not.toContain(nonce);
  expect(first?.headers).toMatchObject({ 'cache-control': 'no-store', 'content-type': 'text/html; charset=utf-8' });
  const policy = first!.headers['content-security-policy']!;
  expect(policy).toContain(`'nonce-${nonce}'`);
  expect(policy).toContain("default-src 'none'");
  expect(policy).not.toContain('unsafe');
});

test('the page is at its own address alone, and what is not there is missing', () => {
  const files = createStaticFiles(join(root, 'page'));
  expect(String(files.find('/index.html', {})?.body)).toContain('<script');
  for (const path of ['/session/01ABC', '/nothing', '/assets', '/assets/', '/assets/gone.js']) {
    expect(files.find(path, {}), path).toBeUndefined();
  }
});

test('assets are kept for ever, other files are asked for again, and texts are compressed', () => {
  const files = createStaticFiles(join(root, 'page'));
  const asset = files.find('/assets/a-1.js', { encodings: 'gzip, br' })!;
  expect(asset.headers).toMatchObject({
    'cache-control': 'public, max-age=31536000, immutable',
    'content-encoding': 'br',
  });
  expect(brotliDecompressSync(asset.body as Uint8Array).toString()).toContain('console.log("a");');
  const icon = files.find('/favicon.svg', {})!;
  expect(icon.headers['cache-control']).toBe('no-cache');
  expect(files.find('/favicon.svg', { etag: icon.headers['etag'] })?.status).toBe(304);
});

test('nothing outside the folder is served', () => {
  const files = createStaticFiles(join(root, 'page'));
  for (const path of ['/../secret.txt', '//secret.txt', '/assets/../../secret.txt', `/${root}/secret.txt`]) {
    expect(files.find(path, {})).toBeUndefined();
  }
});

test('without a page there is none', () => {
  const files = createStaticFiles(join(root, 'nowhere'));
  expect(files.exists).toBe(false);
  expect(files.find('/', {})).toBeUndefined();
});
