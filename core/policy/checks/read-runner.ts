import type { Check } from '../../protocol/index.ts';
import type { Runner } from './runner.ts';
import { RUNNERS } from './runners.ts';
import { toList } from '../word-list.ts';

/** A program call as a check; `doubt` says why it proves nothing. */
export interface ReadRunner {
  check: Check;
  doubt?: string;
}

/**
 * Reads a program with its arguments as a check. Undefined for a program that checks nothing.
 *
 * @param name The program, or `node --test`.
 * @param cwd Relative to the workspace.
 */
export function readRunner(name: string, args: readonly string[], cwd: string): ReadRunner | undefined {
  const known = Object.hasOwn(RUNNERS, name) ? [RUNNERS[name]!].flat() : [];
  for (const runner of known) {
    const read = readOne(name, runner, args);
    if (read) return { ...read, check: { ...read.check, cwd } };
  }
  return undefined;
}

function readOne(name: string, runner: Runner, all: readonly string[]): ReadRunner | undefined {
  const loaders = toList(runner.loads);
  const valued = [...toList(runner.valued), ...loaders];
  const filters = toList(runner.filters);
  const projects = toList(runner.projects);
  const verbAt = runner.verbs === undefined ? -1 : findVerb(all, runner, valued);
  if (verbAt === undefined) return undefined;
  const args = all.filter((_, at) => at !== verbAt);
  if (runner.needs !== undefined && !args.some((arg) => isOption(arg, runner.needs))) return undefined;
  if (args.some((arg) => isOption(arg, runner.fixFlags))) return undefined;
  const check: Check = { kind: runner.kind, runner: name, cwd: '', paths: [], filters: [] };
  let doubt: string | undefined;
  for (let at = 0; at < args.length; at++) {
    const arg = args[at]!;
    if (isOption(arg, runner.nothing)) doubt ??= `with ${arg} ${name} passes without having checked anything`;
    else if (arg === '--') continue;
    else if (!arg.startsWith('-')) {
      const isVerb = check.paths.length === 0 && VERBS[name] === arg;
      if (!isVerb) check.paths.push(toPlainPath(arg));
    } else {
      const [option, value] = splitOption(arg);
      const filter = filters.find((known) => known.replace(/=$/, '') === option);
      if (filter !== undefined) {
        const next = filter.endsWith('=') && value === undefined ? args[++at] : value;
        check.filters.push(next === undefined ? option : `${option} ${next}`);
      } else if (projects.includes(option)) check.paths.push(toPlainPath(value ?? args[++at] ?? ''));
      else if (loaders.includes(option)) {
        const loaded = value ?? args[++at] ?? '';
        (check.loads ??= []).push(toPlainPath(loaded));
        if (/^\w+:(?!\/\/)(?!\\)/.test(loaded) && !/^(?:node|file):/.test(loaded))
          doubt ??= `with ${option} it loads code of its own command line`;
      } else if (valued.includes(option) && value === undefined) at++;
    }
  }
  check.paths = check.paths.filter((path) => path !== '');
  return { check, doubt };
}

/** True for one of the options, alone or with a value after `=`. */
function isOption(arg: string, options: string | undefined): boolean {
  return toList(options).some((option) => arg === option || arg.startsWith(`${option}=`));
}

/** Index of the verb: the first word that is not an option; -1 if it needs none. `make` without one builds. */
function findVerb(args: readonly string[], runner: Runner, valued: readonly string[]): number | undefined {
  for (let at = 0; at < args.length; at++) {
    const arg = args[at]!;
    if (valued.includes(arg)) at++;
    else if (!arg.startsWith('-') && !/^\w+=/.test(arg)) return toList(runner.verbs).includes(arg) ? at : undefined;
  }
  return runner.needsVerb === false ? -1 : undefined;
}

function splitOption(arg: string): [option: string, value: string | undefined] {
  const at = arg.indexOf('=');
  return at < 0 ? [arg, undefined] : [arg.slice(0, at), arg.slice(at + 1)];
}

/** Words that are not paths: verbs of vitest and others. */
const VERBS: Readonly<Record<string, string>> = { vitest: 'run', unittest: 'discover', tap: 'run' };

/** Without `./` in front and `/` behind; the folder itself is ''. */
export function toPlainPath(path: string): string {
  const plain = path.replace(/^(?:\.\/)+/, '').replace(/(?:\/\.{0,3})+$/, '');
  return plain === '.' || plain === '...' ? '' : plain;
}
