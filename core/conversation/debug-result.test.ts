import { expect, test } from 'vitest';
import { readDebugResult } from './debug-result.ts';

const value = (name: string, more: object = {}) => ({ name, type: 'Object', preview: '{}', ...more });

function locals(values: unknown, input: unknown = { frame: 2 }) {
  return readDebugResult({ name: 'locals', input, output: JSON.stringify({ values }) });
}

test('values keep their tree, and unknown fields are dropped', () => {
  const child = value('b', { size: 3, extra: true });
  expect(locals([value('a', { children: [child], omitted: 4, path: 'a' })])).toEqual({
    kind: 'locals',
    frame: 2,
    values: [{ ...value('a'), omitted: 4, children: [{ ...value('b'), size: 3, omitted: 0 }] }],
  });
});

test('frames need a file only', () => {
  const output = JSON.stringify({ frames: [{ filePath: 'a.js' }, { filePath: 'b.js', line: 3, isUser: false }] });
  expect(readDebugResult({ name: 'frames', input: {}, output })).toEqual({
    kind: 'frames',
    frames: [
      { filePath: 'a.js', isUser: true, isAsync: false },
      { filePath: 'b.js', line: 3, isUser: false, isAsync: false },
    ],
  });
});

test('a report is the input of its call', () => {
  const rootCause = { file: 'a.js', line: 1, explanation: 'x', confidence: 0.5 };
  const read = (input: unknown) => readDebugResult({ name: 'report', input, output: 'anything' });
  expect(read({ text: 'x', rootCause })).toEqual({ kind: 'report', report: { text: 'x', rootCause, evidence: [] } });
  expect(read({ rootCause })).toBeUndefined();
  expect(read({ text: 'x', rootCause: { ...rootCause, line: '1' } })).toBeUndefined();
  expect(read({ text: 'x', fix: { unifiedDiff: '', risk: 'none' } })).toBeUndefined();
  expect(read({ text: 'x', evidence: [{ source: 'a' }] })).toBeUndefined();
  expect(read('text')).toBeUndefined();
});

test('other tools, other shapes and cut output give nothing', () => {
  expect(readDebugResult({ name: 'read_file', input: {}, output: '{"values":[]}' })).toBeUndefined();
  expect(readDebugResult({ name: 'locals', input: {}, output: '{"values":[' })).toBeUndefined();
  expect(readDebugResult({ name: 'locals', input: {}, output: '[]' })).toBeUndefined();
  expect(locals([value('a', { children: 'x' })])).toBeUndefined();
  expect(locals([{ name: 'a' }])).toBeUndefined();
  let deep: object = value('x');
  for (let level = 0; level < 200; level++) deep = value('x', { children: [deep] });
  expect(locals([deep])).toBeUndefined();
});
