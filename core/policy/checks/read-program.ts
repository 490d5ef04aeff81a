import { headOf } from '../../protocol/text/cut-text.ts';
import type { Check } from '../../protocol/index.ts';
import { singleQuote } from '../../protocol/quote-shell-word.ts';
import { isMainScript } from './covers.ts';
import { readRunner, toPlainPath } from './read-runner.ts';
import { toNamedKind } from './runners.ts';
import { forNames, toList, toSet } from '../word-list.ts';

/** The doubt about a check that is followed by another action. */
export const ACTED_LATER = 'something ran after it in the same command, and may have changed files';

export interface ReadProgram {
  checks: Check[];
  doubt?: string;
  acts: boolean;
}

export interface ProgramOptions {
  /** Relative to the workspace. */
  cwd: string;
  scriptsOf: (folder: string) => Readonly<Record<string, string>> | undefined;
  /** Reads shell text that the program runs. */
  readText: (text: string, options?: { cwd?: string; errexit?: boolean; pipefail?: boolean }) => ReadProgram;
}

/** Programs that run another program and return its exit code; with the options that take a value. */
const WRAPPERS: Readonly<Record<string, { valued?: string; skip?: number }>> = {
  ...forNames('cross-env command exec nohup pnpx bunx', {}),
  env: { valued: '-u --unset -C' },
  nice: { valued: '-n --adjustment' },
  ionice: { valued: '-c -n' },
  time: { valued: '-f -o' },
  timeout: { valued: '-s -k --signal --kill-after', skip: 1 },
  stdbuf: { valued: '-i -o -e' },
  'xvfb-run': { valued: '-s -n -e' },
  npx: { valued: '-p --package' },
  dotenv: { valued: '-e' },
  c8: { valued: '-r --reporter -o --reports-dir --include --exclude' },
  nyc: { valued: '-r --reporter --include --exclude' },
};
/** Package managers of other languages: `uv run pytest`. */
const RUN = new Set(['uv', 'poetry', 'pipenv', 'pdm', 'hatch', 'rye', 'mise', 'dotenvx', 'bundle']);
const SHELLS = new Set(['sh', 'bash', 'dash', 'zsh', 'ash', 'ksh']);
const MANAGERS = new Set(['npm', 'pnpm', 'yarn', 'bun']);
const JS = /^(?:node|nodejs|tsx|ts-node|bun|deno)$/;
const PYTHON = /^python[\d.]*$/;

/** Reads one program call. Undefined if it is not a check. */
export function readProgram(argv: readonly string[], options: ProgramOptions): ReadProgram | undefined {
  const [word = '', ...args] = argv;
  const name = toProgramName(word);
  if (name === undefined) return readFile(word, args, options);
  if (SHELLS.has(name)) return readShell(args, options);
  const rest = unwrap(name, args);
  if (rest) return rest.length === 0 ? undefined : readProgram(rest, options);
  if (MANAGERS.has(name)) {
    const script = readManager(name, args, options);
    if (script) return script;
  }
  if (PYTHON.test(name)) return readPython(args, options);
  if (JS.test(name) && args.includes('--test')) {
    const others = args.filter((arg) => arg !== '--test');
    return toFound(readRunner('node --test', others, options.cwd));
  }
  if (name === 'coverage' && args[0] === 'run') return readPython(args.slice(1), options);
  const read = readRunner(name === 'gradlew' ? 'gradle' : name === 'mvnw' ? 'mvn' : name, args, options.cwd);
  if (read) return toFound(read);
  return JS.test(name) ? readInterpreted(args, options) : undefined;
}

function toFound(read: ReturnType<typeof readRunner>): ReadProgram | undefined {
  return read && { checks: [read.check], doubt: read.doubt, acts: false };
}

/** The name of a program on the PATH or of one that the project installed; undefined for any other file. */
function toProgramName(word: string): string | undefined {
  if (!word.includes('/')) return word;
  const name = word.slice(word.lastIndexOf('/') + 1);
  if (
    /(?:^|\/)node_modules\/\.bin\/[^/]+$|^(?:\/usr(?:\/local)?)?\/bin\/[^/]+$|(?:^|\/)\.?v?env\/bin\/[^/]+$/.test(word)
  )
    return name;
  return /^\.\/(?:gradlew|mvnw)$/.test(word) ? name : undefined;
}

/** The words after a wrapper; undefined for other programs. */
function unwrap(name: string, args: readonly string[]): readonly string[] | undefined {
  if (RUN.has(name)) {
    const at = args.indexOf(name === 'bundle' || name === 'mise' ? 'exec' : 'run');
    return at < 0 ? [] : args.slice(at + 1).filter((arg, index) => !(index === 0 && arg === '--'));
  }
  const wrapper = Object.hasOwn(WRAPPERS, name) ? WRAPPERS[name] : undefined;
  if (!wrapper) return undefined;
  const valued = toList(wrapper.valued);
  let skip = wrapper.skip ?? 0;
  for (let at = 0; at < args.length; at++) {
    const arg = args[at]!;
    if (arg === '--') return args.slice(at + 1);
    if (valued.includes(arg)) at++;
    else if (arg.startsWith('-') || /^\w+=/.test(arg)) continue;
    else if (skip > 0) skip--;
    else return args.slice(at);
  }
  return [];
}

function readShell(args: readonly string[], options: ProgramOptions): ReadProgram | undefined {
  let errexit = false;
  let pipefail = false;
  let isText = false;
  for (let at = 0; at < args.length; at++) {
    const arg = args[at]!;
    if (arg === '-o' || arg === '+o') pipefail = args[++at] === 'pipefail' && arg === '-o';
    else if (arg.startsWith('--')) continue;
    else if (/^-[a-z]+$/.test(arg)) {
      if (arg.includes('e')) errexit = true;
      if (arg.includes('c')) isText = true;
      if (arg.endsWith('o')) pipefail = args[++at] === 'pipefail';
    } else {
      return isText ? options.readText(arg, { errexit, pipefail }) : readFile(arg, args.slice(at + 1), options);
    }
  }
  return undefined;
}

function readPython(args: readonly string[], options: ProgramOptions): ReadProgram | undefined {
  const at = args.indexOf('-m');
  if (at < 0) return readInterpreted(args, options);
  const module = args[at + 1] ?? '';
  if (module === 'coverage') return readPython(args.slice(at + 3), options);
  return toFound(readRunner(module, args.slice(at + 2), options.cwd));
}

/** Options of interpreters that take a value. */
const VALUED = new Set(['--import', '-r', '--require', '--loader', '-W', '-X', '--conditions', '-C', '--env-file']);

/** `node test/sum.test.js`: the file by its name. */
function readInterpreted(args: readonly string[], options: ProgramOptions): ReadProgram | undefined {
  for (let at = 0; at < args.length; at++) {
    const arg = args[at]!;
    // Code in the line is not a known check.
    if (/^(?:-e|-p|-c|--eval|--print|--check|-)$/.test(arg)) return undefined;
    if (VALUED.has(arg)) at++;
    else if (!arg.startsWith('-')) return readFile(arg, args.slice(at + 1), options);
  }
  return undefined;
}

/** A file that is run: a check if its name says so. */
function readFile(path: string, args: readonly string[], { cwd }: ProgramOptions): ReadProgram | undefined {
  const plain = toPlainPath(path);
  const file = plain.slice(plain.lastIndexOf('/') + 1);
  const isInTests = /(?:^|\/)(?:tests?|__tests__|specs?)\//.test(plain);
  const kind = toNamedKind(file.replace(/\.[^.]*$/, '').replaceAll('_', '-')) ?? (isInTests ? 'test' : undefined);
  if (kind === undefined || /[*?]/.test(plain)) return undefined;
  const filters = args.filter((arg) => arg !== '--');
  return { checks: [{ kind, runner: 'file', cwd, paths: [plain], filters }], acts: false };
}

/** Options of package managers that take a value. */
const MANAGER_VALUED = toSet('--prefix -C --dir --cwd -w --workspace --filter -F --loglevel --script-shell');

/** `npm test`, `pnpm run lint`, `yarn vitest`: a script of package.json, or a program after `exec`. */
function readManager(name: string, args: readonly string[], options: ProgramOptions): ReadProgram | undefined {
  let { cwd } = options;
  const filters: string[] = [];
  let doubt: string | undefined;
  let at = 0;
  const next = (): string | undefined => {
    for (; at < args.length; at++) {
      const arg = args[at]!;
      if (!arg.startsWith('-')) return arg;
      const [option = '', value] = arg.split('=', 2);
      const given = MANAGER_VALUED.has(option) ? (value ?? args[++at] ?? '') : value;
      if (option === '--prefix' || option === '-C' || option === '--dir' || option === '--cwd')
        cwd = toPlainPath(given ?? '');
      else if (/^(?:-w|--workspace|--filter|-F)$/.test(option)) filters.push(`${option} ${given ?? ''}`);
      else if (option === '--if-present' || option === '--script-shell' || option === '--dry-run') {
        doubt = `with ${option} ${name} can pass without having run it`;
      } else if (/^(?:--help|-h|--version|-v)$/.test(option)) return undefined;
    }
    return undefined;
  };
  let verb = next();
  if (verb === undefined) return undefined;
  at++;
  if (verb === 'exec' || verb === 'x' || verb === 'dlx') {
    const rest = args.slice(at).filter((arg, index) => !(index === 0 && arg === '--'));
    return rest.length === 0 ? undefined : readProgram(rest, { ...options, cwd });
  }
  if (name === 'bun' && verb === 'test') return undefined;
  if (verb === 'run' || verb === 'run-script' || verb === 'rum') {
    verb = next();
    at++;
  } else if (verb === 't' || verb === 'tst') verb = 'test';
  else if (verb !== 'test') {
    if (name === 'npm') return undefined;
    // `yarn lint` is the script; `yarn vitest` the program.
    if (options.scriptsOf(cwd)?.[verb] === undefined)
      return readProgram([verb, ...args.slice(at)], { ...options, cwd });
  }
  if (verb === undefined) return undefined;
  let rest = args.slice(at);
  const dashes = rest.indexOf('--');
  if (name === 'npm') {
    // npm reads the options before `--`, also those after the name of the script.
    const own = dashes < 0 ? rest : rest.slice(0, dashes);
    if (own.some((arg) => /^--(?:if-present|script-shell|dry-run)\b/.test(arg)))
      doubt ??= `with ${own.join(' ')} npm can pass without having run it`;
    const words = own.filter((arg, index) => {
      const isPackage = /^(?:-w|--workspace)$/.test(own[index - 1] ?? '');
      if (isPackage || arg.startsWith('--workspace=')) filters.push(`-w ${arg}`);
      return !isPackage && !arg.startsWith('-');
    });
    rest = [...words, ...(dashes < 0 ? [] : rest.slice(dashes + 1))];
  } else rest = rest.filter((arg) => arg !== '--');
  const read = readScript(verb, rest, { ...options, cwd });
  if (!read) return undefined;
  const checks = read.checks.map((check) => ({ ...check, filters: [...check.filters, ...filters] }));
  return { checks, doubt: doubt ?? read.doubt, acts: read.acts };
}

function readScript(script: string, args: readonly string[], options: ProgramOptions): ReadProgram | undefined {
  const scripts = options.scriptsOf(options.cwd);
  const kind = toNamedKind(script);
  const text = scripts?.[script];
  if (scripts && text === undefined) return undefined;
  const opaque: Check = {
    kind: kind ?? 'other',
    runner: `script ${script}`,
    cwd: options.cwd,
    paths: [],
    filters: [...args],
    script,
  };
  if (text === undefined) return kind && { checks: [opaque], acts: false };
  const line = [text, ...args.map(singleQuote)].join(' ');
  const inner = options.readText(line, { cwd: options.cwd });
  if (inner.checks.length > 0) {
    // The paths in a main script are all paths; those in its arguments are a selection.
    const own = args.length === 0 ? inner.checks : options.readText(text, { cwd: options.cwd }).checks;
    const given = (check: Check, at: number): string[] => check.paths.filter((path) => !own[at]?.paths.includes(path));
    const checks = inner.checks.map((check, at): Check => {
      if (check.runner === 'file') return { ...check, script };
      const chosen = given(check, at);
      return { ...check, script, paths: chosen.length > 0 ? chosen : isMainScript(script) ? [] : check.paths };
    });
    // Actions of a script after its checks, such as copying a build, are part of the project.
    const doubt = inner.doubt === ACTED_LATER ? undefined : inner.doubt;
    return { checks, doubt: doubt && `in the script ${script}, ${doubt}`, acts: false };
  }
  if (!kind) return undefined;
  const doubt = inner.acts ? inner.doubt : `the script ${script} checks nothing: ${headOf(text, 80)}`;
  return { checks: [opaque], doubt, acts: false };
}
