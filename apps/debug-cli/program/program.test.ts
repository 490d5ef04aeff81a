// Covers apps/debug-cli/program: what is refused before anything is loaded.
import { FAILURE_CODES, PROTOCOL_VERSION, type FailureCode } from 'klendathu/contract';
import { expect, test } from 'vitest';
import { readArguments } from './arguments.ts';
import { CliFailure } from './cli-failure.ts';
import { parseInput } from './read-input.ts';

const SEED = {
  mode: 'investigate',
  mcpUrl: 'http://127.0.0.1:9/mcp',
  callStack: [],
  context: [{ name: 'a', type: 'b' }],
  timestamp: 'now',
  pid: 1,
};

function codeOf(run: () => unknown): FailureCode | undefined {
  try {
    run();
    return undefined;
  } catch (error) {
    expect(error).toBeInstanceOf(CliFailure);
    return (error as CliFailure).code;
  }
}

test('the fields of the first contract are enough, and unknown ones are ignored', () => {
  expect(parseInput(JSON.stringify({ ...SEED, later: true }))).toEqual(SEED);
});

test.each([
  ['', 'input'],
  ['{"mode": ', 'input'],
  ['7', 'input'],
  ['null', 'input'],
  [JSON.stringify({ mode: 'investigate' }), 'input'],
  [JSON.stringify({ ...SEED, mode: 'guess' }), 'input'],
  [JSON.stringify({ ...SEED, mode: 'implement' }), 'input'],
  [JSON.stringify({ ...SEED, mcpUrl: 'file:///etc/passwd' }), 'input'],
  [JSON.stringify({ ...SEED, timeoutMs: -1 }), 'input'],
  [JSON.stringify({ protocol: PROTOCOL_VERSION + 1 }), 'cli-outdated'],
] as const)('%s is refused', (text, code) => {
  expect(codeOf(() => parseInput(text))).toBe(code);
});

test('options', () => {
  expect(readArguments(['--json', '--events-fd', '3'])).toMatchObject({ json: true, eventsFd: 3 });
  for (const words of [
    ['--nonsense'],
    ['--events-fd', 'x'],
    ['--events-fd', '1'],
    ['word'],
    ['--request-timeout-ms', '0'],
  ])
    expect(codeOf(() => readArguments(words))).toBe('input');
});

test('every failure has an exit code of its own', () => {
  const codes = Object.values(FAILURE_CODES);
  expect(new Set(codes).size).toBe(codes.length);
});
