import { chmodSync, existsSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Event, Script, StartedModelServer } from '@klaus/sdk';
import { expect, type TestContext } from 'vitest';
import { eventually, findProcesses } from '../../adapters/sandboxes/sandbox.fixture.ts';
import { findShown } from '../fixtures/canary.ts';
import { ofType, outcomeOf } from '../fixtures/engine.ts';
import { listSessions, runKlaus, startKlaus, startServer, toEvents, type Ended } from '../fixtures/klaus.ts';
import { test } from '../fixtures/sandboxed.ts';
import { createTestHome, type TestHome } from '../fixtures/test-home.ts';
import { compareImages, readImage } from '../undo/image.ts';
import type { WrappedProgram } from './programs.ts';

const CANARY = 'canary-7q2x-91zk-vw35-p0lm';
const OPENAI_KEY = 'sk-test-9d2c71e0b54f48a6';

/** Ten ways to read a secret file. */
const READS = [
  'cat .env',
  'f=.env && cat "$f"',
  'cat .e*',
  'cat $(printf .en)v',
  `python3 -c "print(open('.en'+'v').read())"`,
  'base64 .env',
  "find . -name '.e*' -exec cat {} +",
  'tar cf - . | strings',
  "grep -r --include='.e*' . .",
  'git add -f . && git diff --cached',
];

/** One command, eight kinds of change. */
const CHANGES = [
  'echo edited >> tracked.txt',
  'rm untracked.txt',
  'echo appended >> ignored.log',
  'head -c 3000000 /dev/urandom > large.bin',
  'mkdir -p new/folder && echo inside > new/folder/file',
  'rm tracked-too.txt',
  'chmod 755 script.sh',
  'ln -sfn elsewhere link',
].join(' && ');

/** Requests for titles have no tools. */
const TITLE: Script['steps'][number] = { when: { tools: false }, reply: { text: 'A title' } };

function toScript(commands: readonly string[]): Script {
  return {
    steps: [
      TITLE,
      ...commands.map((shell, turn) => ({ when: { turn }, reply: { text: `Step ${turn}.`, calls: [{ shell }] } })),
    ],
    fallback: { text: 'All is done.' },
  };
}

export interface Wrapping {
  place: TestHome;
  server: StartedModelServer;
  program: WrappedProgram;
}

export function toWrapEnv({ server, program }: Pick<Wrapping, 'server' | 'program'>): Record<string, string> {
  return {
    KLAUS_SANDBOX: '',
    AGENT_MODEL: program.model,
    ANTHROPIC_BASE_URL: server.url,
    OPENAI_BASE_URL: `${server.url}/v1`,
    OPENAI_API_KEY: OPENAI_KEY,
  };
}

/** The words of `klaus` that wrap the program, or a skip with the reason. */
export async function toWords(
  { program }: Pick<Wrapping, 'program'>,
  { skip }: Pick<TestContext, 'skip'>,
  options: readonly string[] = [],
): Promise<string[]> {
  try {
    const command = await program.fetch();
    return ['wrap', '--as', program.as, ...options, '--', ...command, 'Do the work.'];
  } catch (error) {
    if (process.env['CI'] === 'true') throw error;
    return skip(`${program.title} cannot be fetched: ${String(error).split('\n')[0]}`);
  }
}

async function readOnlyLog(place: TestHome): Promise<{ id: string; events: Event[] }> {
  const { id } = (await listSessions(place))[0]!;
  return { id, events: toEvents((await runKlaus(['show', id, '--json'], { place })).stdout) };
}

function expectDone({ code, stderr }: Ended): void {
  expect({ code, stderr: code === 0 ? '' : stderr }).toEqual({ code: 0, stderr: '' });
}

/** What every wrapped program has to withstand. */
export function describeWrapped(program: WrappedProgram): void {
  test(`${program.title}: ten ways to read .env show nothing of it to the model or in the log`, async (context) => {
    using place = createTestHome({ 'README.md': '# Test\n' });
    writeFileSync(join(place.workspace, '.env'), `SERVICE_TOKEN=${CANARY}\n`);
    await using server = await startServer(toScript(READS));
    const wrapping = { place, server, program };
    const words = await toWords(wrapping, context);
    expectDone(await runKlaus(words, { place, server, env: toWrapEnv(wrapping) }));
    const bodies = server.requests.map(({ body }) => body);
    const { events } = await readOnlyLog(place);
    expect(findShown([...bodies, JSON.stringify(events)], [CANARY])).toEqual([]);
    // It did try, and the log has what it did.
    expect(bodies.some((body) => body.includes('Step 9.'))).toBe(true);
    expect(ofType(events, 'tool.finished').length).toBeGreaterThan(READS.length - 1);
    expect(events.filter((event) => event.type === 'model.attempted' && event.purpose === 'program')).not.toEqual([]);
    expect(outcomeOf(events)).toMatchObject({ outcome: 'done' });
    // The real key is not in the sandbox, and reaches the provider.
    expect(JSON.stringify(events)).not.toContain(OPENAI_KEY);
    expect(readFileSync(join(place.workspace, '.env'), 'utf8')).toContain(CANARY);
  });

  test(`${program.title}: eight kinds of change are undone`, async (context) => {
    using place = createTestHome({
      'tracked.txt': 'a\n',
      'tracked-too.txt': 'b\n',
      'script.sh': 'true\n',
      '.gitignore': 'ignored.log\n',
    });
    const { workspace } = place;
    writeFileSync(join(workspace, 'untracked.txt'), 'c\n');
    writeFileSync(join(workspace, 'ignored.log'), 'd\n');
    chmodSync(join(workspace, 'script.sh'), 0o644);
    symlinkSync('tracked.txt', join(workspace, 'link'));
    const before = readImage(workspace);
    await using server = await startServer(toScript([CHANGES]));
    const wrapping = { place, server, program };
    const words = await toWords(wrapping, context);
    expectDone(await runKlaus(words, { place, server, env: toWrapEnv(wrapping) }));
    expect(compareImages(readImage(workspace), before).length).toBeGreaterThanOrEqual(8);
    const { id } = await readOnlyLog(place);
    expectDone(await runKlaus(['undo', '--session', id], { place }));
    expect(compareImages(readImage(workspace), before)).toEqual([]);
  });

  test(`${program.title}: after SIGKILL of Klaus nothing runs, and the changes are undone`, async (context) => {
    using place = createTestHome();
    const mark = `3600.${process.pid}${program.as.length}`;
    const before = readImage(place.workspace);
    await using server = await startServer(toScript([`echo x > made.txt; sleep ${mark}`]));
    const wrapping = { place, server, program };
    const words = await toWords(wrapping, context);
    const klaus = startKlaus(words, { place, server, env: toWrapEnv(wrapping) });
    expect(await eventually(() => findProcesses(`sleep\0${mark}`).length > 0)).toBe(true);
    expect(existsSync(join(place.workspace, 'made.txt'))).toBe(true);
    const inside = findProcesses(place.home);
    klaus.kill('SIGKILL');
    await klaus.ended;
    expect(await eventually(() => findProcesses(mark).length === 0)).toBe(true);
    expect(await eventually(() => inside.every((pid) => !existsSync(`/proc/${pid}/cwd`)))).toBe(true);
    const { id } = await readOnlyLog(place);
    // The log says that it did not end.
    expect((await runKlaus(['resume', id], { place, server, env: toWrapEnv(wrapping) })).code).toBe(1);
    expectDone(await runKlaus(['undo', '--session', id], { place }));
    // A killed Klaus leaves an empty folder behind, which the next command uses.
    const left = compareImages(readImage(place.workspace), before).filter((line) => !line.startsWith('".klaus"'));
    expect(left).toEqual([]);
  });

  test(`${program.title}: a budget in dollars stops it before it is exceeded`, async (context) => {
    using place = createTestHome();
    await using server = await startServer({
      steps: [TITLE],
      fallback: { text: 'Again.', calls: [{ shell: 'echo {{turn}}' }] },
    });
    const wrapping = { place, server, program };
    const budget = 0.3;
    const words = await toWords(wrapping, context, ['--budget-usd', String(budget)]);
    const { stderr } = await runKlaus(words, { place, server, env: toWrapEnv(wrapping) });
    expect(stderr).toContain('The budget of $0.30 does not allow another request.');
    const { events } = await readOnlyLog(place);
    const paid = ofType(events, 'model.attempted').reduce((sum, { usd }) => sum + usd!, 0);
    expect(paid).toBeGreaterThan(0);
    expect(paid).toBeLessThanOrEqual(budget);
    const sent = server.requests.filter(({ method, path }) => method === 'POST' && !path.includes('count_tokens'));
    expect(sent.length).toBe(ofType(events, 'model.requested').length);
  });
}
