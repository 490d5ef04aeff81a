// Covers apps/cli/commands, apps/cli/client, sdk/sessions: how a command line names a session or an approval.
import { describe, expect, test } from 'vitest';
import { KEYS, openEmulator } from '../fixtures/emulator.ts';
import { MAIN, runKlaus, startServer, toEnv, toEvents } from '../fixtures/klaus.ts';
import { hasScript } from '../fixtures/pseudo-terminal.ts';
import { createTestHome, type TestHome } from '../fixtures/test-home.ts';

const ANSWERS = { steps: [], fallback: { text: 'Done.' } };
const EDITS = {
  steps: [{ reply: { calls: [{ name: 'write_file', input: { path: 'a.txt', content: 'a\n' } }] } }],
  fallback: { text: 'Done.' },
};

type Server = Awaited<ReturnType<typeof startServer>>;

/** Runs a prompt. Returns the id of its session. */
async function prompt(place: TestHome, server: Server, words: readonly string[]): Promise<string> {
  const { stdout } = await runKlaus(['--json', ...words], { place, server });
  return toEvents(stdout)[0]!.session;
}

async function openApproval(place: TestHome, server: Server) {
  const session = await prompt(place, server, ['--approve', 'ask', '--on-ask', 'wait', 'write it']);
  const { stdout } = await runKlaus(['approvals', '--json'], { place, server });
  return { session, approval: (JSON.parse(stdout) as { id: string }).id };
}

test('a title names a session, and several sessions with it are an error that lists their ids', async () => {
  using place = createTestHome();
  await using server = await startServer(ANSWERS);
  const cart = await prompt(place, server, ['fix the cart']);
  const docs = await prompt(place, server, ['write the docs']);
  const klaus = (...words: string[]) => runKlaus(words, { place, server });
  for (const name of ['fix the cart', 'Fix The C']) {
    expect(JSON.parse((await klaus('status', name, '--json')).stdout)).toMatchObject({ id: cart });
    expect((await klaus('show', name, '--json')).stdout).toContain(cart);
  }
  const again = await prompt(place, server, ['fix the cart']);
  for (const command of ['status', 'show']) {
    const refused = await klaus(command, 'fix the cart');
    expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining(cart) });
    expect(refused.stderr).toContain(again);
  }
  expect((await klaus('show', 'write the docs', '--json')).stdout).toContain(docs);
  expect(await klaus('show', 'refactor the parser')).toMatchObject({ code: 2 });
});

test('without an id, the latest session of the folder is meant, and named', async () => {
  using place = createTestHome();
  await using server = await startServer(ANSWERS);
  await prompt(place, server, ['the first one']);
  const latest = await prompt(place, server, ['the second one']);
  for (const words of [['status'], ['logs'], ['wait'], ['interrupt'], ['grants', 'show'], ['attach', '--plain']]) {
    const { code, stderr } = await runKlaus(words, { place, server });
    expect([words, code, stderr.includes(latest)]).toEqual([words, 0, true]);
  }
  const forked = await runKlaus(['fork', '--json'], { place, server });
  expect(JSON.parse(forked.stdout)).toMatchObject({ from: latest });
});

test('a script names an approval by its own id alone', async () => {
  using place = createTestHome();
  await using server = await startServer(EDITS);
  const { session, approval } = await openApproval(place, server);
  for (const words of [['approve'], ['approve', session], ['reject', session]]) {
    const refused = await runKlaus(words, { place, server });
    expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining(approval) });
  }
  expect(await runKlaus(['approve', approval], { place, server })).toMatchObject({ code: 0 });
});

test('steer and cancel name the commands that replace them', async () => {
  using place = createTestHome();
  await using server = await startServer(ANSWERS);
  const session = await prompt(place, server, ['say it']);
  const replaced = [
    [['steer', session, 'and this'], 'klaus message'],
    [['cancel', session], 'klaus interrupt'],
  ] as const;
  for (const [words, command] of replaced)
    expect(await runKlaus(words, { place, server })).toMatchObject({
      code: 0,
      stderr: expect.stringContaining(command),
    });
});

describe.runIf(hasScript)('in a terminal (needs script)', () => {
  test.each([
    ['n', 1],
    ['y', 0],
  ])('an approval that is named by its session is shown and confirmed: %s', async (key, left) => {
    using place = createTestHome();
    await using server = await startServer(EDITS);
    const { session, approval } = await openApproval(place, server);
    await using terminal = await openEmulator([process.execPath, MAIN, 'approve', session], {
      env: toEnv({ place, server }),
      cwd: place.workspace,
      columns: 120,
    });
    await terminal.shows('Approve it?');
    expect(terminal.screen()).toContain(approval);
    terminal.type(`${key}${KEYS.enter}`);
    expect(await terminal.ended).toBe(key === 'y' ? 0 : 130);
    const { stdout } = await runKlaus(['approvals', '--json'], { place, server });
    expect(stdout.split('\n').filter((line) => line !== '')).toHaveLength(left);
  });
});
