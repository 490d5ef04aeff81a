import { expect, test } from 'vitest';
import { repairJson, toWellFormedJson } from './well-formed-json.ts';

test.each<[value: unknown, expected: unknown]>([
  ['half \ud83d x', 'half \ufffd x'],
  ['half \ude00', 'half \ufffd'],
  ['\\\ud83d', '\\\ufffd'],
  ['\\'.repeat(200_001) + '\ud83d', `${'\\'.repeat(200_001)}\ufffd`],
  ['\\ud83d is the text of an escape', '\\ud83d is the text of an escape'],
  ['\\\\ud83d', '\\\\ud83d'],
  ['\ude00\ud83d', '\ufffd\ufffd'],
  [{ 'key\ud83d': ['a😀b', 'c\udfff'] }, { 'key\ufffd': ['a😀b', 'c\ufffd'] }],
  ['\ud7ff\ue000', '\ud7ff\ue000'],
])('%j becomes valid Unicode', (value, expected) => {
  const json = toWellFormedJson(value);
  expect(JSON.parse(json)).toEqual(expected);
  expect(json.isWellFormed()).toBe(true);
  expect(json).not.toMatch(/(?<!\\)(?:\\\\)*\\ud[89a-f]/);
});

test('JSON without a lone half is the same text', () => {
  const json = JSON.stringify({ text: 'a😀b', escaped: '\\ud83d' });
  expect(repairJson(json)).toBe(json);
});
