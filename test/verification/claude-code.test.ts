// Covers apps/claude-code/verification, apps/claude-code/plugin: the real Claude Code commits through the chain.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { CLAUDE_CODE_TIMEOUT, CLAUDE_CODE_VERSIONS, needClaudeCode, runClaudeCode } from '../fixtures/claude-code.ts';
import { installProgram } from '../fixtures/install-program.ts';
import { runKlaus, toEnv } from '../fixtures/klaus.ts';
import { test } from '../fixtures/sandboxed.ts';
import { createTestHome } from '../fixtures/test-home.ts';
import { REVIEWS } from '../claude-code/guard-place.ts';
import { createRoof } from '../roof/roof.ts';
import { PROJECT, runGit } from './mcp.fixture.ts';
import { splitCases } from '../fixtures/split-cases.ts';

const PLUGIN = join(import.meta.dirname, '../../apps/claude-code/plugin');

/** Claude Code calls the tool, again while the server is not connected yet; Klaus reviews with the same model server. */
function toScript(tool: string) {
  const calls = [{ name: tool, input: { working_dir: '.' } }];
  return {
    steps: [
      ...REVIEWS,
      { when: { user: 'Write the message of a commit' }, reply: { text: '{"message": "Change the sum"}' } },
      {
        when: { user: 'Review a change' },
        reply: { text: JSON.stringify({ verdict: 'confirm', summary: 'It is fine.', findings: [] }) },
      },
      { when: { after: tool, result: 'No such tool|not connected|still connecting' }, reply: { calls } },
      { when: { after: tool }, reply: { text: 'It is committed.' } },
      { when: { tools: true, user: 'commit it' }, reply: { calls } },
    ],
    fallback: { text: 'A title' },
  };
}

for (const { cases, tags } of splitCases(CLAUDE_CODE_VERSIONS, 1))
  describe.each(cases)('Claude Code %s', { tags }, (version) => {
    test('loads the plugin, whose folder is valid', { timeout: CLAUDE_CODE_TIMEOUT }, async (context) => {
      const program = await needClaudeCode(context, version);
      using place = createTestHome();
      const ended = await runClaudeCode(['plugin', 'validate', PLUGIN], { program, place, url: 'http://127.0.0.1:9' });
      expect(ended.stdout).toContain('Validation passed');
      expect(ended.code).toBe(0);
    });

    for (const { cases, tags } of splitCases(
      [
        ['of the project', 'mcp__klaus__commit'],
        ['of the user', 'mcp__klaus__commit'],
        ['of the plugin', 'mcp__plugin_klaus_klaus__commit'],
      ] as const,
      1,
    ))
      test.for(cases)(
        'commits with the server %s',
        { tags, timeout: CLAUDE_CODE_TIMEOUT },
        async ([how, tool], context) => {
          const program = await needClaudeCode(context, version);
          // The hooks of the plugin start a daemon.
          await using roof = await createRoof({ script: toScript(tool), files: PROJECT });
          const { place, model } = roof;
          const env = toEnv({ place, server: model, env: { KLAUS_SANDBOX: 'bubblewrap' } });
          const path = `${installProgram(place)}:${env['PATH']}`;
          if (how !== 'of the plugin') {
            const option = how === 'of the project' ? '--project' : '--user';
            const installed = await runKlaus(['mcp', 'install', option], { place });
            expect(installed.code).toBe(0);
          }
          writeFileSync(join(place.workspace, 'sum.js'), 'export const sum = (a, b) => b + a;\n');
          const words = ['-p', 'commit it', '--dangerously-skip-permissions'];
          if (how === 'of the plugin') words.push('--plugin-dir', PLUGIN);
          if (how === 'of the project') words.push('--settings', '{"enableAllProjectMcpServers": true}');
          const ended = await runClaudeCode(words, { program, place, url: model.url, env: { ...env, PATH: path } });
          expect(ended.stdout).toBe('It is committed.\n');
          expect(runGit(place, 'log', '--format=%s')).toBe('Change the sum\nBegin');
          expect(runGit(place, 'show', 'HEAD:sum.js')).toBe('export const sum = (a, b) => b + a;');
          // The registration of the project is a new file, and so a part of the commit.
          expect(runGit(place, 'status', '--porcelain')).toBe('');
        },
      );
  });
