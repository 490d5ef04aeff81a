import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** The sources of the Python package. */
export const PYTHON_PACKAGE = join(import.meta.dirname, '../../python/klendathu');

/** Exact versions, from PyPI. */
const TOOLS = [
  'hatchling==1.33.0',
  'pytest==9.2.0',
  'mypy==2.4.1',
  'pydantic==2.14.4',
  'pytest-xdist==3.8.0',
  'django==5.2.19',
];

/** A folder of packages with the one under test from its wheel. */
export interface PythonPlace extends Disposable {
  folder: string;
  /** Variables with which `python3` finds the packages. */
  env: NodeJS.ProcessEnv;
}

interface Output {
  status: number | null;
  output: string;
}

/** Runs a program without blocking the events of this process. */
export async function runProgram(
  [program, ...words]: readonly [string, ...string[]],
  options: { cwd?: string; env?: NodeJS.ProcessEnv } = {},
): Promise<Output> {
  const child = spawn(program, words, { ...options, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk));
  const [status] = (await once(child, 'close')) as [number | null];
  return { status, output };
}

/** True if the system's Python can install packages. */
export function hasPython(): boolean {
  return spawnSync('python3', ['-c', 'import sys, pip; sys.exit(sys.version_info < (3, 10))']).status === 0;
}

/**
 * Installs packages into a folder.
 *
 * @throws Error with the output of pip.
 */
export async function installPackages(folder: string, words: readonly string[], env = process.env): Promise<void> {
  const command = ['python3', '-m', 'pip', '--disable-pip-version-check', '--quiet'] as const;
  const { status, output } = await runProgram([...command, 'install', '--no-compile', '--target', folder, ...words], {
    env,
  });
  if (status !== 0) throw new Error(`pip failed:\n${output}`);
}

/** @throws Error with the output of pip. */
export async function createPythonPlace(): Promise<PythonPlace> {
  const folder = mkdtempSync(join(tmpdir(), 'klendathu-python-'));
  const packages = join(folder, 'packages');
  const env = { ...process.env, PYTHONPATH: packages, PYTHONDONTWRITEBYTECODE: undefined };
  await installPackages(packages, TOOLS);
  // Builds the wheel, and installs that.
  await installPackages(packages, ['--no-deps', '--no-build-isolation', PYTHON_PACKAGE], env);
  return { folder, env, [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }) };
}
