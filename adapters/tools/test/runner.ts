import { isKlausError, KlausError } from '@klaus/core/protocol';
import { z } from 'zod';
import type { ToolContext } from '@klaus/core/agent';

export type RunnerName = 'vitest' | 'jest' | 'node:test' | 'script';

/** How a project's tests are run. */
export interface Runner {
  name: RunnerName;
  /** A line for the shell. */
  command: string;
}

export interface RunnerChoice {
  /** A file or folder of tests, relative to the workspace. */
  path?: string | undefined;
  /** Only tests whose name fits. */
  pattern?: string | undefined;
}

const packageSchema = z.object({
  scripts: z.record(z.string(), z.unknown()).optional(),
  dependencies: z.record(z.string(), z.unknown()).optional(),
  devDependencies: z.record(z.string(), z.unknown()).optional(),
});
type Package = z.infer<typeof packageSchema>;

/** The script that `npm init` writes, which is none. */
const PLACEHOLDER = /no test specified/;

/** Lock file of each package manager, and how it runs a script with further arguments. */
const SCRIPT_RUNNERS: readonly [lock: string, command: string][] = [
  ['pnpm-lock.yaml', 'pnpm test'],
  ['yarn.lock', 'yarn test'],
  ['bun.lock', 'bun run test'],
  ['bun.lockb', 'bun run test'],
  ['package-lock.json', 'npm test --'],
];

/**
 * Finds how the tests of a JavaScript project are run: its `test` script, else vitest or jest among its
 * dependencies, else Node's own runner where there are test files.
 *
 * @throws KlausError `tool.failed` that says what to do when none is found.
 */
export async function findRunner(context: ToolContext, choice: RunnerChoice): Promise<Runner> {
  const pkg = await readPackage(context);
  const script = pkg?.scripts?.['test'];
  if (typeof script === 'string' && script.trim() !== '' && !PLACEHOLDER.test(script)) {
    const name = recognise(script);
    if (name === 'script' && choice.pattern !== undefined) {
      throw new KlausError(
        'tool.failed',
        `The test script (${script.slice(0, 200)}) is of no known runner, so tests cannot be chosen by name. Use run_command.`,
      );
    }
    const plain = choice.path === undefined && choice.pattern === undefined;
    const command = await findScriptRunner(context);
    return { name, command: plain ? command.replace(/ --$/, '') : `${command} ${toArguments(name, choice)}` };
  }
  const has = (dependency: string) =>
    pkg?.dependencies?.[dependency] !== undefined || pkg?.devDependencies?.[dependency] !== undefined;
  const config = async (name: string) => {
    for (const ending of ['ts', 'js', 'mts', 'mjs', 'cjs'])
      if (await exists(context, `${name}.config.${ending}`)) return true;
    return false;
  };
  if (has('vitest') || (await config('vitest')))
    return { name: 'vitest', command: `npx --no-install vitest run ${toArguments('vitest', choice)}`.trimEnd() };
  if (has('jest') || (await config('jest')))
    return { name: 'jest', command: `npx --no-install jest ${toArguments('jest', choice)}`.trimEnd() };
  if (pkg !== undefined || choice.path !== undefined) {
    return { name: 'node:test', command: `node --test ${toArguments('node:test', choice)}`.trimEnd() };
  }
  throw new KlausError(
    'tool.failed',
    'No test runner was found: there is no package.json. Run the tests with run_command instead.',
  );
}

/** Which runner a script calls, by its text. */
function recognise(script: string): RunnerName {
  if (/\bvitest\b/.test(script)) return 'vitest';
  if (/\bjest\b/.test(script)) return 'jest';
  if (/\bnode\b[^&|;]*\s--test\b/.test(script)) return 'node:test';
  return 'script';
}

function toArguments(name: RunnerName, { path, pattern }: RunnerChoice): string {
  const words: string[] = [];
  if (pattern !== undefined)
    words.push(name === 'node:test' ? `--test-name-pattern=${quote(pattern)}` : `-t ${quote(pattern)}`);
  if (path !== undefined) words.push(quote(path));
  return words.join(' ');
}

/** One word for the shell, whatever is in it. */
function quote(word: string): string {
  return /^[\w./:=@%+,-]+$/.test(word) && !word.startsWith('-') ? word : `'${word.replaceAll("'", "'\\''")}'`;
}

async function findScriptRunner(context: ToolContext): Promise<string> {
  for (const [lock, command] of SCRIPT_RUNNERS) if (await exists(context, lock)) return command;
  return 'npm test --';
}

async function exists({ workspace }: ToolContext, path: string): Promise<boolean> {
  return (await workspace.stat(path))?.kind === 'file';
}

async function readPackage(context: ToolContext): Promise<Package | undefined> {
  if (!(await exists(context, 'package.json'))) return undefined;
  try {
    const bytes = await context.workspace.read('package.json', { maxBytes: 1024 * 1024 });
    return packageSchema.parse(JSON.parse(Buffer.from(bytes).toString('utf8')));
  } catch (error) {
    if (isKlausError(error)) throw error;
    throw new KlausError('tool.failed', 'The package.json of this project cannot be read.', { cause: error });
  }
}
