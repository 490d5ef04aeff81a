// Covers apps/cli/board, apps/cli/chat: the board of all sessions, and joining a session, in a terminal.
import { expect, test } from 'vitest';
import { openEmulator } from '../fixtures/emulator.ts';
import { untilInstances } from '../fixtures/instances.ts';
import { MAIN, toEnv } from '../fixtures/klaus.ts';
import { hasScript } from '../fixtures/pseudo-terminal.ts';
import { createRoof, ENDLESS, type Roof, SHORT } from './roof.ts';

const open = (roof: Roof, ...words: string[]) =>
  openEmulator([process.execPath, MAIN, ...words], {
    env: toEnv({ place: roof.place, server: roof.model }),
    cwd: roof.place.workspace,
    columns: 120,
  });

test.runIf(hasScript)('the board lists sessions, opens one, sends a message, and interrupts', async () => {
  await using roof = await createRoof({ script: ENDLESS });
  const [first, second] = await roof.start('--count', '2');
  await using terminal = await open(roof, 'watch');
  await terminal.shows(', 2 running,');
  expect(terminal.isFull()).toBe(true);
  for (const id of [first!, second!]) expect(terminal.screen()).toContain(id.slice(0, 14));
  terminal.type('i');
  await terminal.shows(', 1 running,');
  // The running one is now the first row.
  terminal.type('k');
  await terminal.shows(/> \S+ running/);
  terminal.type('m');
  await terminal.shows('Message to ');
  terminal.type('look at the tests\r');
  await terminal.shows('gets the message.');
  terminal.type('\r');
  await terminal.shows('Leaving does not stop its run.');
  terminal.type('\u0004');
  await terminal.shows(', 1 running,');
  terminal.type('q');
  expect(await terminal.ended).toBe(0);
  expect(terminal.isFull()).toBe(false);
});

test.runIf(hasScript)(
  'the board counts what the list of what needs the user has, also runs whose end was not seen',
  async () => {
    await using roof = await createRoof({ script: SHORT });
    const [id] = await roof.start();
    await using terminal = await open(roof, 'watch');
    await terminal.shows('1 session, 0 running, 1 need you');
    expect(terminal.screen()).toContain(`>!${id!.slice(0, 14)} done`);
    expect((await roof.klaus('attention', '--seen', id!)).code).toBe(0);
    await terminal.shows('0 need you');
    expect(terminal.screen()).toContain(`> ${id!.slice(0, 14)} done`);
  },
);

test.runIf(hasScript)(
  'a terminal that joins a session is an instance, which checkout can name',
  { tags: ['long'] },
  async () => {
    await using roof = await createRoof({ script: SHORT });
    const [first] = await roof.start();
    const [second] = await roof.start('--worktree');
    expect((await roof.klaus('wait', first!, second!)).code).toBe(0);
    // Of the same project, because its working copy was cloned from there.
    await using terminal = await open(roof, 'attach', second!);
    await terminal.shows('It is');
    const instance = await findInstance(roof);
    expect(instance).toMatchObject({ pid: terminal.pid, session: second });
    expect((await roof.klaus('checkout', first!, '--instance', instance.id.slice(0, 20))).code).toBe(0);
    await terminal.shows(`session ${first}`);
    expect(await findInstance(roof)).toMatchObject({ id: instance.id, session: first });
    terminal.type('\u0004');
    expect(await terminal.ended).toBe(0);
    expect((await roof.klaus('instances', '--json')).stdout).toBe('');
  },
);

interface Instance {
  id: string;
  pid: number;
  session: string | null;
}

/** The only instance, once there is one: a terminal registers itself after its first frame. */
async function findInstance(roof: Roof): Promise<Instance> {
  await untilInstances(roof.place, ({ length }) => length === 1);
  return JSON.parse((await roof.klaus('instances', '--json')).stdout) as Instance;
}

test.runIf(hasScript)('attach joins a session, and leaving it does not stop its run', { tags: ['long'] }, async () => {
  await using roof = await createRoof({ script: ENDLESS });
  const [id] = await roof.start();
  await using terminal = await open(roof, 'attach', id!);
  await terminal.shows('Leaving does not stop its run.');
  await terminal.shows('step step step');
  terminal.type('\u0004');
  expect(await terminal.ended).toBe(0);
  expect(await roof.status(id!)).toMatchObject({ state: 'running', outcome: null });
});
