// Covers adapters/workspace/snapshots/restore, core/agent/workspace: an undo that is killed between two folders.
import { mkdirSync, readdirSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { ofType } from '../fixtures/engine.ts';
import { runKlaus, startKlaus, startServer, toEvents, type KlausOptions } from '../fixtures/klaus.ts';
import { createTestHome } from '../fixtures/test-home.ts';
import { untilFile } from '../fixtures/watch-file.ts';

vi.setConfig({ testTimeout: 60_000 });

const FILES = 1_000;

interface Scene extends AsyncDisposable {
  options: KlausOptions;
  session: string;
  /** Path of the file in the workspace. */
  ownFile: string;
  own: () => string;
  /** Files of the folder outside the workspace with their new text. */
  changed: () => number;
}

async function changeBoth(): Promise<Scene> {
  const place = createTestHome();
  const ownFile = join(place.workspace, 'own.txt');
  const extra = join(realpathSync(dirname(place.workspace)), 'extra');
  mkdirSync(extra);
  const all = `seq 1 ${FILES} | while read n; do echo`;
  const prepare = `echo old > own.txt; ${all} old $n > ${extra}/$n.txt; done`;
  const change = `echo new > own.txt; ${all} new $n > ${extra}/$n.txt; done`;
  const commands = [prepare, change];
  const server = await startServer({
    steps: commands.flatMap((command) => [
      { reply: { calls: [{ name: 'run_command', input: { command } }] } },
      { reply: { text: 'Done.' } },
    ]),
  });
  const options = { place, server, env: { KLAUS_SANDBOX_FOLDERS: `${extra}:rw` } };
  expect(await runKlaus(['run', '--json', '--approve', 'auto', 'first'], options)).toMatchObject({ code: 0 });
  const second = await runKlaus(['run', '--json', '--continue', 'second'], options);
  expect(second).toMatchObject({ code: 0 });
  const { session } = JSON.parse(second.stdout.split('\n')[0]!) as { session: string };
  return {
    options,
    session,
    ownFile,
    own: () => readFileSync(ownFile, 'utf8'),
    changed: () =>
      readdirSync(extra).filter((name) => readFileSync(join(extra, name), 'utf8').startsWith('new')).length,
    async [Symbol.asyncDispose]() {
      await server.close();
      rmSync(extra, { recursive: true, force: true });
      place[Symbol.dispose]();
    },
  };
}

async function restoredOf({ options, session }: Scene) {
  const shown = await runKlaus(['show', session, '--json'], options);
  return ofType(toEvents(shown.stdout), 'workspace.restored');
}

/** Kills `klaus undo` as soon as the workspace is restored; the other folder takes longer. */
async function killBetween(scene: Scene): Promise<void> {
  const klaus = startKlaus(['undo', '--session', scene.session], scene.options);
  await Promise.race([untilFile(scene.ownFile, (text) => text === 'old\n'), klaus.ended]);
  klaus.kill('SIGKILL');
  expect(await klaus.ended).toMatchObject({ signal: 'SIGKILL' });
  expect(await restoredOf(scene)).toEqual([]);
}

test('the next undo completes it, and a redo restores everything', async () => {
  await using scene = await changeBoth();
  expect([scene.own(), scene.changed()]).toEqual(['new\n', FILES]);
  await killBetween(scene);

  expect(await runKlaus(['undo', '--session', scene.session], scene.options)).toMatchObject({ code: 0 });
  expect([scene.own(), scene.changed()]).toEqual(['old\n', 0]);
  expect((await restoredOf(scene)).map(({ kind, files }) => [kind, files])).toEqual([['undo', FILES + 1]]);

  expect(await runKlaus(['redo', '--session', scene.session], scene.options)).toMatchObject({ code: 0 });
  expect([scene.own(), scene.changed()]).toEqual(['new\n', FILES]);
});

test('files are restored from the state of the turn', { tags: ['long'] }, async () => {
  await using scene = await changeBoth();
  await killBetween(scene);
  const restored = await runKlaus(
    ['restore', 'own.txt', '--session', scene.session, '--turn', '3', '--after', '--overwrite'],
    scene.options,
  );
  expect(restored).toMatchObject({ code: 0, stderr: '' });
  expect(scene.own()).toBe('new\n');
});
