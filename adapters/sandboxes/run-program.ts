import { execFile, type ExecFileException, type ExecFileOptions } from 'node:child_process';

/** Runs a program to its end. Never rejects. */
export function runProgram(
  file: string,
  args: readonly string[],
  options: ExecFileOptions,
): Promise<{ ok: boolean; stdout: string; stderr: string; error: ExecFileException | null }> {
  return new Promise((resolve) => {
    execFile(file, args, { ...options, encoding: 'utf8' }, (error, stdout, stderr) => {
      resolve({ ok: error === null, stdout, stderr, error });
    });
  });
}
