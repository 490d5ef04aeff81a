import { isBelow } from '../path.ts';
import { toLanguage } from '../shell/programs/interpreters.ts';
import { readOptions } from '../shell/programs/options.ts';
import { evaluateCommand, type EvaluateOptions } from '../shell/interpreter/evaluate-command.ts';
import type { SimpleCommand } from '../shell/evaluation.ts';
import { resolvePath } from '../shell/expansion/resolve-path.ts';
import { SHELLS } from '../shell/programs/shells.ts';
import { hasGlob, isDynamic, isKnown, type Word } from '../shell/expansion/word.ts';
import { toLoaded, toNamedInterpreter, toProgramFiles, toProgramPaths } from './loaded-files.ts';
import { BUILD_FILES, CODE_OPTIONS, FILE_RUNNERS, FOLDER_OPTIONS } from './build-files.ts';

export interface ScriptUse {
  /** Absolute paths of files that can be run, whether they exist or not. */
  files: ReadonlySet<string>;
  /** Folders from which a package manager looks upwards for a package.json, with the script that it runs. */
  packages: readonly { folder: string; script: string }[];
  /** False when a file that is run is only known at run time. */
  isComplete: boolean;
  /** False if the line, or a script that it runs, could not be evaluated completely. */
  isReadable: boolean;
}

const PACKAGE_MANAGERS = /^(?:npm|pnpm|yarn|bun|npx|bunx)$/;
/** Files that a package manager reads in addition to the package file. */
const CONFIGURATION = ['.npmrc', '.yarnrc', '.yarnrc.yml', 'pnpm-workspace.yaml', 'bunfig.toml'];
const RUNS_BINARY = /^(?:npx|bunx|npm exec|npm x|pnpm|yarn|bun)/;
const ENTRIES: Readonly<Record<string, readonly string[]>> = {
  python: ['/__main__.py'],
  node: ['.js', '/index.js', '/index.mjs', '/package.json'],
};
/** Longer words are text, not paths. */
const LONGEST_PATH = 1_024;

/**
 * Finds the script files of a command line: arguments of interpreters, sourced files, programs of the workspace,
 * files of build tools and scripts of package.json.
 *
 * @param options.files Contents of files by absolute path: shell scripts and makefiles among them are evaluated.
 */
export function findScripts(line: string, options: EvaluateOptions): ScriptUse {
  const evaluation = evaluateCommand(line, options);
  const files = new Set<string>();
  const packages: { folder: string; script: string }[] = [];
  let isComplete = true;
  const add = (word: Word, cwds: readonly string[]): void => {
    if (word === '' || word.length > LONGEST_PATH || word.includes('\n')) return;
    if (!isKnown(word)) isComplete = false;
    else for (const cwd of cwds) files.add(resolvePath(word, cwd));
  };
  // A keyword in bash, and a program in a POSIX shell.
  if (/\btime\b/.test(line)) for (const file of toProgramPaths('time')) add(file, [options.workspace]);
  // If a shell runs the output of other commands, the files that they read are code.
  const isFed = evaluation.problems.some(({ rule }) => rule === 'downloaded' || rule === 'dynamic');
  for (const command of evaluation.commands) {
    const { cwds, name, argv } = command;
    const program = argv[0] ?? '';
    if (program.includes('/') && (isDynamic(program) || hasGlob(program) || !isSystemPath(program))) add(program, cwds);
    for (const file of toProgramFiles(command)) add(file, [options.workspace]);
    const loaded = toLoaded(command);
    if (!loaded.isComplete) isComplete = false;
    for (const word of loaded.words) add(word, cwds);
    for (const folder of toSearchPath(evaluation.commands)) add(`${folder}/${name}`, cwds);
    if (command.via.some((via) => RUNS_BINARY.test(via))) add(`node_modules/.bin/${name}`, cwds);
    if (PACKAGE_MANAGERS.test(name)) {
      packages.push(...toPackages(command));
      // It sets the shell of the scripts.
      for (const file of CONFIGURATION) add(file, [options.workspace, ...cwds]);
    }
    // Modules are found in the folder of inline code, and on the search path of the line.
    for (const { text } of command.code)
      if (isKnown(text))
        for (const file of toIncludes(text))
          for (const folder of ['.', ...loaded.words]) add(`${folder}/${file}`, cwds);
    for (const file of toBuildFiles(command)) add(file, cwds);
    if (isFed || runsFiles(name)) for (const word of toFileWords(command, isFed)) add(word, cwds);
  }
  for (const [path, text] of options.files ?? [])
    if (files.has(path)) {
      for (const file of toIncludes(text)) add(file, [path.replace(/\/[^/]*$/, '')]);
      for (const file of toNamedInterpreter(text)) add(file, [options.workspace]);
    }
  const isReadable = evaluation.problems.every(({ rule }) => rule !== 'unreadable' && rule !== 'fork-bomb');
  return { files, packages, isComplete, isReadable };
}

/** True for a system program: no command can change it. */
export function isSystemPath(path: string): boolean {
  return ['/usr', '/bin', '/sbin', '/lib', '/lib64', '/opt', '/nix', '/dev', '/proc', '/etc'].some((folder) =>
    isBelow(path, folder),
  );
}

function runsFiles(name: string): boolean {
  return SHELLS.has(name) || FILE_RUNNERS.has(name) || toLanguage(name) !== undefined || name in BUILD_FILES;
}

/** The arguments of an interpreter that can be code files. */
function toFileWords({ name, argv, redirects, code }: SimpleCommand, isFed: boolean): Word[] {
  const inline = new Set(code.map(({ text }) => text));
  const args = argv.slice(1).filter((arg) => !inline.has(arg));
  const input = redirects.filter(({ operator }) => operator === '<').map(({ target }) => target);
  const options = CODE_OPTIONS[toLanguage(name) ?? ''];
  if (options && !isFed) {
    const values = args.flatMap((arg, at) => {
      const joined = /^(--?[\w-]+)=([^]+)$/.exec(arg) ?? /^(-\w)([^]+)$/.exec(arg);
      if (options.test(args[at - 1] ?? '')) return [arg];
      return joined && options.test(joined[1] ?? '') ? [joined[2] ?? ''] : [];
    });
    return toLanguage(name) === 'sqlite' || toLanguage(name) === 'gdb' ? [...values, ...input] : values;
  }
  const module = args.findIndex((arg) => arg === '-m');
  const modules = module >= 0 ? args.slice(module + 1).flatMap(toModuleFiles) : [];
  const words = args.flatMap(toCandidates);
  // An interpreter runs the main file of a folder.
  const entries = ENTRIES[toLanguage(name) ?? ''] ?? [];
  return [...words.flatMap((word) => [word, ...entries.map((entry) => word + entry)]), ...modules, ...input];
}

/** The paths in a word: the word, and the value after an option's name. */
function toCandidates(word: Word): Word[] {
  if (/^[-+]/.test(word)) {
    const long = /^--?[\w-]+=([^]+)$/.exec(word)?.[1];
    if (long !== undefined) return [long];
    return word.length > 2 && !word.startsWith('--') ? [word.slice(2)] : [];
  }
  return [word];
}

function toModuleFiles(module: Word): Word[] {
  if (!/^[\w.]+$/.test(module)) return [];
  const path = module.replaceAll('.', '/');
  return [`${path}.py`, `${path}/__main__.py`, `${path}/__init__.py`, `src/${path}.py`, `src/${path}/__main__.py`];
}

function toBuildFiles({ name, argv }: SimpleCommand): Word[] {
  const names = Object.hasOwn(BUILD_FILES, name) ? (BUILD_FILES[name] ?? []) : [];
  if (names.length === 0) return [];
  const { all } = readOptions(argv.slice(1), FOLDER_OPTIONS);
  return ['.', ...all.map(({ value }) => value)].flatMap((folder) => names.map((file) => `${folder}/${file}`));
}

function toPackages({ name, argv, cwds }: SimpleCommand): { folder: string; script: string }[] {
  const { rest, all } = readOptions(argv.slice(1), [
    ...FOLDER_OPTIONS.filter((option) => option !== '-d'),
    ...['-w', '--workspace', '--filter', '-F', '--script-shell', '--loglevel'],
  ]);
  const [first = 'start', second = ''] = rest;
  const isRun = /^(?:run|run-script|rum|urn|workspace|workspaces)$/.test(first);
  const script = isRun ? second : name === 'npm' && /^(?:t|tst)$/.test(first) ? 'test' : first;
  const folders = [
    '.',
    ...all.filter(({ flag }) => !/^--?(?:script-shell|loglevel)$/.test(flag)).map(({ value }) => value),
  ];
  return cwds.flatMap((cwd) => folders.filter(isKnown).map((folder) => ({ folder: resolvePath(folder, cwd), script })));
}

/** Folders of the workspace that the line puts on the search path. */
function toSearchPath(commands: readonly SimpleCommand[]): Word[] {
  return commands
    .flatMap(({ assignments }) => assignments.filter(({ name }) => name === 'PATH'))
    .flatMap(({ value }) => value.split(':'))
    .filter((folder) => isKnown(folder) && folder !== '' && !isSystemPath(folder));
}

/** Files that a makefile includes and modules that a script imports by a relative path. */
function toIncludes(text: string): string[] {
  const out: string[] = [];
  for (const match of text.matchAll(/^-?s?include[ \t]+(.+)$/gm)) out.push(...(match[1] ?? '').split(/\s+/));
  for (const match of text.matchAll(
    /(?:\bfrom|\bimport|\brequire(?:_relative)?)\s*\(?\s*['"](\.{0,2}[\w./@-]+)['"]|\bdofile\s*\(?\s*['"]([\w./-]+)['"]/g,
  )) {
    const path = match[1] ?? match[2] ?? '';
    for (const end of ['', '.js', '.ts', '.mjs', '.cjs', '.rb', '.lua', '.json', '/index.js', '/index.ts'])
      out.push(path + end);
  }
  for (const match of text.matchAll(/^\s*(?:from\s+\.*([\w.]+)\s+import\s+([\w, ]+)|import\s+([\w., ]+))/gm)) {
    const from = match[1];
    const names = (match[3] ?? '').split(',').map((name) => name.trim().split(/\s/)[0] ?? '');
    const nested = (match[2] ?? '').split(',').map((name) => `${from}.${name.trim()}`);
    for (const name of from === undefined ? names : [from, ...nested]) out.push(...toModuleFiles(name));
  }
  return out.filter((path) => !path.includes('$') && path !== '');
}
