import { headOf } from '../../protocol/text/cut-text.ts';
import type { Check, CheckKind, Evidence } from '../../protocol/index.ts';
import { foldPath } from '../names/fold-path.ts';
import type { ChangedFile } from './changed-file.ts';
import { covers } from './covers.ts';
import { findLostAssertions } from './javascript/find-lost-assertions.ts';
import { countLiveAssertions } from './live-assertions.ts';
import { countReplacedAssertions } from './replaced-assertions.ts';
import { readChecks } from './read-checks.ts';

/** The time from which changes count. */
type Since = 'run' | 'session';

export interface Weakening {
  /** One sentence without its full stop. */
  reason: string;
  weakens: (row: Evidence) => boolean;
  /** A file that users rarely see and that later sessions must not trust either. */
  suspect?: string;
}

const TEST_FILE =
  /(?:^|\/)(?:tests?|__tests__|specs?|e2e)\/(?!.*(?:fixtures?|__snapshots__|data)\/)[^]*\.(?:[cm]?[jt]sx?|py|rb|go|rs|java|kt|php|sh|swift|exs?|cs)$|[._-](?:test|spec)s?\.[a-z]+$|(?:^|\/)(?:test_[^/]*|[^/]*_tests?|tests?)\.[a-z]+$/i;
const CONFIG =
  /(?:^|\/)(?:(?:vitest|vite|jest|playwright|cypress|eslint|stylelint|biome|ava)\.config\.[a-z]+|\.?(?:mocharc|eslintrc|oxlintrc|stylelintrc|nycrc|biome)[^/]*|tsconfig[^/]*\.json|pytest\.ini|pyproject\.toml|setup\.cfg|tox\.ini|conftest\.py|mypy\.ini|\.flake8|\.eslintignore|\.prettierignore|ruff\.toml|biome\.json|\.npmrc|Cargo\.toml)$/i;

const CASES =
  /\b(?:test|it|specify|bench)(?:\.(?:each|concurrent|sequential|only|for))*\s*[(`]|\bdef test_|\bfunc Test\w|#\[(?:\w+::)?test\]|@Test\b|^\s*(?:test|it) ['"]/gm;
const ASSERTIONS =
  /\bassert\w*(?:\.\w+)*\s*\(|^\s*assert\s|\bexpect\s*\(|\bt\.(?:is|true|deepEqual|Error|Fatal|equal)\w*\(|\bassert\w*!/gm;
const SKIPS =
  /\.(?:skip|todo|only|skipIf|runIf|failing|fails)\b|\b[xf](?:it|describe|test)\s*\(|@(?:pytest\.mark\.|unittest\.)?(?:skip\w*|xfail|Disabled|Ignore)|\bpytest\.(?:skip|xfail|exit)\b|\bt\.Skip|\bskipTest\(|#\[ignore|\bprocess\.exit(?:Code)?\b|\bsys\.exit|\bos\._exit|\b(?:skip|todo): *(?:true|['"`])|\bassert(?:\.ok)?\(\s*(?:true|1)\s*\)|\bexpect\(\s*true\s*\)|\bassert True\b|^\s*exit 0|\|\| *true\b/gm;
/** The same in JavaScript, where the tests are parsed: what ends a test, or leaves out the others. */
const JAVASCRIPT_SKIPS =
  /\b(?:t|ctx|context|this)\.(?:skip|todo)\(|\b(?:test|it|describe|suite|context)\.only\b|\bf(?:it|describe)\s*\(|\bprocess\.exit\((?!\s*[1-9])|\bprocess\.exitCode\s*=\s*0|\bonly: *true/gm;
const TYPES = /@ts-(?:ignore|nocheck|expect-error)|#\s*type:\s*ignore|#\s*mypy:\s*ignore|#\s*pyright:\s*ignore/g;
const LINTS =
  /(?:eslint|oxlint|stylelint|tslint|rubocop|pylint|shellcheck):?[- ]disable|biome-ignore|prettier-ignore|#\s*noqa|#\[allow\(|\/\/\s*nolint/g;
/** A source that imports a framework for tests is a test under any name. */
const FRAMEWORK =
  /(?:\bfrom\s*|\brequire\(\s*|\bimport\s*)['"](?:node:test|vitest|mocha|ava|tape|tap|uvu|bun:test|@jest\/globals|@playwright\/test)['"]|^\s*(?:import|from) (?:unittest|pytest)\b/m;
/** Sources that tests share, if they import a library for assertions. */
const SUPPORT =
  /(?:^|[/._-])(?:assert\w*|expect\w*|fixtures?|harness|helpers?|support|testing|test-?utils?)(?=[/._-])/i;
const ASSERTION_MODULE = /['"](?:node:)?(?:assert(?:\/strict)?|chai|expect)['"]/;
/** Settings that narrow a check. */
const NARROWS =
  /exclude|ignore|skip|deselect|include|testMatch|testRegex|\bfiles\b|\btests?\b|spec|passWithNoTests|noEmitOnError|noCheck|skipLibCheck|strict|\boff\b|['"]?warn|: *0\b|addopts|markers|script-shell|setupFiles|globalSetup|reporters?\b|\brequire\b|testEnvironment|\brunner\b|allowJs|checkJs|collect|exit|globals/i;

const count = (text: string | null, pattern: RegExp): number =>
  text === null ? 0 : countMatches(withoutComments(text), pattern);

export function countMatches(text: string | null, pattern: RegExp): number {
  return text === null ? 0 : [...text.matchAll(pattern)].length;
}

function withoutComments(text: string): string {
  return text
    .replace(/\/\*[^]*?\*\//g, '')
    .replace(/^\s*(?:\/\/|#(?!\[)).*$/gm, '')
    .replace(/"""[^]*?"""|'''[^]*?'''/g, '');
}

/** @param run Paths of the files that the checks of the run name as tests. Default: none. */
export async function findWeakenings(
  files: readonly ChangedFile[],
  run: ReadonlySet<string> = new Set(),
): Promise<Weakening[]> {
  const isTest = ({ path, before }: ChangedFile): boolean =>
    TEST_FILE.test(path) ||
    run.has(path) ||
    (/\.(?:[cm]?[jt]sx?|py)$/.test(path) &&
      (FRAMEWORK.test(before ?? '') || (SUPPORT.test(path) && ASSERTION_MODULE.test(before ?? ''))));
  return [
    ...(await findTests(files.filter(isTest))),
    ...findReplaced(files),
    ...findSuppressions(files, { pattern: TYPES, kind: 'types', what: 'type errors are silenced' }),
    ...findSuppressions(files, { pattern: LINTS, kind: 'lint', what: 'complaints are silenced' }),
    ...findSetupChanges(files, 'run'),
  ];
}

/** Changes of configurations, scripts, files that are checks, and installed programs. */
export function findSetupChanges(files: readonly ChangedFile[], since: Since): Weakening[] {
  return [
    ...findConfigs(files, since),
    ...findScripts(files, since),
    ...findRunFiles(files, since),
    ...findPrograms(files, since),
  ];
}

/** True for the configuration of a check. */
export function isConfigFile(path: string): boolean {
  return CONFIG.test(path) || /(?:^|\/)(?:GNU)?makefile$/i.test(path);
}

/** True for a file whose text shows whether a check was weakened. */
export function isCheckFile(path: string): boolean {
  if (/(?:^|\/)node_modules\//.test(path)) return /(?:^|\/)node_modules\/\.bin\/[^/]+$/.test(path);
  return (
    TEST_FILE.test(path) ||
    CONFIG.test(path) ||
    /(?:^|\/)(?:package\.json|(?:GNU)?makefile)$/i.test(path) ||
    /\.(?:[cm]?[jt]sx?|py|go|rs|rb|sh|bash|css|vue|svelte)$/.test(path)
  );
}

const hasKind = (row: Evidence, kinds: readonly CheckKind[]): boolean =>
  row.checks === undefined || row.checks.some(({ kind }) => kinds.includes(kind));

async function findTests(files: readonly ChangedFile[]): Promise<Weakening[]> {
  const sum = (side: 'before' | 'after', pattern: RegExp): number =>
    files.reduce((total, file) => total + count(file[side], pattern), 0);
  const weakens = (row: Evidence): boolean => hasKind(row, ['test', 'other']);
  const names = list(files.filter(({ before }) => before !== null).map(({ path }) => path));
  const parsed = await findLostAssertions(files);
  const skips = (side: 'before' | 'after'): number =>
    files.reduce((total, file) => total + count(file[side], parsed.paths.has(file.path) ? JAVASCRIPT_SKIPS : SKIPS), 0);
  if (parsed.skipped.length > 0 || skips('after') > skips('before'))
    return [{ reason: `tests were skipped or emptied in this run (${list(files.map(({ path }) => path))})`, weakens }];
  const cases = sum('before', CASES) - sum('after', CASES);
  if (cases > 0)
    return [
      { reason: `${cases} ${cases === 1 ? 'test is' : 'tests are'} gone since the run began (${names})`, weakens },
    ];
  const others = files.filter(({ path }) => !parsed.paths.has(path));
  const live = (side: 'before' | 'after'): number =>
    others.reduce((total, file) => total + countLiveAssertions(file[side] ?? '', file.path), parsed[side]);
  const assertions = live('before') - live('after');
  if (assertions > 0)
    return [{ reason: `tests assert less than when the run began (${names}: ${assertions} fewer)`, weakens }];
  if (parsed.emptied.length > 0)
    return [{ reason: `tests assert less than when the run began (${list(parsed.emptied)})`, weakens }];
  return [];
}

/** Sources, also of the product, that replace assertions or the exit of a test run. */
function findReplaced(files: readonly ChangedFile[]): Weakening[] {
  const more = files.filter(({ before, after }) => countReplacedAssertions(after) > countReplacedAssertions(before));
  if (more.length === 0) return [];
  const weakens = (row: Evidence): boolean => hasKind(row, ['test', 'other']);
  const reason = `assertions or the exit of the tests are replaced since the run began (${list(more.map(({ path }) => path))})`;
  return [{ reason, weakens }];
}

function findSuppressions(
  files: readonly ChangedFile[],
  { pattern, kind, what }: { pattern: RegExp; kind: CheckKind; what: string },
): Weakening[] {
  const more = files.filter(({ before, after }) => countMatches(after, pattern) > countMatches(before, pattern));
  if (more.length === 0) return [];
  const weakens = (row: Evidence): boolean => hasKind(row, [kind]);
  return [{ reason: `${what} since the run began (${list(more.map(({ path }) => path))})`, weakens }];
}

/** Existing configurations with a change in a line that narrows a check. */
function findConfigs(files: readonly ChangedFile[], since: Since): Weakening[] {
  const narrowing = (text: string | null): string =>
    (text ?? '')
      .split('\n')
      .map((line) => line.trim())
      .filter((line) => NARROWS.test(line))
      .toSorted()
      .join('\n');
  const changed = files.filter(
    ({ path, before, after, isCreated }) => CONFIG.test(path) && !isCreated && narrowing(before) !== narrowing(after),
  );
  return changed.map(({ path }) => ({
    reason: `${path}, which says what is checked, was changed in this ${since}`,
    weakens: (row) => hasKind(row, toKinds(path)),
  }));
}

function toKinds(path: string): CheckKind[] {
  if (/tsconfig|mypy/.test(path)) return ['types', 'build'];
  if (/eslint|oxlint|stylelint|biome|flake8|ruff/.test(path)) return ['lint', 'format'];
  if (/prettier/.test(path)) return ['format'];
  if (/npmrc|pyproject|setup\.cfg|tox|Cargo/.test(path)) return ['test', 'types', 'lint', 'format', 'build', 'other'];
  return ['test', 'other'];
}

function findScripts(files: readonly ChangedFile[], since: Since): Weakening[] {
  return files.flatMap(({ path, before, after }) => {
    if (!/(?:^|\/)package\.json$/.test(path) || before === null) return [];
    const was = toScripts(before);
    const is = toScripts(after ?? '{}');
    const names = Object.keys(was).filter((name) => was[name] !== is[name]);
    return names.flatMap((name): Weakening[] => {
      const earlier = readChecks(was[name]!, { scriptsOf: () => was });
      const later = is[name] === undefined ? undefined : readChecks(is[name], { scriptsOf: () => is });
      const isKept =
        earlier &&
        later &&
        later.doubt === undefined &&
        toLoads(later.checks).every((loaded) => toLoads(earlier.checks).includes(loaded)) &&
        covers({ command: 'later', exitCode: 0, ...later }, { command: 'earlier', exitCode: 0, ...earlier });
      if (isKept) return [];
      const reason = `the script ${name} was changed in this ${since}, from "${headOf(was[name]!, 80)}" to "${headOf(is[name] ?? '', 80)}"`;
      return [{ reason, weakens: ranScript(is, name) }];
    });
  });
}

/** What checks load, without reporters and environments that their runner brings. */
function toLoads(checks: readonly Check[]): string[] {
  return checks.flatMap(({ loads = [] }) => loads).filter((loaded) => !/^[a-z][a-z-]*$/.test(loaded));
}

/** Rows that ran a script, by itself or through another. */
function ranScript(scripts: Readonly<Record<string, string>>, name: string): (row: Evidence) => boolean {
  const through = Object.keys(scripts).filter((other) => scripts[other]!.includes(name));
  return ({ checks = [] }) =>
    checks.some(({ script }) => script === name || (script !== undefined && through.includes(script)));
}

function toScripts(text: string): Record<string, string> {
  const scripts = toObject(readObject(text)['scripts']);
  return Object.fromEntries(
    Object.entries(scripts).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
  );
}

/** The object in a JSON file; an empty one for any other text. */
export function readObject(text: string): Record<string, unknown> {
  try {
    return toObject(JSON.parse(text));
  } catch {
    return {};
  }
}

export function toObject(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}

/** A file that is itself the check, such as `run-tests.sh` or what a script of package.json runs. */
function findRunFiles(files: readonly ChangedFile[], since: Since): Weakening[] {
  return files.flatMap(({ path, before, after, isCreated }): Weakening[] => {
    if (after === null) return [];
    const verb = isCreated ? 'was written' : 'was changed';
    const reason = `${path}, which the check runs, ${verb} in this ${since}`;
    const loaded = {
      reason,
      weakens: ({ checks = [] }: Evidence) =>
        checks.some((check) => (isCreated || !CONFIG.test(path)) && isLoaded(check, path)),
    };
    const asserts = count(after, CASES) + count(after, ASSERTIONS);
    const isTest = TEST_FILE.test(path);
    // A file that was written in the run and asserts something is an ordinary test.
    if ((isCreated || isTest) && asserts > 0 && asserts >= count(before, CASES) + count(before, ASSERTIONS))
      return [loaded];
    const weakens = ({ checks = [], command }: Evidence): boolean =>
      checks.some((check) => {
        if (check.runner === 'file')
          return check.paths.some((run) => foldPath([check.cwd, run].filter(Boolean).join('/')) === foldPath(path));
        if (check.runner === 'make') return /(?:^|\/)(?:GNU)?[mM]akefile$/.test(path);
        return false;
      }) ||
      (checks.some(({ runner }) => runner.startsWith('script ')) && isScriptFile(path) && command !== '');
    return [{ reason, weakens: (row) => weakens(row) || loaded.weakens(row) }];
  });
}

/** True for a file that an option of a check names as code. */
function isLoaded({ loads = [], cwd }: Check, path: string): boolean {
  return loads.some((loaded) => {
    const full = foldPath([cwd, loaded].filter(Boolean).join('/'));
    return full === foldPath(path) || full === foldPath(path.replace(/\.[^./]+$/, ''));
  });
}

/** Files that scripts probably run, if the scripts cannot be parsed. */
function isScriptFile(path: string): boolean {
  return /\.(?:sh|bash)$|(?:^|\/)(?:scripts?|tools?|bin)\/[^/]+$|(?:^|\/)(?:GNU)?[mM]akefile$|(?:^|[/._-])(?:check|verify|lint|build|test|tests)\.[cm]?[jt]s$/.test(
    path,
  );
}

function findPrograms(files: readonly ChangedFile[], since: Since): Weakening[] {
  const isInstalled = files.some(({ path }) => /(?:^|\/)node_modules\/(?!\.)/.test(path));
  return files.flatMap(({ path, isCreated }): Weakening[] => {
    const name = /(?:^|\/)node_modules\/\.bin\/([^/]+)$/.exec(path)?.[1];
    if (name === undefined || (isCreated && isInstalled)) return [];
    return [
      {
        reason: `${path}, a program that checks run, was changed in this ${since}`,
        weakens: () => true,
        suspect: path,
      },
    ];
  });
}

function list(paths: readonly string[]): string {
  return paths.length > 3 ? `${paths.slice(0, 3).join(', ')} and ${paths.length - 3} more` : paths.join(', ');
}
