/**
 * All ways out of the sandbox: `npm run test:escape -- [--driver bubblewrap|docker] [further arguments of vitest]`.
 * Docker: the engine of `DOCKER_HOST`, or one that is started for it, as root.
 */
import { spawnSync } from 'node:child_process';

const words = process.argv.slice(2);
const at = words.indexOf('--driver');
const driver = at < 0 ? 'bubblewrap' : words.splice(at, 2)[1];
if (driver !== 'bubblewrap' && driver !== 'docker') {
  console.error('Usage: npm run test:escape -- [--driver bubblewrap|docker]');
  process.exit(2);
}
const env = { ...process.env, KLAUS_DRIVER: driver };
const args = ['run', '--config', 'test/escape/vitest.config.ts', ...words];
process.exitCode = spawnSync('vitest', args, { env, stdio: 'inherit' }).status ?? 1;
