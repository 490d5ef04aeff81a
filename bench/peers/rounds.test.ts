import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, onTestFinished, test, type TestContext } from 'vitest';
import type { Agent } from './agent.ts';
import { openProcessGroup } from './process-group.ts';
import { measureTask, type RoundsOptions, toValues } from './rounds.ts';
import { TASKS } from './task.ts';

const task = TASKS.find(({ name }) => name === 'one-tool')!;

function toAgent(name: string, command: readonly string[]): Agent {
  const env = (url: string) => ({ MODEL_URL: url });
  return { name, title: name, version: '1', command, files: (url) => ({ 'deep/config': url }), env };
}

const fixture = join(import.meta.dirname, 'agent.fixture.ts');

async function measure(context: TestContext, options: Pick<RoundsOptions, 'agents' | 'log' | 'signal'>) {
  try {
    await openProcessGroup().close();
  } catch (error) {
    context.skip(true, `no control group can be made here: ${String(error)}`);
  }
  const folder = mkdtempSync(join(tmpdir(), 'klaus-rounds-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const node = dirname(process.execPath);
  return measureTask({ task, pairs: 2, memoryRounds: 1, slowEvery: 1, folder, node, ...options });
}

/** Milliseconds; a limit is for hangs, and a dozen programs start here. */
const LIMIT = 240_000;

const honest = toAgent('honest', [process.execPath, fixture, 'honest']);

test(
  'who does the work gets figures, and who does not is left out with the reason',
  async (context) => {
    const lines: string[] = [];
    const { series, leftOut } = await measure(context, {
      agents: [
        honest,
        toAgent('lazy', [process.execPath, fixture, 'lazy']),
        toAgent('broken', ['/bin/sh', '-c', 'echo no key >&2; exit 3']),
        toAgent('absent', ['/nowhere/agent']),
      ],
      log: (line) => lines.push(line),
    });
    expect(leftOut).toEqual([
      { title: 'lazy', reason: 'it made 1 requests, not 2' },
      { title: 'broken', reason: 'it ended with 3' },
      { title: 'absent', reason: 'it ended with 127' },
    ]);
    expect(lines.join('\n')).toContain('no key');
    expect(series.map(({ agent }) => agent.name)).toEqual(['honest']);
    const [cpu, second, watched] = toValues(series[0]!, 'cpu');
    expect(cpu).toBeGreaterThan(0);
    expect(second).toBeGreaterThan(0);
    // What it takes while its memory is watched is not counted, and the other way round.
    expect(watched).toBeUndefined();
    expect(toValues(series[0]!, 'memory')).toEqual([undefined, undefined, expect.any(Number)]);
    expect(toValues(series[0]!, 'reuse').slice(0, 2)).toEqual([1, 1]);
    expect(toValues(series[0]!, 'firstBytes')[0]).toBeGreaterThan(100);
  },
  LIMIT,
);

test(
  'an interruption keeps the rounds that are done',
  async (context) => {
    const interruption = new AbortController();
    const { series, leftOut } = await measure(context, {
      agents: [honest],
      log: (line) => line.includes('round 1 of 2') && interruption.abort(),
      signal: interruption.signal,
    });
    expect(leftOut).toEqual([]);
    expect(series[0]!.rounds).toHaveLength(1);
  },
  LIMIT,
);
