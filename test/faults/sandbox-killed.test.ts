// Covers adapters/sandboxes: parts of a sandbox are killed.
import type { Script } from '@klaus/adapters/models';
import { expect, vi } from 'vitest';
import { ofType } from '../fixtures/engine.ts';
import { startKlaus, startServer, toEvents } from '../fixtures/klaus.ts';
import { createTestHome } from '../fixtures/test-home.ts';
import { test } from '../fixtures/sandboxed.ts';
import { findProcesses, listParents, toUniqueSleep, untilProgram } from './processes.ts';
import { splitCases } from '../fixtures/split-cases.ts';

// Many processes are started here, which can be slow.
vi.setConfig({ testTimeout: 240_000 });

type Parents = ReturnType<typeof listParents>;

/** The process of the sandbox that is killed. */
const VICTIMS: [name: string, find: (sleep: number, parents: Parents) => number | undefined][] = [
  ['the command itself', (sleep) => sleep],
  ['the shell', (_, parents) => parents.find(({ name }) => name !== 'bwrap')?.pid],
  ["the sandbox's init", (_, parents) => parents.find(({ name }) => name === 'bwrap')?.pid],
  ['the outer process of the sandbox', (_, parents) => parents.findLast(({ name }) => name === 'bwrap')?.pid],
];

for (const { cases, tags } of splitCases(VICTIMS, 1))
  test.each(cases)('%s is killed: the model is informed, and the run continues', { tags }, async (_, find) => {
    using place = createTestHome();
    const sleep = toUniqueSleep();
    const script: Script = {
      steps: [
        { when: { turn: 0 }, reply: { calls: [{ name: 'run_command', input: { command: `echo begun; ${sleep}` } }] } },
        { when: { turn: 1 }, reply: { calls: [{ name: 'run_command', input: { command: 'echo still here' } }] } },
        { when: { turn: 2 }, reply: { text: 'The run continues.' } },
      ],
    };
    await using server = await startServer(script);
    const klaus = startKlaus(['run', '--json', 'go'], { place, server, env: { KLAUS_SANDBOX: 'bubblewrap' } });
    const pid = await untilProgram(sleep);
    process.kill(find(pid, listParents(pid))!, 'SIGKILL');
    const ended = await klaus.ended;
    expect(ended.code).toBe(0);
    const [killed, next] = ofType(toEvents(ended.stdout), 'tool.finished');
    expect(killed!.outcome).toBe('error');
    expect(killed!.output).toContain('begun');
    expect(killed!.output).toMatch(/SIGKILL|signal|137|killed/i);
    expect(next).toMatchObject({ outcome: 'ok', output: expect.stringContaining('still here') });
    expect(findProcesses(sleep)).toEqual([]);
  });
