import { execFile } from 'node:child_process';
import { toHostEnvironment } from '@klaus/adapters/system';

export interface CliResult {
  ok: boolean;
  stdout: string;
  stderr: string;
}

/** Runs the `docker` program with the given environment (DOCKER_HOST, contexts, certificates). Never rejects. */
export function runDocker(args: readonly string[], env: NodeJS.ProcessEnv = process.env): Promise<CliResult> {
  return new Promise((resolve) => {
    execFile(
      'docker',
      args,
      { timeout: 15_000, killSignal: 'SIGKILL', env: toHostEnvironment(env) },
      (error, stdout, stderr) => {
        const isMissing = (error as NodeJS.ErrnoException | null)?.code === 'ENOENT';
        resolve({ ok: error === null, stdout, stderr: isMissing ? 'the program docker is not installed' : stderr });
      },
    );
  });
}
