import { toHostEnvironment } from '@klaus/adapters/system';
import { runProgram } from '../run-program.ts';

/** Runs the `docker` program with the environment of this process (DOCKER_HOST, contexts, certificates). Never rejects. */
export async function runDocker(args: readonly string[]): Promise<{ ok: boolean; stdout: string; stderr: string }> {
  const options = { timeout: 15_000, killSignal: 'SIGKILL', env: toHostEnvironment() } as const;
  const { error, ...result } = await runProgram('docker', args, options);
  return error?.code === 'ENOENT' ? { ...result, stderr: 'the program docker is not installed' } : result;
}
