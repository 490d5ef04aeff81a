import { headOf } from '@klaus/core/cut-text';
import { readdir } from 'node:fs/promises';
import { type KlausError, quoteShellWord } from '@klaus/core/protocol';
import type { ToolContext } from '@klaus/core/agent';
import { isFile, readPackage, type Package } from '../project/package-json.ts';
import { findPackageManager, toScriptLine } from '../project/package-manager.ts';
import { findProjectProgram } from '../project/project-program.ts';
import { quotePath } from '../shell/quote.ts';
import { toolFailed } from '../tool-failed.ts';
import { isOtherRunner, OTHER_RUNNERS, type OtherRunner } from './other-runners.ts';
import { findPythonRunner } from './python-runner.ts';
import type { RunnerChoice } from './runner.ts';

const PACKAGE_RUNNERS = ['vitest', 'jest', 'mocha'] as const;
type RunnerName = (typeof PACKAGE_RUNNERS)[number] | 'node:test' | 'script';

/** The placeholder that `npm init` creates. */
const PLACEHOLDER = /no test specified/;

/**
 * Finds the command that runs the tests of a project: its `test` script, else vitest or jest among its dependencies, else
 * pytest or unittest in a Python project, else the runner of another language by its project file, else Node's runner. A
 * path to a Python file selects Python, one to a JavaScript file excludes it.
 *
 * @throws KlausError `tool.failed` if none is found.
 */
export async function findRunner(context: ToolContext, choice: RunnerChoice): Promise<string> {
  const { path, runner } = choice;
  const isPython = path?.endsWith('.py') || runner === 'pytest' || runner === 'unittest';
  if (isOtherRunner(runner)) return (await findOtherRunner(context, choice))!;
  if (isPython) return (await findPythonRunner(context, choice, { isCertain: true }))!;
  const pkg = await readPackage(context);
  const ofPackage = await findPackageRunner(context, choice, pkg);
  if (ofPackage !== undefined) return ofPackage;
  const isJavaScript = path !== undefined && /\.[cm]?[jt]sx?$/.test(path);
  if (!isJavaScript && runner === undefined) {
    const ofPython = await findPythonRunner(context, choice, { isCertain: false });
    const other = ofPython ?? (await findOtherRunner(context, choice));
    if (other !== undefined) return other;
  }
  if (runner === 'npm') throw toolFailed('package.json has no test script.');
  if (pkg !== undefined || path !== undefined || runner === 'node') {
    return `node --test ${toArguments('node:test', choice)}`.trimEnd();
  }
  throw toolFailed(
    'No tests were found at the root of the workspace: there is no package.json, no Python project with tests, and no project file of another known runner. Set runner, or run the tests with run_command.',
  );
}

async function findPackageRunner(
  context: ToolContext,
  choice: RunnerChoice,
  pkg: Package | undefined,
): Promise<string | undefined> {
  const { path, pattern, runner } = choice;
  const script = pkg?.scripts?.['test'];
  const hasScript = typeof script === 'string' && script.trim() !== '' && !PLACEHOLDER.test(script);
  if (hasScript && (runner === undefined || runner === 'npm')) {
    const name = detectRunner(script);
    if (name === 'script' && pattern !== undefined) {
      throw toolFailed(
        `The test script (${headOf(script, 200)}) uses an unknown runner, so tests cannot be selected by name. Use run_command.`,
      );
    }
    const words = path === undefined && pattern === undefined ? '' : ` ${toArguments(name, choice)}`;
    return toScriptLine(await findPackageManager(context), 'test', words);
  }
  const has = (dependency: string) =>
    pkg?.dependencies?.[dependency] !== undefined || pkg?.devDependencies?.[dependency] !== undefined;
  const config = async (name: string) => {
    for (const ending of ['ts', 'js', 'mts', 'mjs', 'cjs'])
      if (await isFile(context, `${name}.config.${ending}`)) return true;
    return false;
  };
  for (const name of PACKAGE_RUNNERS) {
    const isSelected = runner === undefined ? has(name) || (await config(name)) : runner === name;
    if (!isSelected) continue;
    const program = await findProjectProgram(context, name);
    const line = name === 'vitest' ? `${program} run` : program;
    return `${line} ${toArguments(name, choice)}`.trimEnd();
  }
  return undefined;
}

function detectRunner(script: string): RunnerName {
  const named = PACKAGE_RUNNERS.find((name) => new RegExp(`\\b${name}\\b`).test(script));
  return named ?? (/\bnode\b[^&|;]*\s--test\b/.test(script) ? 'node:test' : 'script');
}

function toArguments(name: RunnerName, { path, pattern }: RunnerChoice): string {
  const words: string[] = [];
  const option = name === 'node:test' ? '--test-name-pattern=' : name === 'mocha' ? '-g ' : '-t ';
  if (pattern !== undefined) words.push(option + quoteShellWord(pattern));
  if (path !== undefined) words.push(quotePath(path));
  return words.join(' ');
}

/** Neither npm nor Python: the selected runner, else the first whose project file exists. */
async function findOtherRunner(context: ToolContext, choice: RunnerChoice): Promise<string | undefined> {
  for (const row of OTHER_RUNNERS as readonly OtherRunner[]) {
    if (isOtherRunner(choice.runner) ? row.name !== choice.runner : !(await isUsedIn(context, row))) continue;
    return toCommand(context, row, choice);
  }
  return undefined;
}

async function toCommand(
  context: ToolContext,
  { name, command, byName, byPath }: OtherRunner,
  { path, pattern }: RunnerChoice,
): Promise<string> {
  const chosen = path === undefined ? await command(context) : byPath?.(path);
  if (chosen === undefined) throw cannot(name, 'file');
  if (pattern === undefined) return chosen;
  if (!byName) throw cannot(name, 'name');
  return `${chosen} ${byName(pattern)}`;
}

function cannot(name: string, what: 'file' | 'name'): KlausError {
  return toolFailed(`Tests of ${name} cannot be selected by ${what} here. Use run_command.`);
}

async function isUsedIn(context: ToolContext, { markers, isUsed }: OtherRunner): Promise<boolean> {
  for (const marker of markers) {
    const found = marker.startsWith('*.') ? await findEnding(context, marker.slice(1)) : marker;
    if (found === undefined || !(await isFile(context, found))) continue;
    if (!isUsed || (await isUsed(context, found))) return true;
  }
  return false;
}

async function findEnding(context: ToolContext, ending: string): Promise<string | undefined> {
  return (await readdir(context.workspace.root)).find((name) => name.endsWith(ending));
}
