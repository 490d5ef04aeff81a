// Covers apps/cli/commands, apps/cli/prompt, apps/cli/run, apps/cli/client: the agents of a session on the command line.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { listSessions, MAIN, runKlaus, startServer, toEnv } from '../fixtures/klaus.ts';
import { startServeProcess } from '../fixtures/server.ts';
import { spawn, stepsOf, TEAM_FILES, TEAM_GRANT, WAIT, WRITE, WRITER_STEPS } from '../fixtures/team.ts';
import { focusQuestion, hasTmux, openTerminal, REASON } from '../fixtures/terminal.ts';
import { createTestHome, type TestHome } from '../fixtures/test-home.ts';

const SCRIPT = {
  steps: [
    ...stepsOf('lead', [{ calls: [spawn('writer')] }, { calls: [WAIT] }, { text: 'All is done.' }]),
    ...WRITER_STEPS,
  ],
};

const RUN = ['run', '--agent', 'lead', '--grant', TEAM_GRANT];
const CHAIN = /writer asks, started by lead/;

const hasFile = ({ workspace }: TestHome): boolean => existsSync(join(workspace, 'b.txt'));

type Place = { place: TestHome; server: Awaited<ReturnType<typeof startServer>> };

/** Runs the lead until the writer asks. Returns the parent and the child. */
async function runUntilAsked({ place, server }: Place) {
  const ended = await runKlaus([...RUN, '--on-ask', 'wait', 'Lead.'], { place, server });
  expect(ended.code).toBe(8);
  expect(ended.stderr).toMatch(CHAIN);
  const sessions = await listSessions(place);
  const parent = sessions.find((each) => each.parent === null)!;
  const child = sessions.find((each) => each.parent === parent.id)!;
  return { parent, child };
}

describe.skipIf(!hasTmux)('in a terminal (needs tmux)', () => {
  test.each([
    ['run', [...RUN, 'Lead.']],
    ['chat', ['chat', 'lead', '--grant', TEAM_GRANT]],
  ])('%s asks for the agent in place, with the chain and the diff, and continues', async (name, words) => {
    using place = createTestHome(TEAM_FILES);
    await using server = await startServer(SCRIPT as never);
    await using terminal = await openTerminal([process.execPath, MAIN, ...words], {
      env: toEnv({ place, server }),
      cwd: place.workspace,
    });
    if (name === 'chat') await terminal.type('Lead.', 'Enter');
    const asked = await focusQuestion(terminal);
    expect(asked).toMatch(CHAIN);
    expect(asked).toContain('+two');
    expect(hasFile(place)).toBe(false);
    await terminal.type('y');
    const shown = await terminal.shows('All is done.');
    expect(shown).toMatch(/writer: done/);
    expect(hasFile(place)).toBe(true);
    if (name === 'run') expect(await terminal.exitCode()).toBe(0);
  });

  test('a rejection reaches the agent', async () => {
    using place = createTestHome(TEAM_FILES);
    await using server = await startServer(SCRIPT as never);
    await using terminal = await openTerminal([process.execPath, MAIN, ...RUN, 'Lead.'], {
      env: toEnv({ place, server }),
      cwd: place.workspace,
    });
    await focusQuestion(terminal);
    await terminal.type('n');
    await terminal.shows(REASON);
    await terminal.type('Enter');
    await terminal.shows('All is done.');
    expect(hasFile(place)).toBe(false);
  });

  test('a run at a server asks for the agent too', { tags: ['long'] }, async () => {
    using place = createTestHome(TEAM_FILES);
    await using server = await startServer(SCRIPT as never);
    const serve = await startServeProcess(place, server);
    await using terminal = await openTerminal([process.execPath, MAIN, ...RUN, '--server', serve.url, 'Lead.'], {
      env: toEnv({ place, server, env: { KLAUS_SERVER_TOKEN: 'a-secret-of-the-test' } }),
      cwd: place.workspace,
    });
    const asked = await focusQuestion(terminal);
    expect(asked).toMatch(CHAIN);
    await terminal.type('y');
    await terminal.shows('All is done.');
    expect(await terminal.exitCode()).toBe(0);
    expect(hasFile(place)).toBe(true);
    serve.process.kill('SIGTERM');
    await serve.process.ended;
  });
});

test('the lists name the parent of a session and the chain of a question', { tags: ['long'] }, async () => {
  using place = createTestHome(TEAM_FILES);
  await using server = await startServer(SCRIPT as never);
  const { parent, child } = await runUntilAsked({ place, server });
  const lines = (await runKlaus(['sessions'], { place })).stdout.split('\n');
  const at = lines.findIndex((line) => line.startsWith(parent.id));
  expect(lines[at + 1]).toContain(child.id);
  expect(lines[at + 1]).toContain('└');
  expect((await runKlaus(['approvals'], { place })).stdout).toMatch(CHAIN);
  const [approval] = (await runKlaus(['approvals', '--json'], { place })).stdout.trim().split('\n');
  expect(JSON.parse(approval!)).toMatchObject({
    session: child.id,
    chain: [
      { session: parent.id, agent: 'lead' },
      { session: child.id, agent: 'writer' },
    ],
  });
  expect((await runKlaus(['show', child.id], { place })).stdout).toContain(parent.id);
});

test('klaus approve continues the agent and the session that started it', { tags: ['long'] }, async () => {
  using place = createTestHome(TEAM_FILES);
  await using server = await startServer(SCRIPT as never);
  const { parent } = await runUntilAsked({ place, server });
  const { id } = JSON.parse((await runKlaus(['approvals', '--json'], { place })).stdout) as { id: string };
  const ended = await runKlaus(['approve', id], { place, server });
  expect({ code: ended.code, hasFile: hasFile(place) }).toEqual({ code: 0, hasFile: true });
  expect(ended.stdout).toContain('All is done.');
  const [row] = (await listSessions(place)).filter((each) => each.id === parent.id);
  expect(row).toMatchObject({ status: 'done' });
});

test('klaus resume --on-ask deny denies what the agent asks, now and later', async () => {
  using place = createTestHome(TEAM_FILES);
  const again = { name: 'write_file', input: { path: 'c.txt', content: 'three\n' } };
  const writer = stepsOf('writer', [{ calls: [WRITE] }, { calls: [again] }, { text: 'Not written.' }]);
  await using server = await startServer({ steps: [...SCRIPT.steps.slice(0, 3), ...writer] } as never);
  const { parent, child } = await runUntilAsked({ place, server });
  const ended = await runKlaus(['resume', parent.id, '--on-ask', 'deny'], { place, server });
  expect({ code: ended.code, hasFile: hasFile(place) }).toEqual({ code: 0, hasFile: false });
  expect((await runKlaus(['approvals', '--json'], { place })).stdout).toBe('');
  const [row] = (await listSessions(place)).filter((each) => each.id === child.id);
  expect(row).toMatchObject({ outcome: 'denied' });
  expect((await runKlaus(['replay', child.id], { place })).code).toBe(0);
});
