// Covers apps/cli/board, apps/cli/chat: the board of all sessions, and joining a session, in a terminal.
import { expect, test } from 'vitest';
import { openEmulator } from '../fixtures/emulator.ts';
import { MAIN, toEnv } from '../fixtures/klaus.ts';
import { hasScript } from '../fixtures/pseudo-terminal.ts';
import { createRoof, ENDLESS, type Roof } from './roof.ts';

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
  await terminal.shows('2 running');
  expect(terminal.isFull()).toBe(true);
  for (const id of [first!, second!]) expect(terminal.screen()).toContain(id.slice(0, 14));
  terminal.type('i');
  await terminal.shows('1 running');
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
  await terminal.shows('1 running');
  terminal.type('q');
  expect(await terminal.ended).toBe(0);
  expect(terminal.isFull()).toBe(false);
});

test.runIf(hasScript)('attach joins a session, and leaving it does not stop its run', async () => {
  await using roof = await createRoof({ script: ENDLESS });
  const [id] = await roof.start();
  await using terminal = await open(roof, 'attach', id!);
  await terminal.shows('Leaving does not stop its run.');
  await terminal.shows('step step step');
  terminal.type('\u0004');
  expect(await terminal.ended).toBe(0);
  expect(await roof.status(id!)).toMatchObject({ state: 'running', outcome: null });
});
