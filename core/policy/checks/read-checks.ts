import {
  parse,
  type AndOr,
  type Command,
  type CommandNode,
  type CompoundList,
  type PipelineNode,
  type Script,
} from 'unbash';
import type { Check } from '../../protocol/index.ts';
import { isOutside, isUnknownFolder, namesOtherFolder, OTHER_FOLDER, UNKNOWN_FOLDER } from './other-folder.ts';
import { ACTED_LATER, readProgram, type ProgramOptions } from './read-program.ts';
import { toWords } from './static-words.ts';
import { toSet } from '../word-list.ts';

export interface ReadChecks {
  checks: Check[];
  /** Why its exit code proves nothing; absent: 0 means that all of them passed. */
  doubt?: string;
  /** True: something that is no check ran too, and may have changed files before. */
  acts?: true;
}

export interface ReadChecksOptions {
  /** Where the line runs, relative to the workspace. Default: ''. */
  cwd?: string;
  /** Absolute path of the workspace, for lines that name it. */
  root?: string;
  /** Scripts of the package.json in a folder, relative to the workspace; undefined where they are not known. */
  scriptsOf?: (folder: string) => Readonly<Record<string, string>> | undefined;
}

const DEEPEST = 5;
const LONGEST = 20_000;

/**
 * Finds the checks in a command line, and whether its exit code is theirs. The model's description of the
 * command is ignored. Undefined for a line that checks nothing. Never throws.
 */
export function readChecks(line: string, options: ReadChecksOptions = {}): ReadChecks | undefined {
  if (line.length > LONGEST) return undefined;
  try {
    const found = walkText(line, {
      cwd: options.cwd ?? '',
      root: options.root,
      scriptsOf: options.scriptsOf ?? (() => undefined),
      errexit: false,
      pipefail: false,
      depth: 0,
    });
    if (found.checks.length === 0) return undefined;
    const { checks, acts } = found;
    const isElsewhere = checks.some(({ cwd }) => isOutside(cwd));
    return { checks, doubt: found.doubt ?? (isElsewhere ? OTHER_FOLDER : undefined), ...(acts ? { acts } : {}) };
  } catch {
    // The line is untrusted; one that cannot be parsed proves nothing.
    return undefined;
  }
}

/** The state of the shell at one point of a line. `cd` and `set` change it. */
interface CheckScope {
  cwd: string;
  root: string | undefined;
  scriptsOf: NonNullable<ReadChecksOptions['scriptsOf']>;
  errexit: boolean;
  pipefail: boolean;
  depth: number;
}

interface Found {
  checks: Check[];
  doubt?: string;
  /** Something ran that is not a check and may change files. */
  acts: boolean;
  /** It always ends with a failure: `exit 1`, `false`. */
  fails?: boolean;
}

const NOTHING: Found = { checks: [], acts: false };

function walkText(text: string, scope: CheckScope): Found {
  if (scope.depth > DEEPEST) return { ...NOTHING, acts: true };
  const script = parse(text);
  if (script.errors?.[0]) return { ...NOTHING, acts: true };
  return walkList(script, scope);
}

function walkList(list: Script | CompoundList, scope: CheckScope): Found {
  let all: Found = NOTHING;
  for (const [at, statement] of list.commands.entries()) {
    let found = walkAndOr(statement.command, scope);
    const isLast = at === list.commands.length - 1;
    if (statement.background) found = doubted(found, 'it runs in the background, so its exit code is lost');
    else if (!isLast && !scope.errexit) found = doubted(found, 'what follows it hides its exit code');
    all = join(all, found);
  }
  return all;
}

/** Two parts in sequence: an action after a check may have changed the checked files. */
function join(first: Found, then: Found): Found {
  const late = first.checks.length > 0 && then.acts ? ACTED_LATER : undefined;
  return {
    checks: [...first.checks, ...then.checks],
    doubt: first.doubt ?? then.doubt ?? late,
    acts: first.acts || then.acts,
    ...(then.fails ? { fails: true } : {}),
  };
}

function doubted(found: Found, doubt: string): Found {
  return found.checks.length === 0 ? found : { ...found, doubt: found.doubt ?? doubt };
}

function walkAndOr(node: AndOr | PipelineNode, scope: CheckScope): Found {
  if (node.type !== 'AndOr') return walkNode(node, scope);
  let all = walkNode(node.commands[0]!, scope);
  for (const [at, operator] of node.operators.entries()) {
    const found = walkNode(node.commands[at + 1]!, scope);
    if (operator === '&&') all = join(all, found);
    else if (found.fails) all = { ...join(all, { ...found, acts: false }), fails: false };
    else all = doubted(join(all, found), 'its failure is caught by ||');
  }
  return all;
}

function walkNode(node: PipelineNode | CompoundList, scope: CheckScope): Found {
  switch (node.type) {
    case 'Command':
      return walkCommand(node, scope);
    case 'CompoundList':
      return walkList(node, scope);
    case 'BraceGroup':
      return walkList(node.body, scope);
    case 'Subshell':
      return walkList(node.body, { ...scope });
    case 'Redirected':
      return walkNode(node.command, scope);
    case 'Pipeline': {
      let all: Found = NOTHING;
      const last = node.commands.length - 1;
      for (const [at, part] of node.commands.entries()) {
        const found = walkNode(part, node.commands.length > 1 ? { ...scope } : scope);
        const isHidden = at < last && !scope.pipefail;
        all = join(
          all,
          isHidden ? doubted(found, `its exit code is lost: that of a pipe is that of its last command`) : found,
        );
      }
      if (node.prefixes.some(({ type }) => type === 'Negation'))
        return doubted({ ...all, fails: false }, '! inverts its exit code');
      return all;
    }
    default:
      return walkBranches(node, scope);
  }
}

/** Commands in a condition, a loop or a function: they may not have run. */
function walkBranches(node: Exclude<CommandNode, { type: 'Command' }>, scope: CheckScope): Found {
  if (node.type === 'TestCommand' || node.type === 'ArithmeticCommand') return NOTHING;
  // A function can replace any program.
  if (node.type === 'Function')
    return { checks: [], acts: true, doubt: 'the line defines a function, which may replace a program' };
  const lists = toLists(node);
  if (!lists) return { checks: [], acts: true };
  const all = lists.map((list) => walkList(list, { ...scope })).reduce(join, NOTHING);
  return doubted({ ...all, fails: false }, 'it runs inside a condition or a loop');
}

function toLists(node: Exclude<CommandNode, { type: 'Command' }>): CompoundList[] | undefined {
  switch (node.type) {
    case 'If': {
      const branches = node.elif.flatMap((branch) => [branch.clause, branch.then]);
      return [node.clause, node.then, ...branches, ...(node.else ? [node.else] : [])];
    }
    case 'While':
      return [node.clause, node.body];
    case 'For':
    case 'Select':
    case 'ArithmeticFor':
      return [node.body];
    case 'Case':
      return node.items.flatMap((item) => (item.body ? [item.body] : []));
    default:
      return undefined;
  }
}

function walkCommand(node: Command, scope: CheckScope): Found {
  const words = toWords(node);
  const writes = words.writes;
  const { name } = words;
  if (!words.argv && /^(?:cd|pushd)$/.test(name))
    return isUnknownFolder(node) ? { ...NOTHING, doubt: UNKNOWN_FOLDER } : NOTHING;
  if (!words.argv && !MEANINGS.has(name)) return { ...NOTHING, acts: true };
  const args = words.argv?.slice(1) ?? ['='];
  if (name === '') return { ...NOTHING, doubt: words.trick, acts: writes };
  if (name === 'popd' || (name === 'cd' && args.includes('-'))) return { ...NOTHING, doubt: UNKNOWN_FOLDER };
  if (name === 'cd' || name === 'pushd') {
    scope.cwd = toFolder(scope, args.find((arg) => arg !== '--') ?? '/');
    return NOTHING;
  }
  if (name === 'set') {
    if (args.some((arg) => /^-[a-z]*e/.test(arg))) scope.errexit = true;
    if (args.includes('pipefail')) scope.pipefail = !args.includes('+o');
    return NOTHING;
  }
  if (name === 'exit' || name === 'return') return { ...NOTHING, fails: args[0] !== undefined && args[0] !== '0' };
  if (name === 'false') return { ...NOTHING, fails: true };
  if (MEANINGS.has(name)) {
    const isHarmless = name === 'export' && words.argv !== undefined && args.every((arg) => !TRICKS.test(arg));
    const doubt = isHarmless
      ? undefined
      : `${name} comes before it, which can change the meaning of a program or an exit code`;
    return { ...NOTHING, doubt, acts: !isHarmless };
  }
  const options: ProgramOptions = {
    cwd: scope.cwd,
    scriptsOf: scope.scriptsOf,
    readText: (text, { cwd = scope.cwd, errexit = false, pipefail = false } = {}) =>
      walkText(text, { ...scope, cwd, errexit, pipefail, depth: scope.depth + 1 }),
  };
  const found = readProgram(words.argv ?? [], options);
  if (!found) return { ...NOTHING, acts: writes || !NEUTRAL.has(name) };
  if (found.checks.length === 0) return found;
  const isElsewhere = namesOtherFolder(args, (path) => toFolder(scope, path));
  return { ...found, doubt: found.doubt ?? words.trick ?? (isElsewhere ? OTHER_FOLDER : undefined) };
}

/** Builtins that change later commands. */
const MEANINGS: ReadonlySet<string> = new Set(['trap', 'alias', 'export', 'source', '.', 'eval']);

/** Variables that can make another program or shell run under a known name. */
const TRICKS =
  /^(?:PATH|LD_\w+|BASH_ENV|ENV|SHELL|HOME|XDG_CONFIG_HOME|npm_config_\w+|NODE_OPTIONS|NODE_PATH|PERL5OPT|RUBYOPT|MAKEFLAGS|PYTHON(?:STARTUP|HOME|USERBASE)|PYTEST_(?:ADDOPTS|PLUGINS))=/i;

/** Programs that change no file of a project that a check would see. */
const NEUTRAL: ReadonlySet<string> = toSet(
  'echo printf true : cat ls pwd date head tail wc grep rg test [ sleep git which command type env uname id whoami diff tree du df stat file sort uniq jq time',
);

/** A folder seen from another, relative to the workspace; a path outside the workspace is unchanged. */
function toFolder({ cwd: from, root }: Pick<CheckScope, 'cwd' | 'root'>, path: string): string {
  if (root !== undefined && (path === root || path.startsWith(`${root}/`))) {
    return toFolder({ cwd: '', root }, path.slice(root.length + 1));
  }
  if (path.startsWith('/')) return path;
  const parts = from === '' ? [] : from.split('/');
  for (const part of path.split('/')) {
    if (part === '' || part === '.') continue;
    if (part === '..' && parts.length > 0 && parts.at(-1) !== '..') parts.pop();
    else parts.push(part);
  }
  return parts.join('/');
}
