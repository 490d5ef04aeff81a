import { expect, test } from 'vitest';
import { toDebugLine } from './debug-line.ts';

function lineOf(name: string, output: unknown, input: unknown = {}): string | undefined {
  const text = typeof output === 'string' ? output : JSON.stringify(output);
  return toDebugLine({ name, input, result: { outcome: 'ok', output: text, changes: [], durationMs: 1 } });
}

test('frames, variables and reports are one line', () => {
  expect(lineOf('frames', { frames: [{ filePath: 'a.js', line: 3 }] })).toContain('a.js:3');
  const values = Array.from({ length: 20 }, (_, at) => ({ name: `v${at}`, type: 'number', preview: '1' }));
  const locals = lineOf('locals', { values })!;
  expect(locals).toContain('v7');
  expect(locals).not.toContain('v8');
  const rootCause = { file: 'a.js', line: 3, explanation: 'one\n\u001B[31mtwo', confidence: 0.875 };
  const report = lineOf('report', '{}', { text: 'x', rootCause })!;
  expect(report).toContain('a.js:3 (88 %)');
  expect(report).not.toMatch(/[\n\u001B]/);
  expect(lineOf('report', '{}', { text: 'no cause' })).toBe('no cause');
});

test('anything else has none', () => {
  expect(lineOf('frames', 'no JSON')).toBeUndefined();
  expect(lineOf('read_file', '{"frames":[]}')).toBeUndefined();
  expect(toDebugLine({ name: 'frames', input: {} })).toBeUndefined();
});
