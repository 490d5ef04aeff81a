// Covers apps/debug/evaluate: read-only code that takes all memory, or that nothing interrupts, leaves the program alive.
import { setTimeout as wait } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { MEMORY_SNIPPETS } from './memory-snippets.ts';
import { openHost } from './open-host.fixture.ts';

/** Milliseconds. */
const LIMIT = 1000;
const SILENCE = 30_000;

test('there are at least 100', () => {
  expect(MEMORY_SNIPPETS.length).toBeGreaterThanOrEqual(100);
});

/** Every sixth. */
const some = MEMORY_SNIPPETS.filter((_, index) => index % 6 === 0);

test('some, with the default heap', { timeout: 300_000 }, async () => {
  expect(await findDead(some)).toEqual([]);
});
test('with the default heap', { timeout: 900_000, tags: ['long'] }, async () => {
  expect(await findDead(MEMORY_SNIPPETS)).toEqual([]);
});
test('with a small heap', { timeout: 900_000, tags: ['long'] }, async () => {
  expect(await findDead(MEMORY_SNIPPETS, ['--max-old-space-size=200'])).toEqual([]);
});

/** The snippets after which the program does not answer. */
async function findDead(snippets: typeof MEMORY_SNIPPETS, execArgv: readonly string[] = []): Promise<string[]> {
  const failures: string[] = [];
  let host = await openHost('read', execArgv);
  for (const { name, code } of snippets) {
    const answer = await Promise.race([
      host.evaluate(code, { timeoutMs: LIMIT }).catch((error: unknown) => ({ text: String(error) })),
      wait(SILENCE, undefined, { ref: false }),
    ]);
    const after = answer && (await host.evaluate('list.length').catch(() => undefined));
    if (after?.text === '3' && host.isAlive()) continue;
    failures.push(`${name}: ${answer ? answer.text.slice(0, 200) : 'no answer'}; then ${after?.text ?? 'dead'}`);
    if (host.isAlive()) process.kill(host.pid, 'SIGKILL');
    host = await openHost('read', execArgv);
  }
  await host[Symbol.asyncDispose]();
  return failures;
}
