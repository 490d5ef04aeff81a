// Covers adapters/sandboxes/docker, adapters/mcp: a server that runs in a container.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startEngine } from '../../adapters/sandboxes/docker/dockerd.fixture.ts';
import { FIXTURE, runCalls, use } from './open-session.ts';

const started = await startEngine();
const outer = process.env['DOCKER_HOST'];

beforeAll(() => void (process.env['DOCKER_HOST'] = started.engine?.host ?? outer));
afterAll(async () => {
  if (outer === undefined) delete process.env['DOCKER_HOST'];
  else process.env['DOCKER_HOST'] = outer;
  await started.engine?.close();
}, 60_000);

test.skipIf(!started.engine)(
  `a server in a container ${started.engine ? '' : `(${started.reason})`}`,
  { timeout: 120_000 },
  async () => {
    await using run = await runCalls(
      { one: { command: 'node', args: [FIXTURE] } },
      [
        use('mcp__one__echo', { text: 'hello' }),
        use('mcp__one__save', { path: 'new.txt', text: 'written' }),
        use('mcp__one__reach', { url: 'http://192.0.2.1/' }),
      ],
      { settings: { 'sandbox.driver': 'docker', 'sandbox.image': started.engine!.image } },
    );
    const [echo, save, reach] = run.results;
    expect(echo).toMatchObject({ outcome: 'ok', output: expect.stringContaining('echo hello') });
    expect(save).toMatchObject({ outcome: 'ok' });
    expect(readFileSync(join(run.engine.place.workspace, 'new.txt'), 'utf8')).toBe('written');
    expect(reach!.output).toContain('no network');
    // The container of the commands of the session waits for the next one; that of the server has ended.
    const docker = (...words: string[]): string => execFileSync('docker', words, { encoding: 'utf8' });
    const ids = docker('ps', '--quiet').trim().split('\n');
    expect(ids.filter((id) => id !== '').map((id) => docker('top', id, '-eo', 'pid,args'))).not.toContainEqual(
      expect.stringContaining(FIXTURE),
    );
  },
);
