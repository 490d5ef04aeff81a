// Covers apps/cli: shell completion.
import { execFileSync } from 'node:child_process';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createTestEngine } from '../fixtures/engine.ts';

const root = join(import.meta.dirname, '../..');

test('bash completes the ids of sessions and of open approvals, and the names of agents', async () => {
  await using engine = await createTestEngine({
    script: {
      steps: [{ reply: { calls: [{ name: 'write_file', input: { path: 'a.txt', content: 'a\n' } }] } }],
      fallback: { text: 'Done.' },
    },
    settings: { approve: 'ask' },
  });
  const { klaus, place } = engine;
  const sessions = [await klaus.open(), await klaus.open()];
  await sessions[0]!.prompt('go', { onAsk: 'wait' });
  await sessions[0]!.advance();
  const bin = join(place.home, 'bin');
  mkdirSync(bin);
  symlinkSync(join(root, 'klaus'), join(bin, 'klaus'));
  const env = { ...place.env, PATH: `${bin}:${place.env['PATH']}` };
  const offered = (...words: string[]): string[] => {
    const script = `source <(klaus completion bash)
COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _klaus; printf '%s\\n' "\${COMPREPLY[@]}"`;
    return execFileSync('bash', ['-c', script, 'bash', ...words], { encoding: 'utf8', env, cwd: place.workspace })
      .trim()
      .split('\n');
  };
  const ids = sessions.map(({ id }) => id).sort();
  expect(offered('klaus', 'show', '01').sort()).toEqual(ids);
  expect(offered('klaus', 'undo', '--session', '').sort()).toEqual(ids);
  expect(offered('klaus', 'approve', '01')).toEqual((await klaus.approvals()).map(({ id }) => id));
  expect(offered('klaus', 'show', '--js')).toEqual(['--json']);
  expect(offered('klaus', 'sessions', '01')).toEqual(['']);
  const agents = join(place.workspace, '.klaus/agents');
  mkdirSync(agents, { recursive: true });
  writeFileSync(join(agents, 'reviewer.md'), '---\nname: reviewer\ndescription: b\n---\n');
  expect(offered('klaus', 'agents', 'show', 're')).toEqual(['reviewer']);
  expect(offered('klaus', 'run', '--agent', '')).toEqual(['reviewer']);
  expect(offered('klaus', 'agents', 'exp')).toEqual(['export']);
});
