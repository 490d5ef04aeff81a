// Covers apps/cli/chat, apps/cli/run, core/agent/children, sdk/agents: a team of agents, from its creation to its costs.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Script } from '@klaus/sdk';
import { describe, expect, test } from 'vitest';
import { MAIN, runKlaus, startServer, toEnv, toEvents } from '../fixtures/klaus.ts';
import { focusQuestion, hasTmux, openTerminal } from '../fixtures/terminal.ts';
import { createTestHome } from '../fixtures/test-home.ts';

const REVIEWER = {
  name: 'reviewer',
  description: 'Reviews the sources.',
  system_prompt: 'You review the sources of the test.',
  grants: ['fs(src, r)'],
  tools: ['read_file'],
  reason: 'It reads the sources.',
};

/** The steps of each agent. Its system prompt selects them. */
const TEAM: Script = {
  steps: [
    { when: { tools: false, system: 'title' }, reply: { text: 'A title' } },
    { when: { system: 'agent-builder', after: 'create_agent' }, reply: { text: 'The reviewer is there.' } },
    { when: { system: 'agent-builder' }, reply: { calls: [{ name: 'create_agent', input: REVIEWER }] } },
    {
      when: { system: 'Divide the task', turn: 0 },
      reply: {
        calls: [
          { name: 'spawn_agent', input: { agent: 'reviewer', task: 'Review src/a.txt.' } },
          { name: 'spawn_agent', input: { agent: 'reviewer', task: 'Review README.md.' } },
        ],
      },
    },
    {
      when: { system: 'Divide the task', turn: 1 },
      reply: { calls: [{ name: 'wait_agents', input: {} }] },
    },
    { when: { system: 'Divide the task' }, reply: { text: 'Both are reviewed.' } },
    { when: { system: 'You review', after: 'read_file' }, reply: { text: 'No problems.' } },
    {
      when: { system: 'You review', user: 'src/a' },
      reply: { calls: [{ name: 'read_file', input: { path: 'src/a.txt' } }] },
    },
    { when: { system: 'You review' }, reply: { calls: [{ name: 'read_file', input: { path: 'README.md' } }] } },
  ],
};

interface Row {
  id: string;
  parent: string | null;
  agentType: string | null;
}

describe.skipIf(!hasTmux)('in a terminal (needs tmux)', () => {
  test('a user creates a reviewer, lets an orchestrator give tasks to two, and approves what one needs', async () => {
    using place = createTestHome({ 'src/a.txt': 'one\n', 'README.md': '# Test\n' });
    await using server = await startServer(TEAM);
    const open = (...words: string[]) =>
      openTerminal([process.execPath, MAIN, ...words], { env: toEnv({ place, server }), cwd: place.workspace });

    // agent-builder may give nothing without an approval.
    await using chat = await open('chat', 'agent-builder');
    await chat.shows('agent-builder>');
    await chat.type('Create a reviewer that reads the sources.', 'Enter');
    await chat.shows(/reviewer[^]*fs\(src, r\)/);
    await focusQuestion(chat);
    await chat.type('y');
    await chat.shows('The reviewer is there.');
    await chat.type('/quit', 'Enter');
    expect(await chat.exitCode()).toBe(0);
    expect(existsSync(join(place.home, 'agents/reviewer.md'))).toBe(true);

    expect(await runKlaus(['agents', 'new', 'lead', '--from', 'orchestrator'], { place })).toMatchObject({ code: 0 });
    await using run = await open('run', '--agent', 'lead', '--budget-usd', '5', 'Have everything reviewed.');
    // The template lets it delegate reading. One reviewer needs a file beyond src.
    await run.shows(/README\.md/);
    await focusQuestion(run);
    await run.type('y');
    await run.shows('Both are reviewed.');
    expect(await run.exitCode()).toBe(0);

    const listed = await runKlaus(['sessions', '--json'], { place });
    const rows = listed.stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Row);
    const lead = rows.find(({ agentType }) => agentType === 'lead')!;
    const children = rows.filter(({ parent }) => parent === lead.id);
    expect(children).toHaveLength(2);
    const log = toEvents((await runKlaus(['show', lead.id, '--json'], { place })).stdout);
    const ended = log.findLast((event) => event.type === 'run.finished');
    const usage = await runKlaus(['usage', lead.id, '--by', 'session', '--json'], { place });
    const report = JSON.parse(usage.stdout) as { rows: { usd: number }[] };
    expect(report.rows).toHaveLength(3);
    const sum = report.rows.reduce((all, { usd }) => all + usd, 0);
    expect(sum).toBeGreaterThan(0);
    expect(ended).toMatchObject({ outcome: 'done', usd: expect.closeTo(sum, 9) });

    const exported = await runKlaus(['agents', 'export', 'reviewer'], { place });
    const file = join(place.workspace, 'reviewer.json');
    writeFileSync(file, exported.stdout);
    expect(await runKlaus(['agents', 'delete', 'reviewer', '--yes'], { place })).toMatchObject({ code: 0 });
    expect(await runKlaus(['run', '--agent', 'reviewer', 'Review.'], { place, server })).toMatchObject({ code: 2 });
    expect(await runKlaus(['agents', 'import', file], { place })).toMatchObject({ code: 0 });
    expect((await runKlaus(['agents', 'export', 'reviewer'], { place })).stdout).toBe(readFileSync(file, 'utf8'));
  });
});
