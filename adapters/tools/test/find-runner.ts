import { KlausError } from '@klaus/core/protocol';
import type { ToolContext } from '@klaus/core/agent';
import { isFile, readPackage, type Package } from '../project/package-json.ts';
import { findPackageManager, toScriptLine } from '../project/package-manager.ts';
import { findProjectProgram } from '../project/project-program.ts';
import { quote, quotePath } from '../shell/quote.ts';
import { findOtherRunner } from './find-other-runner.ts';
import { isOtherRunner } from './other-runners.ts';
import { findPythonRunner } from './python-runner.ts';
import type { Runner, RunnerChoice, RunnerName } from './runner.ts';

/** The script that `npm init` writes, which is none. */
const PLACEHOLDER = /no test specified/;

/**
 * Finds how the tests of a project are run: its `test` script, else vitest or jest among its dependencies, else
 * pytest or unittest where it is a Python project, else the runner of another language whose project file is there,
 * else Node's own runner. A path to a Python file decides for
 * Python, one to a JavaScript file against it.
 *
 * @throws KlausError `tool.failed` that says what to do when none is found.
 */
export async function findRunner(context: ToolContext, choice: RunnerChoice): Promise<Runner> {
  const { path, runner } = choice;
  const isPython = path?.endsWith('.py') || runner === 'pytest' || runner === 'unittest';
  if (isOtherRunner(runner)) return (await findOtherRunner(context, choice))!;
  if (isPython) return (await findPythonRunner(context, choice, { isCertain: true }))!;
  const pkg = await readPackage(context);
  const ofPackage = await findPackageRunner(context, choice, pkg);
  if (ofPackage) return ofPackage;
  const isJavaScript = path !== undefined && /\.[cm]?[jt]sx?$/.test(path);
  if (!isJavaScript && runner === undefined) {
    const ofPython = await findPythonRunner(context, choice, { isCertain: false });
    if (ofPython) return ofPython;
  }
  if (!isJavaScript && runner === undefined) {
    const other = await findOtherRunner(context, choice);
    if (other) return other;
  }
  if (runner === 'npm') throw new KlausError('tool.failed', 'package.json has no test script.');
  if (pkg !== undefined || path !== undefined || runner === 'node') {
    return { name: 'node:test', command: `node --test ${toArguments('node:test', choice)}`.trimEnd() };
  }
  throw new KlausError(
    'tool.failed',
    'No tests were found at the root of the workspace: there is no package.json, no Python project with tests, and no project file of another known runner. Name a runner, or run the tests with run_command.',
  );
}

async function findPackageRunner(
  context: ToolContext,
  choice: RunnerChoice,
  pkg: Package | undefined,
): Promise<Runner | undefined> {
  const { path, pattern, runner } = choice;
  const script = pkg?.scripts?.['test'];
  const hasScript = typeof script === 'string' && script.trim() !== '' && !PLACEHOLDER.test(script);
  if (hasScript && (runner === undefined || runner === 'npm')) {
    const name = recognise(script);
    if (name === 'script' && pattern !== undefined) {
      throw new KlausError(
        'tool.failed',
        `The test script (${script.slice(0, 200)}) is of no known runner, so tests cannot be chosen by name. Use run_command.`,
      );
    }
    const words = path === undefined && pattern === undefined ? '' : ` ${toArguments(name, choice)}`;
    return { name, command: toScriptLine(await findPackageManager(context), 'test', words) };
  }
  const has = (dependency: string) =>
    pkg?.dependencies?.[dependency] !== undefined || pkg?.devDependencies?.[dependency] !== undefined;
  const config = async (name: string) => {
    for (const ending of ['ts', 'js', 'mts', 'mjs', 'cjs'])
      if (await isFile(context, `${name}.config.${ending}`)) return true;
    return false;
  };
  for (const name of ['vitest', 'jest', 'mocha'] as const) {
    const isWanted = runner === undefined ? has(name) || (await config(name)) : runner === name;
    if (!isWanted) continue;
    const program = await findProjectProgram(context, name);
    const line = name === 'vitest' ? `${program} run` : program;
    return { name, command: `${line} ${toArguments(name, choice)}`.trimEnd() };
  }
  return undefined;
}

/** Which runner a script calls, by its text. */
function recognise(script: string): RunnerName {
  if (/\bvitest\b/.test(script)) return 'vitest';
  if (/\bjest\b/.test(script)) return 'jest';
  if (/\bmocha\b/.test(script)) return 'mocha';
  if (/\bnode\b[^&|;]*\s--test\b/.test(script)) return 'node:test';
  return 'script';
}

function toArguments(name: RunnerName, { path, pattern }: RunnerChoice): string {
  const words: string[] = [];
  if (pattern !== undefined)
    words.push(
      name === 'node:test'
        ? `--test-name-pattern=${quote(pattern)}`
        : `${name === 'mocha' ? '-g' : '-t'} ${quote(pattern)}`,
    );
  if (path !== undefined) words.push(quotePath(path));
  return words.join(' ');
}
