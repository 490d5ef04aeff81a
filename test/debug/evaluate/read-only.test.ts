// Covers apps/debug/evaluate: what read-only evaluation shows, and that it changes nothing.
import { existsSync } from 'node:fs';
import { afterAll, expect, test } from 'vitest';
import { BENIGN_LOOKS } from './benign-looks.ts';
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
