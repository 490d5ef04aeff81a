import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** The sources of the Python package. */
export const PYTHON_PACKAGE = join(import.meta.dirname, '../../python/klendathu');

/** Exact versions, from PyPI. */
const TOOLS = ['hatchling==1.33.0', 'pytest==9.2.0', 'mypy==2.4.1', 'pydantic==2.14.4'];

/** A Python with the package installed from its wheel. */
export interface PythonPlace extends Disposable {
  folder: string;
  python: string;
  /** Path of the wheel. */
  wheel: string;
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

/** True if the system's Python can make environments. */
export function hasPython(): boolean {
  return spawnSync('python3', ['-c', 'import sys, ensurepip, venv; sys.exit(sys.version_info < (3, 10))']).status === 0;
}

/** @throws Error with the output of the program that failed. */
export async function createPythonPlace(): Promise<PythonPlace> {
  const folder = mkdtempSync(join(tmpdir(), 'klendathu-python-'));
  const python = join(folder, 'venv/bin/python');
  const run = async (command: readonly [string, ...string[]]) => {
    const { status, output } = await runProgram(command, { cwd: folder });
    if (status !== 0) throw new Error(`${command.join(' ')} failed:\n${output}`);
  };
  const pip = [python, '-m', 'pip', '--disable-pip-version-check', '--quiet'] as const;
  await run(['python3', '-m', 'venv', 'venv']);
  await run([...pip, 'install', ...TOOLS]);
  await run([...pip, 'wheel', '--no-deps', '--no-build-isolation', '--wheel-dir', 'wheels', PYTHON_PACKAGE]);
  const [name = ''] = readdirSync(join(folder, 'wheels'));
  const wheel = join(folder, 'wheels', name);
  await run([...pip, 'install', '--no-deps', wheel]);
  return { folder, python, wheel, [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }) };
}
