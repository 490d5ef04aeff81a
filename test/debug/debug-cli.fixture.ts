import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { StartedModelServer } from '@klaus/sdk';
import { statusMessageSchema, type StatusMessage, type Summary } from 'klendathu/contract';
import { expect } from 'vitest';
import { startKlaus, type Ended, type RunningKlaus } from '../fixtures/klaus.ts';
import type { TestHome } from '../fixtures/test-home.ts';

/** The program as it is in the repository. */
export const DEBUG_CLI =
  process.env['KLENDATHU_TEST_PROGRAM'] ?? join(import.meta.dirname, '../../apps/debug-cli/main.ts');

export interface RunOptions {
  place: TestHome;
  server?: StartedModelServer;
  /** Text, or an object that is written as JSON. */
  input: unknown;
  words?: readonly string[];
  env?: Record<string, string>;
}

/** An input with the fields of the first contract, and no other. */
export function toInput(mcpUrl: string, more: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    mode: 'investigate',
    mcpUrl,
    callStack: [{ filePath: '/app/pay.js', line: 3, column: 9, functionName: 'pay' }],
    context: [{ name: 'order', type: 'object', description: 'the order to pay' }],
    timestamp: '2026-01-02T03:04:05.000Z',
    pid: 4711,
    ...more,
  };
}

/** A program that starts klendathu-cli, for hosts that start it themselves. */
export function installDebugCli(place: TestHome): string {
  const file = join(place.home, '..', 'klendathu-cli');
  writeFileSync(file, `#!/bin/sh\nexec '${process.execPath}' '${DEBUG_CLI}' "$@"\n`, { mode: 0o755 });
  return file;
}

export function startDebugCli({ place, server, input, words = [], env = {} }: RunOptions): RunningKlaus {
  return startKlaus(words, {
    place,
    server,
    env,
    program: DEBUG_CLI,
    stdin: typeof input === 'string' ? input : JSON.stringify(input),
  });
}

export interface DebugRun extends Ended {
  messages: StatusMessage[];
  summary: Summary;
  /** Codes of the errors that were reported. */
  codes: (string | undefined)[];
}

/** Runs the program to its end. Every line of standard error must be a message, and the last one the summary. */
export async function runDebugCli(options: RunOptions): Promise<DebugRun> {
  return toRun(await startDebugCli(options).ended);
}

export function toRun(ended: Ended): DebugRun {
  const messages = toMessages(ended.stderr);
  const summary = messages.at(-1);
  expect(summary?.type, ended.stderr).toBe('summary');
  const codes = messages.flatMap((each) => (each.type === 'log' && each.level === 'error' ? [each.code] : []));
  return { ...ended, messages, summary: summary as Summary, codes };
}

/** Fails for a line that is no message, or has an unknown field. */
export function toMessages(stderr: string): StatusMessage[] {
  const lines = stderr.split('\n').slice(0, -1);
  return lines.map((line) => {
    const json: unknown = JSON.parse(line);
    const message = statusMessageSchema.parse(json);
    expect(message).toEqual(json);
    return message;
  });
}
