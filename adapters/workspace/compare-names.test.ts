import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openFoldingMount, WITHOUT_FOLDING } from '../system/fixtures/folding-mount.ts';
import { compareNames } from './compare-names.ts';

let folder: string;
beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), 'klaus-names-'))));
afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe.skipIf(process.platform !== 'linux')('an ordinary file system of Linux', () => {
  test('distinguishes all names', () => {
    writeFileSync(join(folder, 'a.txt'), '');
    expect(compareNames([folder])).toBe('exact');
  });

  test('is asked with a temporary file if nothing in the folder has a letter', () => {
    mkdirSync(join(folder, '1'));
    expect(compareNames([folder])).toBe('exact');
    expect(readdirSync(folder)).toEqual(['1']);
  });

  test('a folder that does not exist has no names', () => {
    expect(compareNames([join(folder, 'missing')])).toBe('exact');
  });
});

describe.skipIf(WITHOUT_FOLDING !== undefined)(`a file system that ignores case${WITHOUT_FOLDING ?? ''}`, () => {
  test('counts for its folder, and for a folder in which it is mounted', () => {
    using mount = openFoldingMount()!;
    writeFileSync(join(folder, 'a.txt'), '');
    expect(compareNames([mount.path])).toBe('folded');
    expect(compareNames([join(mount.path, '..')])).toBe('folded');
    expect(compareNames([folder, mount.path])).toBe('folded');
    expect(compareNames([folder])).toBe('exact');
  });
});
