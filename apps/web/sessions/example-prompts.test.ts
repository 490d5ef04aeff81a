import { expect, test } from 'vitest';
import { findExamples } from './example-prompts.ts';

test('examples follow from the files of a workspace', () => {
  expect(findExamples([])).toEqual(['begin']);
  expect(findExamples(['.git'])).toEqual(['begin']);
  expect(findExamples(['main.c'])).toEqual(['explain', 'todo']);
  expect(findExamples(['README.md', 'notes.txt'])).toEqual(['explain', 'readme', 'todo']);
  expect(findExamples(['.git', 'Cargo.toml', 'README.md', 'src'])).toEqual(['explain', 'test', 'review']);
});
