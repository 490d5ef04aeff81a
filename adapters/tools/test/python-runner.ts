import type { ToolContext } from '@klaus/core/agent';
import { quoteShellWord } from '@klaus/core/protocol';
import { isFile } from '../project/package-json.ts';
import { findPython } from '../project/python.ts';
import { runRipgrep } from '../search/ripgrep.ts';
import { quotePath } from '../shell/quote.ts';
import { toolFailed } from '../tool-failed.ts';
import type { RunnerChoice } from './runner.ts';

/** Files that show that a project uses pytest. */
const CONFIGURATIONS: readonly [path: string, pattern: RegExp][] = [
  ['pytest.ini', /(?:)/],
  ['.pytest.ini', /(?:)/],
  ['pyproject.toml', /^\s*\[tool\.pytest\b|["']pytest\b/m],
  ['tox.ini', /^\s*\[pytest\]/m],
  ['setup.cfg', /^\s*\[tool:pytest\]/m],
  ['conftest.py', /(?:)/],
  ['tests/conftest.py', /(?:)/],
  ['test/conftest.py', /(?:)/],
  ['requirements.txt', /^\s*pytest\b/m],
  ['requirements-dev.txt', /^\s*pytest\b/m],
];

const PROJECT_FILES = ['pyproject.toml', 'setup.py', 'setup.cfg', 'requirements.txt', 'Pipfile', 'manage.py'];
const MAX_TESTS = 50;

/**
 * Finds the runner of a Python project: pytest if the configuration mentions it, unittest if the tests use only the
 * standard library. A path may be followed by `::test`.
 *
 * @param options.isCertain True if Python was selected: without any indication the runner is pytest.
 * @returns The command; undefined if this is not a Python project with tests.
 * @throws KlausError `tool.failed` for a path that unittest cannot run.
 */
export async function findPythonRunner(
  context: ToolContext,
  choice: RunnerChoice,
  { isCertain }: { isCertain: boolean },
): Promise<string | undefined> {
  const { path, pattern, runner } = choice;
  const usesPytest = runner === undefined ? await mentionsPytest(context) : runner === 'pytest';
  const style = usesPytest ? 'pytest' : await findStyle(context, choice);
  if (style === undefined && !isCertain) return undefined;
  const python = quoteShellWord(await findPython(context));
  const only = pattern === undefined ? '' : ` -k ${quoteShellWord(pattern)}`;
  if ((runner ?? style ?? 'pytest') === 'pytest') {
    return `${python} -m pytest -q -rfE --color=no${only}${path === undefined ? '' : ` ${quotePath(path)}`}`;
  }
  if (path === undefined) return `${python} -m unittest discover -v${only}`;
  if ((await context.workspace.stat(path))?.kind === 'directory') {
    return `${python} -m unittest discover -v${only} -s ${quotePath(path)} -t .`;
  }
  if (!path.endsWith('.py')) throw toolFailed(`${path} is not a Python file.`);
  return `${python} -m unittest -v${only} ${quotePath(path)}`;
}

async function mentionsPytest(context: ToolContext): Promise<boolean> {
  for (const [path, pattern] of CONFIGURATIONS) {
    const text = await readHead(context, path);
    if (text !== undefined && pattern.test(text)) return true;
  }
  return false;
}

/** Detects the runner from the tests: tests for unittest import it; others need pytest. */
async function findStyle(
  context: ToolContext,
  { path, runner }: RunnerChoice,
): Promise<'pytest' | 'unittest' | undefined> {
  if (runner === 'unittest') return 'unittest';
  const tests = path?.endsWith('.py') ? [path] : await findTests(context);
  for (const test of tests) {
    const text = await readHead(context, test);
    if (text !== undefined && /^\s*(?:import|from)\s+unittest\b/m.test(text) && !/^\s*import\s+pytest\b/m.test(text))
      return 'unittest';
  }
  if (tests.length > 0) return 'pytest';
  for (const file of PROJECT_FILES) if (await isFile(context, file)) return 'pytest';
  return undefined;
}

/** Some test files of the project, except ignored ones. */
async function findTests(context: ToolContext): Promise<string[]> {
  const found: string[] = [];
  const args = ['--files', '--glob', 'test_*.py', '--glob', '*_test.py'];
  for await (const record of runRipgrep(context, { args, at: { folder: context.workspace, relative: '' } })) {
    found.push((record ?? '').replace(/^\.\//, ''));
    if (found.length === MAX_TESTS) break;
  }
  return found.toSorted();
}

/** The first 64 KiB of a file; undefined without one. */
async function readHead(context: ToolContext, path: string): Promise<string | undefined> {
  if (!(await isFile(context, path))) return undefined;
  return Buffer.from(await context.workspace.read(path, { offset: 0, length: 65_536 })).toString('utf8');
}
