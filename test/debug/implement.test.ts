// Covers apps/debug/implement: results of every kind of schema, refusals, the replay cache, and its failures.
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { implement } from 'klendathu';
import { afterAll, expect, expectTypeOf, test } from 'vitest';
import { z } from 'zod';
import { z as z3 } from 'zod/v3';
import { scripted } from './scripted-agent.ts';
import { splitCases } from '../fixtures/split-cases.ts';

const folder = mkdtempSync(join(tmpdir(), 'klendathu-implement-'));
afterAll(() => rmSync(folder, { recursive: true }));

const { mode: _, ...base } = scripted();
let folders = 0;

function withResults(...results: unknown[]) {
  const calls = results.map((result) => ({ call: 'set_result', input: { result } }));
  return { ...base, ...scripted(...calls), cacheFolder: join(folder, String((folders += 1))) };
}

const RESULT = { total: 3, at: '2026-01-02' };
const shape4 = { total: z.number(), at: z.string().transform((text) => new Date(text)) };
const shape3 = { total: z3.number(), at: z3.string().transform((text) => new Date(text)) };

for (const { cases, tags } of splitCases(
  [
    ['zod 4', z.object(shape4)],
    ['a shape of zod 4', shape4],
    ['zod 3', z3.object(shape3)],
    ['a shape of zod 3', shape3],
  ],
  1,
))
  test.each(cases)(
    '%s: an invalid result is refused with its reasons, a valid one is returned as the schema transforms it',
    { tags },
    async (__, schema) => {
      const run = implement(
        'Sum up.',
        { items: [1, 2] },
        schema as typeof shape4,
        withResults({ total: 'x', at: 1 }, RESULT),
      );
      const result = await run;
      expectTypeOf(result).toEqualTypeOf<{ total: number; at: Date }>();
      expect(result).toEqual({ total: 3, at: new Date(RESULT.at) });
      const previews = (await Array.fromAsync(run.stderr)).flatMap((it) =>
        it.type === 'tool_result' ? [it.resultPreview] : [],
      );
      expect(previews.map((text) => (JSON.parse(text) as { accepted: boolean }).accepted)).toEqual([false, true]);
    },
  );

test('a JSON Schema', async () => {
  const schema = { type: 'array', items: { type: 'integer' } };
  const result = await implement('Sort.', {}, schema, withResults(['a'], [1, 2]));
  expectTypeOf(result).toEqualTypeOf<unknown>();
  expect(result).toEqual([1, 2]);
});

test('the schema and the prompt are shown to the agent', async () => {
  const file = join(folder, 'input.json');
  const options = { ...withResults(1), cliPath: writeCli(`writeFileSync(${JSON.stringify(file)}, readFileSync(0))`) };
  await expect(implement('Count.', { list: [1] }, z.number(), options)).rejects.toMatchObject({ code: 'no-result' });
  expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({
    mode: 'implement',
    prompt: 'Count.',
    schema: { type: 'number' },
    context: [{ name: 'list', type: 'Array' }],
  });
});

test('a refusal, an agent without a result, and too many attempts', async () => {
  const refused = {
    ...base,
    ...scripted({ call: 'fail_implementation', input: { reason: 'No such value.' } }),
    cache: false,
  };
  await expect(implement('p', {}, z.number(), refused)).rejects.toMatchObject({
    code: 'refused',
    message: 'No such value.',
  });
  await expect(implement('p', {}, z.number(), { ...base, cache: false })).rejects.toMatchObject({ code: 'no-result' });
  const tired = { ...withResults('a', 'b', 1), attempts: 2 };
  await expect(implement('p', {}, z.number(), tired)).rejects.toMatchObject({ code: 'no-result' });
});

test('the cache answers for the same prompt, schema and values of the context, if it is on', async () => {
  const options = withResults(RESULT);
  const count = join(folder, 'count');
  const counted = {
    ...options,
    env: { KLENDATHU_STEPS: JSON.stringify([{ count }, { call: 'set_result', input: { result: RESULT } }]) },
  };
  const ask = (prompt: string, context: Record<string, unknown>, more = {}) =>
    implement(prompt, context, shape4, { ...counted, cache: true, ...more });
  expect(await ask('p', { user: { id: 1 } })).toEqual(await ask('p', { user: { id: 1 } }));
  expect(readFileSync(count, 'utf8')).toHaveLength(1);
  await ask('other', { user: { id: 1 } });
  await ask('p', { user: { id: 2 } });
  await ask('p', { user: { id: 1 } }, { cache: undefined });
  expect(readFileSync(count, 'utf8')).toHaveLength(4);
  for (const name of readdirSync(options.cacheFolder)) writeFileSync(join(options.cacheFolder, name), '{"result":');
  await ask('p', { user: { id: 1 } });
  await ask('p', { user: { id: 1 } });
  expect(readFileSync(count, 'utf8')).toHaveLength(5);
  // Nothing can compare the fields of an instance.
  const hidden = {
    user: new (class {
      #id = 1;
      read = () => this.#id;
    })(),
  };
  await ask('p', hidden);
  await ask('p', hidden);
  expect(readFileSync(count, 'utf8')).toHaveLength(7);
});

test('what cannot work is a typed error', async () => {
  await expect(implement('p', {}, z.date() as never, base)).rejects.toMatchObject({ code: 'schema' });
  await expect(implement(' ', {}, z.number(), base)).rejects.toMatchObject({ code: 'input' });
  const aborted = implement('p', {}, z.number(), { ...base, signal: AbortSignal.abort() });
  await expect(aborted).rejects.toMatchObject({ code: 'cancelled' });
  expect(await aborted.summary).toMatchObject({ finishReason: 'cancelled' });
});

/** A program that does something else than the scripted agent, and prints a report. */
function writeCli(code: string): string {
  const path = join(folder, 'cli.mjs');
  const report = JSON.stringify({ text: '', evidence: [], stats: { turns: 0, cost: 0 } });
  writeFileSync(
    path,
    `import { readFileSync, writeFileSync } from 'node:fs';\n${code};\nconsole.log(${JSON.stringify(report)});`,
  );
  return path;
}
