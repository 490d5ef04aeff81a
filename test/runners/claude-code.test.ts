// Covers adapters/runners/claude-code, core/agent/runner, sdk/open: the real Claude Code as the runner of a session.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { runAgent, toSaid } from '../fixtures/acp-agent.ts';
import { CLAUDE_CODE_TIMEOUT, CLAUDE_CODE_VERSIONS } from '../fixtures/claude-code.ts';
import { createClaudeEngine } from '../fixtures/claude-runner.ts';
import { ofType, outcomeOf } from '../fixtures/engine.ts';
import { test } from '../fixtures/sandboxed.ts';

const options = { timeout: CLAUDE_CODE_TIMEOUT };
const SANDBOX = { 'sandbox.driver': 'bubblewrap' };

describe.each(CLAUDE_CODE_VERSIONS)('Claude Code %s', (version) => {
  test('its calls pass the gate before they run, and have one result each', options, async (context) => {
    await using engine = await createClaudeEngine(context, {
      version,
      settings: SANDBOX,
      script: {
        steps: [
          { when: { after: 'Bash', result: 'Denied' }, reply: { text: 'It was denied.' } },
          { when: { after: 'Bash' }, reply: { text: 'Now the other.', calls: [{ shell: 'rm -rf /' }] } },
          { when: { tools: true }, reply: { text: 'First I run it.', calls: [{ shell: 'echo made > made.txt; cat made.txt' }] } },
        ],
        fallback: { text: 'A title' },
      },
    });
    const { events } = await runAgent(engine, 'make a file');
    expect(outcomeOf(events)?.outcome).toBe('denied');
    expect(readFileSync(join(engine.place.workspace, 'made.txt'), 'utf8')).toBe('made\n');
    expect(toSaid(events)).toBe('First I run it.Now the other.It was denied.');
    const calls = events
      .filter(({ type }) => type === 'gate.decided' || type === 'tool.started' || type === 'tool.finished')
      .map((event) => `${event.type} ${'verdict' in event ? event.verdict : 'outcome' in event ? event.outcome : ''}`.trim());
    expect(calls).toEqual([
      'gate.decided allow',
      'tool.started',
      'tool.finished ok',
      'gate.decided deny',
      'tool.finished denied',
    ]);
    expect(ofType(events, 'tool.finished')[0]?.output).toBe('made');
    expect(ofType(events, 'runner.opened')).toMatchObject([{ runner: 'claude-code', agent: `Claude Code ${version}` }]);
    const [attempt] = ofType(events, 'model.attempted');
    expect(attempt!.usd).toBeGreaterThan(0);
    expect(attempt!.usage.output).toBeGreaterThan(0);
    // The turn can be undone.
    expect(await engine.klaus.handle(events[0]!.session).restore({ kind: 'undo' }, { by: 'test' })).toMatchObject({
      done: true,
    });
    expect(existsSync(join(engine.place.workspace, 'made.txt'))).toBe(false);
  });
});
