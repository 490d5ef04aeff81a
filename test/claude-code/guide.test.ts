// Covers docs/guides, apps/cli/commands/guard: the guide leads a new user to a first denied command.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { CLAUDE_CODE_TIMEOUT, needClaudeCode, toClaudeCodeEnv } from '../fixtures/claude-code.ts';
import { MAIN } from '../fixtures/klaus.ts';
import { createRoof } from '../roof/roof.ts';
import { bash, toScript } from './guard-place.ts';

const GUIDE = join(import.meta.dirname, '../../docs/guides/claude-code.md');

/** The lines of shell in the section about the guard. */
function readLines(): string[] {
  const [, section = ''] = readFileSync(GUIDE, 'utf8').split(/^## Guard /m);
  const [guard = ''] = section.split(/^## /m);
  return Array.from(guard.matchAll(/^```sh\n([\s\S]*?)^```/gm), ([, lines = '']) => lines.trim().split('\n')).flat();
}

test('the commands of the guide end in a denied command', { timeout: CLAUDE_CODE_TIMEOUT }, async (context) => {
  const program = await needClaudeCode(context);
  await using roof = await createRoof({ script: toScript([bash('rm -rf ~/precious'), { text: 'I could not.' }]) });
  const { place, model } = roof;
  const bin = join(place.home, '..', 'bin');
  const precious = join(place.env['HOME']!, 'precious');
  mkdirSync(bin);
  mkdirSync(precious);
  symlinkSync(program, join(bin, 'claude'));
  writeFileSync(join(bin, 'klaus'), `#!/bin/sh\nexec '${process.execPath}' '${MAIN}' "$@"\n`, { mode: 0o755 });
  const env = {
    ...toClaudeCodeEnv(place, model.url),
    PATH: `${bin}:${dirname(process.execPath)}:${place.env['PATH']}`,
  };
  const lines = readLines();
  expect(lines.map((line) => line.split(' ')[0])).toEqual(['klaus', 'claude', 'klaus']);
  const ends: { code: number | null; stdout: string }[] = [];
  for (const line of lines) {
    const child = spawn('/bin/sh', ['-c', line], { cwd: place.workspace, env, stdio: ['ignore', 'pipe', 'inherit'] });
    const [stdout, [code]] = await Promise.all([text(child.stdout), once(child, 'close') as Promise<[number | null]>]);
    ends.push({ code, stdout });
  }
  expect(ends.map(({ code }) => code)).toEqual([0, 0, 0]);
  expect(ends[0]!.stdout).toContain('test calls were denied');
  expect(ends[2]!.stdout).toContain('rm -rf ~/precious');
  expect(existsSync(precious)).toBe(true);
});
