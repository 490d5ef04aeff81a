import { mkdirSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { closeIdleContainers, createSandbox } from '@klaus/adapters/sandboxes';
import { startEngine } from '../adapters/sandboxes/docker/dockerd.fixture.ts';
import { createTestHome } from '../test/fixtures/test-home.ts';
import type { Benchmark } from './benchmark.ts';
import { interleave, time } from './measure.ts';
import { timeToExit } from './program.ts';

const TRUE = ['/bin/sh', '-c', ':'];
const NAME = 'Docker sandbox, a command in the container of its session';
const DIRECT = 'the same, directly after another command';
/** Before each measurement, in milliseconds; less than the time between two answers of a model. */
const PAUSE_MS = 500;

/** A command in the container of a session, next to a container of its own that `docker run` starts without our mounts. */
export const dockerExec: Benchmark = {
  name: 'docker',
  async run({ quick }) {
    const started = await startEngine();
    if (!started.engine) return [NAME, DIRECT].map((name) => ({ name, skipped: started.reason }));
    const { engine } = started;
    const { host, image } = engine;
    const outer = process.env['DOCKER_HOST'];
    process.env['DOCKER_HOST'] = host;
    try {
      using place = createTestHome();
      const { workspace, home } = place;
      mkdirSync(home, { mode: 0o700 });
      const sandbox = await createSandbox({ workspace, home, choice: 'docker', image });
      const exec = async () => {
        const { exitCode, stderr } = await sandbox.exec({ command: TRUE });
        if (exitCode !== 0) throw new Error(`the command ended with ${exitCode}: ${stderr}`);
      };
      await exec();
      const bare = ['docker', 'run', '--rm', '--init', '--network', 'none', image, ...TRUE];
      const taken = await interleave(
        {
          bare: async () => {
            await sleep(PAUSE_MS);
            return timeToExit(bare, { place: { ...place, env: { ...place.env, DOCKER_HOST: host } } });
          },
          exec: async () => {
            await sleep(PAUSE_MS);
            return time(exec);
          },
          direct: async () => {
            await exec();
            return time(exec);
          },
        },
        quick ? 7 : 31,
      );
      await closeIdleContainers();
      const base = { value: taken.bare, what: 'docker run … sh -c :' };
      return [
        { name: NAME, value: taken.exec, unit: 'ms', bare: base, most: { times: 0.33 } },
        { name: DIRECT, value: taken.direct, unit: 'ms', bare: base },
      ];
    } finally {
      if (outer === undefined) delete process.env['DOCKER_HOST'];
      else process.env['DOCKER_HOST'] = outer;
      await engine.close();
    }
  },
};
