import { mkdirSync } from 'node:fs';
import { closeIdleContainers, createSandbox } from '@klaus/adapters/sandboxes';
import { startEngine } from '../adapters/sandboxes/docker/dockerd.fixture.ts';
import { createTestHome } from '../test/fixtures/test-home.ts';
import type { Benchmark } from './benchmark.ts';
import { interleave, time } from './measure.ts';
import { timeToExit } from './program.ts';

const TRUE = ['/bin/sh', '-c', ':'];
const NAME = 'Docker sandbox, a command in the container of its session';

/** A command in the container of a session, next to a container of its own that `docker run` starts without our mounts. */
export const dockerExec: Benchmark = {
  name: 'docker',
  async run({ quick }) {
    const started = await startEngine();
    if (!started.engine) return [{ name: NAME, skipped: started.reason }];
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
          bare: () => timeToExit(bare, { place: { ...place, env: { ...place.env, DOCKER_HOST: host } } }),
          exec: () => time(exec),
        },
        quick ? 7 : 31,
      );
      await closeIdleContainers();
      return [
        {
          name: NAME,
          value: taken.exec,
          unit: 'ms',
          bare: { value: taken.bare, what: 'docker run … sh -c :' },
          most: { times: 0.33 },
        },
      ];
    } finally {
      if (outer === undefined) delete process.env['DOCKER_HOST'];
      else process.env['DOCKER_HOST'] = outer;
      await engine.close();
    }
  },
};
