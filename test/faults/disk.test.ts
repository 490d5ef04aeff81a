// Covers adapters/store, adapters/workspace: full and read-only disks.
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Event, Script } from '@klaus/sdk';
import { describe, expect, test, vi } from 'vitest';
import { canMount, canMountImages, mountImage, mountMemory } from '../fixtures/disk.ts';
import { ofType } from '../fixtures/engine.ts';
import {
  runKlaus,
  startKlaus,
  startServer,
  toEvents,
  type KlausOptions,
  type RunningKlaus,
} from '../fixtures/klaus.ts';
import { createTestHome, type TestHome } from '../fixtures/test-home.ts';
import { toUniqueSleep, untilProgram } from './processes.ts';
import { splitCases } from '../fixtures/split-cases.ts';

// Many processes are started here, which can be slow.
vi.setConfig({ testTimeout: 240_000 });

const LARGE = 'large '.repeat(20_000);

function toScript(sleep: string): Script {
  return {
    steps: [
      {
        when: { turn: 0 },
        reply: { calls: [{ name: 'run_command', input: { command: `echo ran >> ran.log; ${sleep}` } }] },
      },
      { when: { turn: 1 }, reply: { calls: [{ name: 'write_file', input: { path: 'kept.txt', content: LARGE } }] } },
      { when: { turn: 2 }, reply: { text: 'That is all.' } },
    ],
  };
}

interface Begun {
  klaus: RunningKlaus;
  options: KlausOptions;
  session: string;
  server: AsyncDisposable;
  /** Ends the running command. */
  release: () => Promise<void>;
}

/** A run whose first command is running. */
async function begin(place: TestHome): Promise<Begun> {
  const sleep = toUniqueSleep();
  const server = await startServer(toScript(sleep));
  const options = { place, server };
  const klaus = startKlaus(['run', '--json', 'go'], options);
  const pid = await untilProgram(sleep);
  const { session } = JSON.parse(klaus.text.stdout.split('\n')[0]!) as { session: string };
  return { klaus, options, session, server, release: async () => void process.kill(pid, 'SIGTERM') };
}

async function logOf(place: TestHome, session: string): Promise<Event[]> {
  const verified = await runKlaus(['audit', 'verify', session], { place });
  expect(verified).toMatchObject({ code: 0 });
  return toEvents((await runKlaus(['show', session, '--json'], { place })).stdout);
}

/** Everything that was shown is in the log, and the log continues after it. */
function expectKept(shown: string, events: readonly Event[]): void {
  const seen = toEvents(shown);
  expect(events.slice(0, seen.length)).toEqual(seen);
}

function expectResumed(place: TestHome, events: readonly Event[]): void {
  expect(ofType(events, 'run.finished').map(({ outcome }) => outcome)).toEqual(['done']);
  expect(ofType(events, 'tool.started').filter(({ name }) => name === 'run_command')).toHaveLength(1);
  expect(readFileSync(join(place.workspace, 'ran.log'), 'utf8')).toBe('ran\n');
  expect(readFileSync(join(place.workspace, 'kept.txt'), 'utf8')).toBe(LARGE);
}

const leftOvers = (place: TestHome) => readdirSync(place.workspace).filter((name) => name.startsWith('.klaus'));

describe.skipIf(!canMount)('a full disk', () => {
  for (const { cases, tags } of splitCases(['home', 'both'] as const, 1))
    test.each(cases)(
      'with the state of Klaus (%s): reported, without loss, and the run can be resumed',
      { tags },
      async (where) => {
        using place = createTestHome();
        using home = mountMemory(place.home);
        using workspace = where === 'both' ? mountMemory(place.workspace) : undefined;
        const { klaus, options, session, server, release } = await begin(place);
        await using _ = server;
        home.fill();
        workspace?.fill();
        await release();
        const ended = await klaus.ended;
        expect(ended.code).toBe(1);
        expect(JSON.parse(ended.stderr.trim().split('\n').at(-1)!)).toMatchObject({
          error: { code: 'store.full', hint: expect.stringMatching(/space.*klaus resume/) },
        });
        expectKept(ended.stdout, toEvents((await runKlaus(['show', session, '--json'], { place })).stdout));
        // Still full: the same message, and nothing is lost by the attempt.
        expect(await runKlaus(['resume', session], options)).toMatchObject({
          code: 1,
          stderr: expect.stringContaining('space'),
        });
        home.free();
        workspace?.free();
        expect(await runKlaus(['resume', session, '--json'], options)).toMatchObject({ code: 0 });
        const events = await logOf(place, session);
        expectKept(ended.stdout, events);
        expectResumed(place, events);
      },
    );

  test('with the project: the model is informed, no file is partly written, and the run continues', async () => {
    using place = createTestHome();
    using workspace = mountMemory(place.workspace);
    writeFileSync(join(place.workspace, 'kept.txt'), 'before');
    const { klaus, session, server, release } = await begin(place);
    await using _ = server;
    workspace.fill();
    await release();
    expect(await klaus.ended).toMatchObject({ code: 0 });
    const [, write] = ofType(await logOf(place, session), 'tool.finished');
    expect(write).toMatchObject({ outcome: 'error', output: expect.stringContaining('space') });
    expect(readFileSync(join(place.workspace, 'kept.txt'), 'utf8')).toBe('before');
    expect(leftOvers(place)).toEqual([]);
  });

  test('with large outputs: the result of the command is not lost with its output', { tags: ['long'] }, async () => {
    using place = createTestHome();
    using blobs = mountMemory(join(place.home, 'blobs'), '1m');
    blobs.fill();
    const command = 'seq 1 60000; echo the end; echo ran >> ran.log';
    await using server = await startServer({
      steps: [{ when: { turn: 0 }, reply: { calls: [{ name: 'run_command', input: { command } }] } }],
      fallback: { text: 'Done.' },
    });
    const ended = await runKlaus(['run', '--json', 'go'], { place, server });
    expect(ended.code).toBe(0);
    const [finished] = ofType(toEvents(ended.stdout), 'tool.finished');
    expect(finished).toMatchObject({ outcome: 'ok', output: expect.stringContaining('the end') });
    expect(finished!.blob).toBeUndefined();
    expect(finished!.output).toMatch(/\n\[.*\bdisk\b.*\]/);
  });

  test('from the start: one sentence with the fix', { tags: ['long'] }, async () => {
    using place = createTestHome();
    using home = mountMemory(place.home);
    home.fill();
    await using server = await startServer(toScript('true'));
    const ended = await runKlaus(['run', 'go'], { place, server });
    expect(ended).toMatchObject({ code: 1, stderr: expect.stringContaining('space') });
    expect(ended.stderr).not.toContain('    at ');
    home.free();
    expect(await runKlaus(['run', 'go'], { place, server })).toMatchObject({ code: 0 });
  });
});

describe.skipIf(!canMountImages)('a disk that becomes read-only', () => {
  test('with the state of Klaus: reported, without loss, and the run can be resumed', { tags: ['long'] }, async () => {
    using place = createTestHome();
    using home = mountImage(place.home);
    const { klaus, options, session, server, release } = await begin(place);
    await using _ = server;
    home.break();
    await release();
    const ended = await klaus.ended;
    expect(ended.code).toBe(1);
    expect(JSON.parse(ended.stderr.trim().split('\n').at(-1)!)).toMatchObject({ error: { code: 'store.full' } });
    expect(await runKlaus(['resume', session], options)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('writable'),
    });
    home.repair();
    expect(await runKlaus(['resume', session, '--json'], options)).toMatchObject({ code: 0 });
    const events = await logOf(place, session);
    expectKept(ended.stdout, events);
    expectResumed(place, events);
  });

  test('with the project: the model is informed, and the run continues', { tags: ['long'] }, async () => {
    using place = createTestHome();
    using workspace = mountImage(place.workspace);
    writeFileSync(join(place.workspace, 'kept.txt'), 'before');
    const { klaus, session, server, release } = await begin(place);
    await using _ = server;
    workspace.break();
    await release();
    expect(await klaus.ended).toMatchObject({ code: 0 });
    const [, write] = ofType(await logOf(place, session), 'tool.finished');
    expect(write).toMatchObject({ outcome: 'error', output: expect.stringContaining('read-only') });
    expect(existsSync(join(place.workspace, 'kept.txt'))).toBe(true);
  });
});
