import { expect, test } from 'vitest';
import { hasMarkers, toHunks } from './conflicts.ts';

const TEXT = ['a', '<<<<<<< main', 'x', '||||||| 12ab', 'o', '=======', 'y', 'z', '>>>>>>> copy', 'b', ''].join('\n');

test('hunks with the text of each side', () => {
  expect(toHunks(`${TEXT}${TEXT}`)).toEqual([
    { line: 2, target: 'x\n', base: 'o\n', copy: 'y\nz\n' },
    { line: 12, target: 'x\n', base: 'o\n', copy: 'y\nz\n' },
  ]);
});

test('a text without a complete conflict has no hunk', () => {
  expect(toHunks('Title\n=======\n')).toEqual([]);
  expect(toHunks('<<<<<<< main\nx\n')).toEqual([]);
});

test('markers are found at the beginning of a line', () => {
  expect(hasMarkers(TEXT)).toBe(true);
  expect(hasMarkers('Title\n=======\n a <<<<<<< b\n')).toBe(false);
});
