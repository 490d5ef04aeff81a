import type { Evidence } from '../../protocol/index.ts';
import type { ChangedFile } from './changed-file.ts';
import { countMatches, findSetupChanges, readObject, toObject, type Weakening } from './find-weakenings.ts';

/** Settings by which a package manager or a runner starts another program or loads code. */
const EXECUTES =
  /script-?shell|node-?options|ignore-?scripts|prefix|userconfig|globalconfig|shell-?emulator|pre-?post|modules-?dir|bin-links|yarn-?path|plugins?\b|preload|\brun\b|\btest\b|NODE_OPTIONS|BASH_ENV|\bPATH\b|LD_|PYTHON|PERL5|RUBYOPT|_OPTS\b|ADDOPTS|\bnode-version\b/i;
/** Files in which only such lines count. */
const SETTINGS =
  /(?:^|\/)(?:\.npmrc|\.yarnrc|\.yarnrc\.yml|\.?bunfig\.toml|pnpm-workspace\.yaml|\.env(?:\.[\w.-]+)?|\.envrc|mise\.toml|\.mise\.toml|\.tool-versions|\.nvmrc)$/i;
/** Code that a package manager or an interpreter loads without a request. */
const LOADED =
  /(?:^|\/)(?:\.?pnpmfile\.[cm]?js|\.yarn\/(?:releases|plugins)\/[^/]+|(?:site|user)customize(?:\.py|\/__init__\.py))$/i;
/** Configuration of pytest that affects results. */
const DECIDES =
  /os\._exit|sys\.exit|\batexit\b|\.outcome\b|exitstatus|pytest_(?:runtest|sessionfinish|collection_modifyitems|ignore_collect|pyfunc|cmdline|report|exit)\w*|collect_ignore|setattr\(/g;
/** System programs, which a project does not install. */
const BASE =
  /^(?:node|npm|npx|corepack|sh|bash|dash|zsh|env|make|python[\d.]*|pytest|perl|prove|ruby|git|go|cargo|java|mvn|gradle|timeout|cat|tee|time)$/;
/** Modules of Python that a file of the same name in the working folder replaces for `python -m`. */
const MODULES =
  /^(?:_?pytest|pluggy|iniconfig|unittest|doctest|coverage|mypy|ruff|flake8|pylint|nose2|tox|abc|argparse|ast|asyncio|atexit|bdb|cmd|code|codecs|collections|contextlib|copy|dataclasses|difflib|dis|enum|errno|fnmatch|functools|gc|getopt|glob|hashlib|importlib|inspect|io|itertools|json|keyword|linecache|locale|logging|operator|os|pathlib|pdb|pickle|platform|posixpath|pprint|py|random|re|runpy|shlex|shutil|signal|site|socket|stat|string|struct|subprocess|sys|tempfile|textwrap|threading|time|token|tokenize|tomllib|traceback|types|typing|uuid|warnings|weakref|xml|zipfile|zipimport)(?:\.py|\/__init__\.py)$/;
/** Sections of package.json that configure a runner. */
const SECTIONS = ['jest', 'vitest', 'mocha', 'ava', 'tap', 'c8', 'nyc', 'eslintConfig', 'imports'];
/** Packages whose program has another name. */
const PACKAGES: Readonly<Record<string, readonly string[]>> = {
  tsc: ['typescript'],
  playwright: ['@playwright/test', 'playwright-core'],
  vitest: ['@vitest/runner', '@vitest/expect', '@vitest/snapshot', 'vite', 'chai'],
  jest: ['@jest/core', 'jest-cli', 'jest-circus', 'jest-runner', 'expect'],
  mocha: ['chai'],
};

/** Edited files of named packages. */
const MAX_EDITED = 100;

/** True for a file, other than the checked ones, on which the exit code of a check depends. */
export function isEnvironmentFile(path: string): boolean {
  return (
    SETTINGS.test(path) ||
    LOADED.test(path) ||
    MODULES.test(path) ||
    /(?:^|\/)node_modules\/(?!\.(?!bin\/))/.test(path) ||
    /\.pth$|(?:^|\/)(?:GNUmakefile|conftest\.py|pyvenv\.cfg|package\.json)$/i.test(path)
  );
}

/**
 * Changes since the session began by which a check may run other programs, or load other code, than before.
 *
 * @param files The differences between the beginning of the session and a state before or after a check.
 */
export function findEnvironmentChanges(files: readonly ChangedFile[]): Weakening[] {
  return [
    ...files.flatMap((file) => findSetting(file, files)),
    ...files.flatMap(findHooks),
    ...findPackages(files),
    ...findSetupChanges(files, 'session'),
  ];
}

function toChange(path: string, what: string, more: Partial<Weakening> = {}): Weakening {
  return { reason: `${path}, ${what}, was changed in this session`, weakens: () => true, ...more };
}

function findSetting(file: ChangedFile, files: readonly ChangedFile[]): Weakening[] {
  const { path, before, after, isCreated } = file;
  const lines = (text: string | null): string =>
    (text ?? '')
      .split('\n')
      .filter((line) => EXECUTES.test(line) && !/^\s*[#;]/.test(line))
      .join('\n');
  const found = (what: string, isHidden = true): Weakening[] => [
    toChange(path, what, isHidden ? { suspect: path } : {}),
  ];
  if (/(?:^|\/)node_modules\//.test(path)) return [];
  if (SETTINGS.test(path) && lines(before) !== lines(after)) return found('which says what programs run', false);
  if (LOADED.test(path)) return found('which is loaded by itself');
  if (isCreated && MODULES.test(path)) return found('which takes the place of a module that checks load');
  if (path.endsWith('.pth') && /^\s*import\b/m.test(after ?? '') && !isNewEnvironment(path, files))
    return found('which Python runs at every start');
  if (/(?:^|\/)conftest\.py$/.test(path) && countMatches(after, DECIDES) > countMatches(before, DECIDES))
    return found('which decides about the results of tests', isCreated);
  if (isCreated && /(?:^|\/)GNUmakefile$/.test(path)) return found('which make prefers to the Makefile');
  return [];
}

/** True for a file of a virtual environment that this session created. */
function isNewEnvironment(path: string, files: readonly ChangedFile[]): boolean {
  return files.some(
    (file) =>
      file.isCreated && file.path.endsWith('pyvenv.cfg') && path.startsWith(file.path.slice(0, -'pyvenv.cfg'.length)),
  );
}

/** Scripts that npm runs around another one, and sections that configure a runner. */
function findHooks({ path, before, after }: ChangedFile): Weakening[] {
  if (!/^(?:(?!node_modules\/).)*package\.json$/i.test(path) || before === null) return [];
  const [was, is] = [readObject(before), readObject(after ?? '{}')];
  const [old, scripts] = [toObject(was['scripts']), toObject(is['scripts'])];
  const hooks = Object.keys(scripts).filter((name) => /^(?:pre|post)./.test(name) && scripts[name] !== old[name]);
  const section = SECTIONS.find((name) => JSON.stringify(was[name]) !== JSON.stringify(is[name]));
  return [
    ...hooks.map((name): Weakening => ({
      reason: `the script ${name} was changed in this session`,
      weakens: ({ checks = [] }) => checks.some(({ script }) => script === name.replace(/^(?:pre|post)/, '')),
    })),
    ...(section === undefined ? [] : [toChange(`${section} in ${path}`, 'which configures a runner')]),
  ];
}

/** Edited files of installed packages, and programs that replace system programs. */
function findPackages(files: readonly ChangedFile[]): Weakening[] {
  const changed = files.flatMap((file) => {
    const [, root = '', name] = /^((?:.*\/)?node_modules\/)((?:@[^/]+\/)?[^/.@][^/]*)\//.exec(file.path) ?? [];
    return name === undefined ? [] : [{ file, root, name }];
  });
  const manifests = new Map(files.map((file) => [file.path, file]));
  const edited = changed.filter(
    ({ file, root, name }) => !file.isCreated && !file.isDeleted && !manifests.has(`${root}${name}/package.json`),
  );
  const planted = files.flatMap(({ path }) => {
    const name = /(?:^|\/)node_modules\/\.bin\/([^/]+)$/.exec(path)?.[1];
    return name !== undefined && BASE.test(name) ? [path] : [];
  });
  const isNew = (root: string, name: string): boolean =>
    manifests.get(`${root}${name}/package.json`)?.isCreated === true;
  return [
    ...edited
      .slice(0, MAX_EDITED)
      .map(({ file: { path } }) => toChange(path, 'a part of an installed package', { suspect: path })),
    ...planted.map((path) => ({
      reason: `${path} takes the place of a program in this session`,
      weakens: () => true,
      suspect: path,
    })),
    ...changed
      .filter(({ root, name }) => !isNew(root, name))
      .map(({ file, name }) =>
        toChange(file.path, 'a part of what the check runs', { weakens: (row) => toPackages(row).has(name) }),
      ),
  ];
}

function toPackages({ checks = [] }: Evidence): Set<string> {
  return new Set(checks.flatMap(({ runner }) => [runner, ...(PACKAGES[runner] ?? [])]));
}
