// Covers adapters/runners/claude-code, core/agent/runner, apps/cli/run: kills of Klaus, and what Claude Code keeps.
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Event, Script } from '@klaus/sdk';
import { expect, test, type TestContext } from 'vitest';
import { eventually, findProcesses } from '../../adapters/sandboxes/sandbox.fixture.ts';
import { toSaid } from '../fixtures/acp-agent.ts';
import { CLAUDE_CODE_TIMEOUT, needClaudeCode } from '../fixtures/claude-code.ts';
import { CLAUDE_HOME, toClaudeDefinition, toClaudeRunnerEnv } from '../fixtures/claude-runner.ts';
import { ofType, outcomeOf } from '../fixtures/engine.ts';
import { runKlaus, startKlaus, startServer, toEvents } from '../fixtures/klaus.ts';
import { hasBubblewrap } from '../fixtures/sandboxed.ts';
import { createTestHome, type TestHome } from '../fixtures/test-home.ts';
import { splitCases } from '../fixtures/split-cases.ts';

const WAITS: Script = {
  steps: [
    { when: { user: 'interrupted' }, reply: { text: 'I continue.' } },
    { when: { tools: true }, reply: { calls: [{ shell: 'echo begun > begun.txt; sleep 600' }] } },
  ],
  fallback: { text: 'A title' },
};

async function createPlace(context: TestContext): Promise<TestHome> {
  const program = await needClaudeCode(context);
  const place = createTestHome();
  mkdirSync(join(place.home, 'agents'), { recursive: true });
  mkdirSync(join(place.env['HOME']!, CLAUDE_HOME));
  writeFileSync(join(place.home, 'agents/other.md'), toClaudeDefinition(program));
  return place;
}

for (const { cases, tags } of splitCases(hasBubblewrap ? ['host', 'bubblewrap'] : ['host'], 1))
  test.for(cases)(
    'after SIGKILL of Klaus no process remains, and resume continues the session (%s)',
    { tags, timeout: CLAUDE_CODE_TIMEOUT },
    async (sandbox, context) => {
      using place = await createPlace(context);
      await using server = await startServer(WAITS);
      const env = { ...toClaudeRunnerEnv(server.url), KLAUS_SANDBOX: sandbox };
      const klaus = startKlaus(['--agent', 'other', '--json', '-p', 'wait'], { place, env });
      await klaus.printed('stdout', '"type":"tool.started"');
      const lines = klaus.text.stdout.slice(0, klaus.text.stdout.lastIndexOf('\n') + 1);
      const [{ agentSession } = { agentSession: '' }] = ofType(toEvents(lines), 'runner.opened');
      expect(findProcesses(agentSession)).not.toEqual([]);
      klaus.kill('SIGKILL');
      await klaus.ended;
      expect(await eventually(() => findProcesses(agentSession).length === 0)).toBe(true);
      const [{ session }] = toEvents(lines) as [Event];
      const resumed = await runKlaus(['resume', session], { place, env });
      expect(resumed.code).toBe(0);
      const events = toEvents((await runKlaus(['show', session, '--json'], { place, env })).stdout);
      expect(ofType(events, 'tool.finished').map(({ outcome }) => outcome)).toEqual(['unknown']);
      expect(ofType(events, 'runner.opened').map((opened) => [opened.agentSession, opened.resumed])).toEqual([
        [agentSession, false],
        [agentSession, true],
      ]);
      expect(toSaid(events)).toContain('I continue.');
      expect(outcomeOf(events)?.outcome).toBe('done');
    },
  );

test('--runner claude-code needs no definition, but the program', { timeout: CLAUDE_CODE_TIMEOUT }, async () => {
  using place = createTestHome();
  const missing = await runKlaus(['--runner', 'claude-code', '-p', 'hello'], { place, env: { PATH: '/usr/bin:/bin' } });
  expect(missing.code).toBe(3);
  expect(missing.stderr).toContain('Claude Code is not installed');
  const unnamed = await runKlaus(['--runner', 'acp', '-p', 'hello'], { place });
  expect(unnamed.code).toBe(2);
});

test('klaus sessions lists what Claude Code keeps', async () => {
  using place = createTestHome();
  const folder = join(place.env['HOME']!, 'bin');
  mkdirSync(folder);
  const active = [
    {
      pid: 1,
      sessionId: '0191f7e2-1111',
      name: 'a name',
      cwd: '/w',
      kind: 'interactive',
      status: 'idle',
      startedAt: 1,
    },
  ];
  writeFileSync(join(folder, 'claude'), `#!/bin/sh\n[ "$*" = 'agents --json' ] && echo '${JSON.stringify(active)}'\n`);
  chmodSync(join(folder, 'claude'), 0o755);
  const env = { PATH: `${folder}:${place.env['PATH']}` };
  const { stdout } = await runKlaus(['sessions', '--claude-code', '--json'], { place, env });
  expect(JSON.parse(stdout)).toMatchObject({ id: '0191f7e2-1111', agentType: 'claude', status: 'interactive idle' });
  const without = await runKlaus(['sessions', '--claude-code'], { place, env: { PATH: '/usr/bin:/bin' } });
  expect(without.code).toBe(2);
});
