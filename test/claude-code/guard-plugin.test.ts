// Covers apps/claude-code/plugin, apps/claude-code/hooks: the hooks of the plugin, alone and with an installed guard.
import { existsSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { HostEventOf } from '@klaus/sdk';
import { describe, expect, test } from 'vitest';
import { CLAUDE_CODE_TIMEOUT, CLAUDE_CODE_VERSIONS, needClaudeCode, runClaudeCode } from '../fixtures/claude-code.ts';
import { installProgram } from '../fixtures/install-program.ts';
import { createRoof } from '../roof/roof.ts';
import { bash, toScript } from './guard-place.ts';
import { splitCases } from '../fixtures/split-cases.ts';

const PLUGIN = join(import.meta.dirname, '../../apps/claude-code/plugin');
const timeout = CLAUDE_CODE_TIMEOUT;

for (const { cases, tags } of splitCases(CLAUDE_CODE_VERSIONS, 1))
  describe.each(cases)('Claude Code %s', { tags }, (version) => {
    test.for(['alone', 'with an installed guard'] as const)(
      'the plugin %s decides once about each call',
      { timeout },
      async (how, context) => {
        const program = await needClaudeCode(context, version);
        const script = toScript([bash('rm -rf ~/precious'), bash('echo inside > inside.txt'), { text: 'It is over.' }]);
        await using roof = await createRoof({ script });
        const { place, model } = roof;
        if (how !== 'alone') expect(await roof.klaus('guard', 'install', '--user')).toMatchObject({ code: 0 });
        const precious = join(place.env['HOME']!, 'precious');
        mkdirSync(precious);
        const words = ['--dangerously-skip-permissions', '--plugin-dir', PLUGIN, '-p', 'Go.'];
        const env = { PATH: `${installProgram(place)}:${place.env['PATH']}` };
        expect(await runClaudeCode(words, { program, place, url: model.url, env })).toMatchObject({ code: 0 });
        expect(existsSync(precious)).toBe(true);
        expect(existsSync(join(place.workspace, 'inside.txt'))).toBe(true);
        const { stdout } = await roof.klaus('guard', 'log', '--json');
        const decisions = stdout
          .split('\n')
          .flatMap((line) => (line === '' ? [] : [JSON.parse(line) as HostEventOf<'guard.decided'>]));
        const calls = decisions.filter(({ call, event }) => call !== undefined || event === 'Stop');
        expect(calls.map(({ tool, event, verdict }) => `${tool ?? event} ${verdict}`)).toEqual([
          'Bash deny',
          'Bash allow',
          'Stop allow',
        ]);
      },
    );

    test('a plugin that does not find Klaus denies calls', { timeout }, async (context) => {
      const program = await needClaudeCode(context, version);
      const script = toScript([bash('echo inside > inside.txt'), { text: 'It is over.' }]);
      await using roof = await createRoof({ script });
      const { place, model } = roof;
      rmSync(join(place.home, 'guard'), { recursive: true, force: true });
      const words = ['--dangerously-skip-permissions', '--plugin-dir', PLUGIN, '-p', 'Go.'];
      const env = { PATH: '/usr/bin:/bin' };
      expect(await runClaudeCode(words, { program, place, url: model.url, env })).toMatchObject({ code: 0 });
      expect(existsSync(join(place.workspace, 'inside.txt'))).toBe(false);
    });
  });
