import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { renderHunk, type Hunk } from '../protocol/index.ts';
import { applyHunks, replaceHunk, toHunks, toNewText } from './hunks.ts';

/** Numbers from 0 to below 1, the same for the same seed. */
function createChance(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

/** Two texts with many equal lines, edits, mixed line ends and ends with and without a line break. */
function createPair(seed: number): { before: string; after: string; context: number } {
  const chance = createChance(seed);
  const pick = <T>(from: readonly T[]) => from[Math.floor(chance() * from.length)]!;
  const line = () => pick(['', 'a', 'b', '}', '  x', '+', '-', '\\ x', 'ä😀', '\r']) + pick(['\n', '\n', '\n', '\r\n']);
  const end = (lines: string[]) => lines.join('').slice(0, chance() < 0.4 ? -1 : undefined);
  const old = Array.from({ length: Math.floor(chance() * 40) }, line);
  const fresh = old.flatMap((it) => {
    const what = chance();
    return what < 0.08 ? [] : what < 0.16 ? [line()] : what < 0.22 ? [it, line()] : [it];
  });
  return { before: end(old), after: end(fresh), context: pick([0, 0, 1, 3]) };
}

function subsets(hunks: readonly Hunk[]): Hunk[][] {
  const count = Math.min(hunks.length, 7);
  return Array.from({ length: 2 ** count }, (_, bits) => hunks.filter((_hunk, at) => (bits >> (at % count)) & 1));
}

const ids = (hunks: readonly Hunk[]) => new Set(hunks.map(({ id }) => id));

test('every subset of the hunks of random texts gives the old lines outside of it and the new ones inside', () => {
  let cases = 0;
  for (let seed = 0; seed < 1_500; seed++) {
    const { before, after, context } = createPair(seed);
    const hunks = toHunks(before, after, { path: 'f', context });
    expect(applyHunks(before, hunks, new Set()), `seed ${seed}`).toBe(before);
    expect(applyHunks(before, hunks, ids(hunks)), `seed ${seed}`).toBe(after);
    for (const subset of subsets(hunks)) {
      const kept = applyHunks(before, hunks, ids(subset));
      // From here the rejected hunks lead to `after`, and the reverted accepted ones to `before`.
      const rest = hunks.filter((hunk) => !subset.includes(hunk));
      expect(applyHunks(kept, shift(rest, subset), ids(rest)), `seed ${seed}`).toBe(after);
      expect(applyHunks(kept, shift(subset.map(reverse), subset), ids(subset)), `seed ${seed}`).toBe(before);
      cases++;
    }
  }
  expect(cases).toBeGreaterThan(5_000);
});

/** The hunk that takes another one back. */
function reverse(hunk: Hunk): Hunk {
  const signs: Readonly<Record<string, string>> = { '+': '-', '-': '+' };
  const lines = hunk.lines.map((line) => (signs[line[0]!] ?? line[0]!) + line.slice(1));
  return { ...hunk, oldLines: hunk.newLines, newLines: hunk.oldLines, lines, oldStart: toStart(hunk) };
}

function toStart(hunk: Hunk): number {
  const index = hunk.oldLines === 0 ? hunk.oldStart : hunk.oldStart - 1;
  return hunk.newLines === 0 ? index : index + 1;
}

/** Hunks moved by what other ones above them add and remove. */
function shift(hunks: readonly Hunk[], by: readonly Hunk[]): Hunk[] {
  return hunks.map((hunk) => {
    const above = by.filter((other) => Number(other.id.slice(2)) < Number(hunk.id.slice(2)));
    return { ...hunk, oldStart: hunk.oldStart + above.reduce((sum, it) => sum + it.newLines - it.oldLines, 0) };
  });
}

test('git reads the hunks as the same change', () => {
  const folder = mkdtempSync(join(tmpdir(), 'klaus-hunks-'));
  try {
    for (let seed = 0; seed < 60; seed++) {
      const { before, after, context } = createPair(seed);
      const hunks = toHunks(before, after, { path: 'f', context });
      if (hunks.length === 0 || before === '' || after === '') continue;
      writeFileSync(join(folder, 'f'), before);
      const patch = ['--- a/f', '+++ b/f', ...hunks.map(renderHunk), ''].join('\n');
      execFileSync('git', ['apply', '--unidiff-zero', '--whitespace=nowarn', '-'], { cwd: folder, input: patch });
      expect(readFileSync(join(folder, 'f'), 'utf8'), `seed ${seed}`).toBe(after);
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test('changes far apart are hunks of their own, those close together are one', () => {
  const lines = Array.from({ length: 40 }, (_, i) => `${i}\n`);
  const after = lines.map((line, i) => ([2, 6, 30].includes(i) ? `new ${line}` : line));
  const hunks = toHunks(lines.join(''), after.join(''), { path: 'src/a.ts' });
  expect(hunks.map(({ id, oldStart, oldLines }) => [id, oldStart, oldLines])).toEqual([
    ['src/a.ts#1', 1, 10],
    ['src/a.ts#2', 28, 7],
  ]);
  expect(renderHunk(hunks[1]!)).toBe('@@ -28,7 +28,7 @@\n 27\n 28\n 29\n-30\n+new 30\n 31\n 32\n 33');
});

test('texts that have next to nothing in common are one hunk, and take no long time', () => {
  const count = 50_000;
  const text = (name: string) => Array.from({ length: count }, (_, i) => `${name} ${i}\n`).join('');
  const before = `same\n${text('old')}same\n`;
  const after = `same\n${text('new')}same\n`;
  const hunks = toHunks(before, after, { path: 'f' });
  expect(hunks).toHaveLength(1);
  expect(hunks[0]!.lines).toHaveLength(2 * count + 2);
  expect(applyHunks(before, hunks, ids(hunks))).toBe(after);
});

test('too many changes to answer one by one are one hunk', () => {
  const lines = Array.from({ length: 6_000 }, (_, i) => `${i}\n`);
  const after = lines.map((line, i) => (i % 10 === 0 && i < 4_000 ? `x${line}` : line)).join('');
  expect(toHunks(lines.join(''), after, { path: 'f' })).toHaveLength(400);
  const most = lines.map((line, i) => (i % 10 === 0 ? `x${line}` : line)).join('');
  expect(toHunks(lines.join(''), most, { path: 'f' })).toHaveLength(1);
});

test('hunks of another text are refused', () => {
  const hunks = toHunks('a\nb\nc\n', 'a\nB\nc\n', { path: 'f' });
  expect(() => applyHunks('a\nx\nc\n', hunks, ids(hunks))).toThrow(
    expect.objectContaining({ code: 'workspace.conflict', message: expect.stringContaining('f#1') }),
  );
  expect(() => applyHunks('a\nb\nc', hunks, ids(hunks))).toThrow(
    expect.objectContaining({ code: 'workspace.conflict' }),
  );
});

describe('an edited hunk', () => {
  const edit = (before: string, after: string, text: string) => {
    const [hunk] = toHunks(before, after, { path: 'f', context: 1 });
    const edited = replaceHunk(hunk!, text);
    return { shown: toNewText(hunk!), result: applyHunks(before, [edited], new Set(['f#1'])), edited };
  };

  test('puts the own lines in the place of the old ones', () => {
    const { shown, result, edited } = edit('a\nb\nc\nd\n', 'a\nB\nc\nd\n', 'a\nmine\nand more\nc\n');
    expect(shown).toBe('a\nB\nc\n');
    expect(result).toBe('a\nmine\nand more\nc\nd\n');
    expect(renderHunk(edited)).toBe('@@ -1,3 +1,4 @@\n a\n-b\n+mine\n+and more\n c');
  });

  test('gets the line break at its end that an editor left away', () => {
    expect(edit('a\nb\nc\nd\n', 'a\nB\nc\nd\n', 'a\nmine').result).toBe('a\nmine\nd\n');
    expect(edit('a\nb', 'a\nB', 'a\nmine').result).toBe('a\nmine');
    expect(edit('a\nb\n', 'a\nB\n', '').result).toBe('');
  });

  test('keeps the line ends of the file', () => {
    expect(edit('a\r\nb\r\nc\r\n', 'a\r\nB\r\nc\r\n', 'a\nmine\nc').result).toBe('a\r\nmine\r\nc\r\n');
  });
});
