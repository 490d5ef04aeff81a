// Covers apps/cli/commands/sandbox, adapters/sandboxes/docker: klaus sandbox ps, prune and run.
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { startEngine } from '../../adapters/sandboxes/docker/dockerd.fixture.ts';
import { ownName } from '../../adapters/sandboxes/process/owner.ts';
import { eventually } from '../../adapters/sandboxes/sandbox.fixture.ts';
import { listSessions, runKlaus, startKlaus } from '../fixtures/klaus.ts';
import { createTestHome } from '../fixtures/test-home.ts';

const started = await startEngine();
afterAll(() => started.engine?.close(), 60_000);

describe.skipIf(!started.engine)(
  `klaus sandbox ${started.engine ? '' : `(${started.reason})`}`,
  { timeout: 60_000 },
  () => {
    const env = {
      KLAUS_SANDBOX: 'docker',
      KLAUS_SANDBOX_IMAGE: started.engine?.image ?? '',
      DOCKER_HOST: started.engine?.host ?? '',
    };
    const docker = (...words: string[]) =>
      execFileSync('docker', words, { encoding: 'utf8', env: { ...process.env, ...env } }).trim();

    test('run runs a command as an agent would, and records it', async () => {
      using place = createTestHome();
      writeFileSync(join(place.workspace, '.env'), 'KEY=a-secret-of-the-test\n');
      const line = 'cat .env; id -u; echo made > made; exit 3';
      const ran = await runKlaus(['sandbox', 'run', line], { place, env });
      expect(ran).toMatchObject({ code: 3, stdout: '0\n', stderr: expect.stringContaining('sandbox docker') });
      expect(readFileSync(join(place.workspace, 'made'), 'utf8')).toBe('made\n');
      const [session] = await listSessions(place);
      const again = await runKlaus(['sandbox', 'run', '--session', session!.id, '--json', 'cat made'], { place, env });
      expect(JSON.parse(again.stdout)).toMatchObject({
        session: session!.id,
        driver: 'docker',
        outcome: 'ok',
        exitCode: 0,
      });
      const denied = await runKlaus(['sandbox', 'run', 'rm -rf /'], { place, env });
      expect(denied.code).toBe(6);
      expect(docker('ps', '--all', '--quiet')).toBe('');
      expect(existsSync(join(place.workspace, '.klaus'))).toBe(false);
    });

    test(
      'ps lists the container of a running command and orphans, and prune removes only these',
      { tags: ['long'] },
      async () => {
        using place = createTestHome();
        const running = startKlaus(['sandbox', 'run', 'until [ -e go ]; do sleep 0.1; done'], { place, env });
        const list = async (name: string) => {
          const { stdout } = await runKlaus(['sandbox', name, '--json'], { place, env });
          return stdout.split('\n').flatMap((text) => (text === '' ? [] : [JSON.parse(text) as unknown]));
        };
        const ended = spawn('true');
        await once(ended, 'exit');
        const owner = ownName().replace(/-\d+-\d+$/, `-${ended.pid}-1`);
        docker('create', '--name', 'orphan', '--label', `klaus.owner=${owner}`, env.KLAUS_SANDBOX_IMAGE, 'true');
        const orphan = { driver: 'docker', id: 'orphan', isOrphan: true };
        const used = { driver: 'docker', state: 'running', workspace: place.workspace, isOrphan: false };
        const [session] = await waitForSession(place);
        expect(await eventually(async () => docker('ps', '--quiet') !== '')).toBe(true);
        expect(await list('ps')).toEqual(
          expect.arrayContaining([expect.objectContaining({ ...used, session: session!.id })]),
        );
        docker('create', '--name', 'second', '--label', `klaus.owner=${owner}`, env.KLAUS_SANDBOX_IMAGE, 'true');
        const removed = await list('prune');
        expect(removed).toEqual(expect.arrayContaining([expect.objectContaining({ ...orphan, id: 'second' })]));
        expect(removed).not.toContainEqual(expect.objectContaining({ isOrphan: false }));
        expect(await list('ps')).toEqual([expect.objectContaining(used)]);
        writeFileSync(join(place.workspace, 'go'), '');
        expect((await running.ended).code).toBe(0);
        expect(await list('ps')).toEqual([]);
      },
    );
  },
);

async function waitForSession(place: ReturnType<typeof createTestHome>) {
  let found = await listSessions(place);
  await eventually(async () => (found = await listSessions(place)).length > 0, 200);
  return found;
}
