// Covers core/agent/evidence, apps/cli/commands: klaus verify.
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, test } from 'vitest';
import { createTestEngine, ofType, outcomeOf, type TestEngine } from '../fixtures/engine.ts';
import { runKlaus, startServer } from '../fixtures/klaus.ts';
import { createTestHome } from '../fixtures/test-home.ts';
import { RIGHT, toProject, WRONG } from './project.ts';

type Calls = { name: string; input: Record<string, string> }[];

/** A session with one turn for each call, and the last words "Done.". */
async function createSession(calls: Calls, isFixed = false): Promise<TestEngine & { id: string }> {
  const steps = calls.map((call, turn) => ({ when: { turn }, reply: { calls: [call] } }));
  const engine = await createTestEngine({
    script: { steps: [...steps, { when: { turn: calls.length }, reply: { text: 'Done.' } }] },
    files: toProject(isFixed),
  });
  const session = await engine.klaus.open({ mode: 'auto' });
  await session.prompt('go');
  await session.advance();
  return { ...engine, id: session.id, [Symbol.asyncDispose]: () => engine[Symbol.asyncDispose]() };
}

describe('recorded checks are repeated', () => {
  test('a failed check that was fixed passes, and differs from the record', async () => {
    await using engine = await createSession([{ name: 'run_tests', input: {} }]);
    const session = await engine.klaus.session(engine.id);
    expect(outcomeOf(await Array.fromAsync(session.events()))?.evidence).toMatchObject([
      { command: 'npm test', exitCode: 1, freshness: 'fresh' },
    ]);
    writeFileSync(join(engine.place.workspace, 'src/subtract.js'), RIGHT);
    const verified = await session.verify({ by: 'me' });
    expect(verified).toMatchObject({
      by: 'me',
      isChanged: true,
      checks: [{ command: 'npm test', recorded: 1, exitCode: 0, result: 'passed', differs: true }],
    });
    // The gate has decided before it ran, and the log contains both.
    const types = (await Array.fromAsync(session.events())).map(({ type }) => type);
    expect(types.slice(-2)).toEqual(['gate.decided', 'evidence.verified']);
  });

  test('a passed check that was broken since fails', async () => {
    await using engine = await createSession([{ name: 'run_command', input: { command: 'npm test' } }], true);
    const session = await engine.klaus.session(engine.id);
    expect(await session.verify()).toMatchObject({ isChanged: false, checks: [{ result: 'passed', differs: false }] });
    writeFileSync(join(engine.place.workspace, 'src/subtract.js'), WRONG);
    expect(await session.verify()).toMatchObject({
      checks: [{ recorded: 0, exitCode: 1, result: 'failed', differs: true }],
    });
  });

  test('a command that proves nothing is not run, and a session without checks is reported', async () => {
    await using engine = await createSession([{ name: 'run_command', input: { command: 'npm test || true' } }]);
    const session = await engine.klaus.session(engine.id);
    expect((await session.verify()).checks).toMatchObject([
      { result: 'skipped', reason: expect.stringMatching(/caught/) },
    ]);
    await using none = await createSession([{ name: 'read_file', input: { path: 'README.md' } }]);
    await expect((await none.klaus.session(none.id)).verify()).rejects.toMatchObject({ code: 'usage' });
  });

  test('a log that was altered is refused, and no command of it runs', async () => {
    await using engine = await createSession([{ name: 'run_command', input: { command: 'npm test' } }], true);
    const { place, id } = engine;
    const database = new DatabaseSync(join(place.home, 'klaus.db'));
    database.exec("UPDATE events SET record = replace(record, 'npm test', 'touch forged; npm test')");
    database.close();
    const session = await engine.klaus.session(id);
    await expect(session.verify({ approve: true })).rejects.toMatchObject({ code: 'store.corrupt' });
    expect((await runKlaus(['verify', id, '--yes'], { place })).code).toBe(1);
    expect(existsSync(join(place.workspace, 'forged'))).toBe(false);
  });

  test('the present rules of the gate apply: a check may need an approval', async () => {
    await using engine = await createSession([{ name: 'run_tests', input: {} }], true);
    const session = await engine.klaus.session(engine.id);
    await session.send({ type: 'change', mode: 'edits' });
    await session.advance();
    expect((await session.verify()).checks).toMatchObject([{ result: 'denied', exitCode: null }]);
    expect((await session.verify({ approve: true })).checks).toMatchObject([{ result: 'passed', exitCode: 0 }]);
    await session.send({ type: 'change', mode: 'plan' });
    await session.advance();
    expect((await session.verify({ approve: true })).checks).toMatchObject([{ result: 'denied' }]);
    expect(ofType(await Array.fromAsync(session.events()), 'gate.decided').map(({ verdict }) => verdict)).toEqual([
      'allow',
      'ask',
      'allow',
      'deny',
    ]);
  });
});

describe('in the terminal', () => {
  test('a false claim is marked in the closing lines and by show; the exit code of verify is correct', async () => {
    using place = createTestHome(toProject());
    await using server = await startServer({
      steps: [
        { when: { turn: 0 }, reply: { calls: [{ name: 'run_tests', input: {} }] } },
        { when: { turn: 1 }, reply: { text: 'All tests pass.' } },
      ],
    });
    const options = { place, server };
    const run = await runKlaus(['--plain', 'fix it'], options);
    expect(run.stderr).toMatch(/npm test .*\b1\b/);
    expect(run.stderr).toContain('contradicted: "All tests pass."');
    const show = await runKlaus(['show', '--plain', idOf(run.stderr)], options);
    expect(show.stdout).toMatch(/\bcontradicted: "All tests pass\." .*\bnpm test\b.*\b1\b/);
    expect(await runKlaus(['verify', idOf(run.stderr)], options)).toMatchObject({
      code: 1,
      stdout: expect.stringMatching(/^failed +npm test\b.*\b1\n$/),
    });
    writeFileSync(join(place.workspace, 'src/subtract.js'), RIGHT);
    const fixed = await runKlaus(['verify', '--json'], options);
    expect(fixed).toMatchObject({ code: 0, stderr: expect.stringMatching(/^.*\b[0-9A-Z]{26}\b.*\n$/) });
    expect(JSON.parse(fixed.stdout)).toMatchObject({
      type: 'evidence.verified',
      checks: [{ result: 'passed', differs: true }],
    });
    const after = await runKlaus(['show', idOf(run.stderr)], options);
    expect(after.stdout).toMatch(/\bcli: npm test: passed\b.*\b0\b.*\b1\b/);
  });

  test('a time limit is logged as one', async () => {
    using place = createTestHome(toProject());
    await using server = await startServer({
      steps: [{ reply: { text: 'never' }, faults: [{ kind: 'hang', after: 0, keepAlive: true, always: true }] }],
    });
    const run = await runKlaus(['--timeout', '1', '--json', 'wait for it'], { place, server });
    expect(run.code).toBe(9);
    const finished = outcomeOf(
      run.stdout
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line)),
    );
    expect(finished).toMatchObject({ outcome: 'cancelled', by: 'cli', reason: expect.stringContaining('--timeout') });
  });
});

function idOf(stderr: string): string {
  return /[0-7][0-9A-HJKMNP-TV-Z]{25}/.exec(stderr)![0];
}
