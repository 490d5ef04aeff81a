import type { Check } from '../../protocol/index.ts';
import { optional } from '../../protocol/index.ts';
import { RUNNERS, type Runner } from './runners.ts';

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
  const known = Object.hasOwn(RUNNERS, name) ? RUNNERS[name] : undefined;
  if (!known) return undefined;
  for (const runner of Array.isArray(known) ? (known as readonly Runner[]) : [known as Runner]) {
    const read = readOne(name, runner, args);
    if (read) return { ...read, check: { ...read.check, cwd } };
  }
  return undefined;
}

function readOne(name: string, runner: Runner, all: readonly string[]): ReadRunner | undefined {
  const { verbs, needs, fixFlags = [], nothing = [], projects = [], valued = [], filters = [] } = runner;
  const is = (arg: string, options: readonly string[]): boolean =>
    options.some((option) => arg === option || (option.startsWith('-') && arg.startsWith(`${option}=`)));
  const verbAt = verbs ? findVerb(all, verbs, valued) : -1;
  if (verbs && verbAt === undefined) return undefined;
  const args = verbAt === undefined || verbAt < 0 ? [...all] : all.filter((_, at) => at !== verbAt);
  if (needs && !args.some((arg) => is(arg, needs))) return undefined;
  if (args.some((arg) => is(arg, fixFlags))) return undefined;
  const check: Check = { kind: runner.kind, runner: name, cwd: '', paths: [], filters: [] };
  let doubt: string | undefined;
  for (let at = 0; at < args.length; at++) {
    const arg = args[at]!;
    const isNothing = nothing.some((option) => arg === option || arg.startsWith(`${option}=`));
    if (isNothing) doubt ??= `with ${arg} ${name} passes without having checked anything`;
    else if (arg === '--') continue;
    else if (!arg.startsWith('-')) addWord(name, check, arg);
    else {
      const [option, value] = splitOption(arg);
      const filter = filters.find((known) => known.replace(/=$/, '') === option);
      if (filter !== undefined) {
        const next = filter.endsWith('=') && value === undefined ? args[++at] : value;
        check.filters.push(next === undefined ? option : `${option} ${next}`);
      } else if (projects.includes(option)) check.paths.push(toPlainPath(value ?? args[++at] ?? ''));
      else if (valued.includes(option) && value === undefined) at++;
    }
  }
  check.paths = check.paths.filter((path) => path !== '');
  return { check, ...optional({ doubt }) };
}

/** The place of the verb: the first word that is no option. `make` without one builds. */
function findVerb(args: readonly string[], verbs: readonly string[], valued: readonly string[]): number | undefined {
  for (let at = 0; at < args.length; at++) {
    const arg = args[at]!;
    if (valued.includes(arg)) at++;
    else if (!arg.startsWith('-') && !/^\w+=/.test(arg)) return verbs.includes(arg) ? at : undefined;
  }
  return verbs.includes('') ? -1 : undefined;
}

function splitOption(arg: string): [option: string, value: string | undefined] {
  const at = arg.indexOf('=');
  return at < 0 ? [arg, undefined] : [arg.slice(0, at), arg.slice(at + 1)];
}

/** Words that name no path: what vitest and others take as a verb. */
const VERBS: Readonly<Record<string, readonly string[]>> = { vitest: ['run'], unittest: ['discover'], tap: ['run'] };

function addWord(name: string, check: Check, word: string): void {
  if (check.paths.length === 0 && VERBS[name]?.includes(word)) return;
  check.paths.push(toPlainPath(word));
}

/** Without `./` in front and `/` behind; the folder itself is ''. */
export function toPlainPath(path: string): string {
  const plain = path.replace(/^(?:\.\/)+/, '').replace(/(?:\/\.{0,3})+$/, '');
  return plain === '.' || plain === '...' ? '' : plain;
}
