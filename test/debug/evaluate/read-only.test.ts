// Covers apps/debug/evaluate: what read-only evaluation shows, and that it changes nothing.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, expect, test } from 'vitest';
import { BENIGN_LOOKS } from './benign-looks.ts';
import { ESCAPE_PROBES } from './escape-probes.ts';
import { MUTATING_PROBES } from './mutating-probes.ts';
import { openHost } from './open-host.fixture.ts';

const host = await openHost('read');
afterAll(() => host[Symbol.asyncDispose]());

test('at least 90 % of benign looks pass', async () => {
  const refused: string[] = [];
  for (const code of BENIGN_LOOKS) {
    const { isError, text } = await host.evaluate(code);
    if (isError) refused.push(`${code} → ${text.slice(0, 300)}`);
  }
  expect(BENIGN_LOOKS.length).toBeGreaterThanOrEqual(100);
  if (process.env['DEBUG_LOOKS']) console.log(refused.join('\n'));
  expect(refused.length, refused.join('\n')).toBeLessThan(BENIGN_LOOKS.length * 0.1);
});

test('no probe changes anything', async () => {
  const before = await host.state();
  const changed: string[] = [];
  for (const code of MUTATING_PROBES) {
    await host.evaluate(code, { timeoutMs: 500 });
    if ((await host.state()) !== before) changed.push(code);
    if (changed.length > 0) break;
  }
  expect(MUTATING_PROBES.length).toBeGreaterThanOrEqual(150);
  expect(changed).toEqual([]);
  expect(existsSync('/tmp/klendathu-probe')).toBe(false);
});

/** A list to which anyone can add: code with the names of `host.fixture.ts`, and what must not happen. */
const PROBES = JSON.parse(readFileSync(join(import.meta.dirname, 'probes.json'), 'utf8')) as {
  code: string;
  not: string;
}[];

// Each of them in turn: a program that hangs or ends is replaced, so that all that do are known.
test('code cannot get into the program by what it leaves for it', { timeout: 120_000 }, async () => {
  const escaped: string[] = [];
  let open = await openHost('read');
  const before = await open.state();
  for (const code of [...ESCAPE_PROBES, ...PROBES.map((probe) => probe.code)]) {
    const answer = open.evaluate(code, { timeoutMs: 300 }).catch(() => undefined);
    const first = await Promise.race([answer, wait(8000, undefined, { ref: false })]);
    if (first && (await open.state()) === before) continue;
    escaped.push(code);
    if (open.isAlive()) process.kill(open.pid, 'SIGKILL');
    open = await openHost('read');
  }
  await open[Symbol.asyncDispose]();
  expect(escaped).toEqual([]);
  expect(existsSync('/tmp/klendathu-probe')).toBe(false);
});
