// Covers apps/debug/capture, apps/debug/stack, apps/debug/render: every road that an error takes, as a table.
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, expect, test } from 'vitest';
import type { StackFrame } from '../../../apps/debug/contract/index.ts';
import { SITUATIONS } from './situations.ts';

const folder = mkdtempSync(join(tmpdir(), 'klendathu-situations-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

interface Seen {
  frames: (StackFrame & { locals: Record<string, string> })[];
}

test.each(Object.entries(SITUATIONS))('%s', async (name, { code, sees, missing }) => {
  const program = join(folder, `${name.replaceAll(/\W+/g, '-')}.mjs`);
  writeFileSync(program, code);
  const fixture = join(import.meta.dirname, 'look.fixture.ts');
  const { stdout } = await promisify(execFile)(process.execPath, [fixture, program]);
  const { frames } = JSON.parse(stdout.trim().split('\n').at(-1)!) as Seen;
  // The first frame is that of the throw, not of a library that throws for it.
  const [{ frame: first }] = sees as [(typeof sees)[number]];
  const top = frames.find(({ filePath }) => !filePath.startsWith('node:'));
  if (sees[0]!.of === undefined && sees[0]!.locals) expect(top?.functionName ?? '', stdout).toBe(first);
  for (const { frame, of, locals = {}, isAsync } of sees) {
    const found = frames.find((one) => (one.functionName ?? '') === frame && one.of === of && one.isAsync === isAsync);
    expect(found, stdout).toBeDefined();
    expect(found!.locals).toMatchObject(locals);
    if (missing !== undefined) expect(found!.hasLocals).toBeUndefined();
  }
});

test('the table of the guide has a row for each', () => {
  const guide = readFileSync(join(import.meta.dirname, '../../../docs/guides/klendathu.md'), 'utf8');
  const [, table = ''] = /<!-- captured -->([^]*)<!-- \/captured -->/.exec(guide) ?? [];
  const rows = table.trim().split('\n').slice(2);
  expect(rows).toEqual(
    Object.entries(SITUATIONS).map(
      ([name, { missing }]) => `| ${name} | ${missing === undefined ? 'yes' : `no: ${missing}`} |`,
    ),
  );
});
