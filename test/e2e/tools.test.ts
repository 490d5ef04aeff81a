// Covers adapters/tools: every tool through the loop.
/** Runs the example of every built-in tool through the loop. */
import { spawnSync } from 'node:child_process';
import { expect } from 'vitest';
import { builtinTools, type BuiltinTool } from '@klaus/adapters/tools';
import { createTestEngine, ofType, outcomeOf } from '../fixtures/engine.ts';
import { installPackage } from '../fixtures/installed.ts';
import type { ToolCall } from '../fixtures/play.ts';
import { test } from '../fixtures/sandboxed.ts';
import { openSite } from '../fixtures/site.ts';
import { splitCases } from '../fixtures/split-cases.ts';

const isInstalled = (program: string): boolean => spawnSync(program, ['-version']).error === undefined;
const offline = builtinTools.filter(({ example }) => example.isOnline !== true);
const [runnable, missing] = [true, false].map((isThere) =>
  offline
    .filter(({ example: { program } }) => (program === undefined || isInstalled(program)) === isThere)
    .map((tool) => [tool.name, tool.example] as const),
) as [[string, BuiltinTool['example']][], [string, BuiltinTool['example']][]];

// Skipped by name: the program of the example is not on this machine.
if (missing.length > 0) test.skip.each(missing)('%s runs its example', () => {});

for (const { cases, tags } of splitCases(runnable, 10))
  test.each(cases)('%s runs its example', { tags }, async (name, example) => {
    const { files, grant, packages = [], before = [], output, asks = false } = example;
    await using site = await openSite(example.pages ?? {});
    const [input, settings] = JSON.parse(
      JSON.stringify([example.input, example.settings ?? {}]).replaceAll('{{site}}', site.url),
    ) as [unknown, Record<string, string>];
    const calls = [...before, { name, input }] as ToolCall[];
    await using engine = await createTestEngine({
      files: { 'README.md': '# Test\n', '.gitignore': 'node_modules/\n', ...files },
      settings: { 'sandbox.driver': 'bubblewrap', approve: 'auto', checkpoint: 'manual', ...settings },
      script: {
        steps: [
          // An agent that a call starts has no tools.
          ...calls.map((call, turn) => ({ when: { turn, tools: true }, reply: { calls: [call] } })),
        ],
        fallback: { text: 'Done.' },
      },
    });
    for (const pkg of packages) installPackage(engine.place.workspace, pkg);
    const session = await engine.klaus.open({ grant });
    await session.prompt('Use the tool.', { onAsk: asks ? 'wait' : 'deny' });
    const advanced = await session.advance();
    if (advanced.state === 'parked') {
      await engine.klaus.answer(advanced.approvals[0]!.approval, 'approved');
      await session.advance();
    }
    const events = await Array.fromAsync(session.events());
    expect(outcomeOf(events)).toMatchObject({ outcome: 'done' });
    expect(ofType(events, 'gate.decided').map(({ verdict }) => verdict)).toEqual([
      ...before.map(() => 'allow'),
      ...(asks ? ['ask'] : []),
      'allow',
    ]);
    const finished = ofType(events, 'tool.finished').at(-1)!;
    expect(finished).toMatchObject({ name, outcome: 'ok' });
    if (typeof output === 'string') expect(finished.output).toContain(output);
    else expect(finished.output).toMatch(output);
    const sent = JSON.stringify(finished.output).slice(1, -1);
    expect(engine.server.requests.some(({ body }) => body.includes(sent))).toBe(true);
  });
