import { assignWord } from './assign.ts';
import { parse } from 'unbash';
import { expandArithmetic, toPaths } from '../expansion/expand.ts';
import { walkHidden } from '../expansion/hidden-substitution.ts';
import type { Call, Interpreter } from './interpreter.ts';
import { readOptions } from '../programs/options.ts';
import { source } from '../programs/shells.ts';
import { runTextTool } from '../programs/text-tools.ts';
import { isDynamic, isKnown, isOpaque, OPAQUE, UNKNOWN, type Word } from '../expansion/word.ts';

type Builtin = (call: Call, walk: Interpreter) => Word;

/** What the shell itself does, as far as it changes what later words mean. */
export const BUILTINS: Record<string, Builtin> = {
  cd: changeFolder,
  pushd: changeFolder,
  popd(call, walk) {
    walk.record(call);
    walk.scope.cwds = [...walk.scope.cwds, ...(walk.scope.cwdsOnFailure ?? [])].slice(0, 4);
    return '';
  },
  export: declare,
  declare,
  typeset: declare,
  local: declare,
  readonly: declare,
  unset(call, walk) {
    walk.record(call);
    for (const name of call.argv.slice(1)) {
      walkHidden(name, walk);
      walk.scope.variables.set(name, '');
      walk.scope.functions.delete(name);
    }
    return '';
  },
  read,
  mapfile: readAll,
  readarray: readAll,
  eval(call, walk) {
    walk.record({ ...call, argv: ['eval'] });
    const text = call.argv.slice(call.argv[1] === '--' ? 2 : 1).join(' ');
    if (isDynamic(text)) {
      const why = isOpaque(text) ? 'was decoded or computed' : 'is only known when it runs';
      walk.report({ rule: 'dynamic', reason: `eval runs text that ${why}` });
      if (text.length <= 1) return OPAQUE;
    }
    return walk.text(text, 'eval', call.feed);
  },
  source: (call, walk) => {
    walk.record(call);
    return source(call.argv[1] ?? '', call, walk);
  },
  '.': (call, walk) => {
    walk.record(call);
    return source(call.argv[1] ?? '', call, walk);
  },
  set(call, walk) {
    walk.record(call);
    const args = call.argv.slice(1);
    if (args.some((arg) => /^-\w*e/.test(arg) || arg === 'errexit')) walk.scope.errexit = true;
    const dashes = args.indexOf('--');
    const first = dashes >= 0 ? dashes + 1 : args.findIndex((arg) => !/^[-+]/.test(arg));
    if (first >= 0 && args[first - 1] !== '-o' && !/^[-+]\w*o$/.test(args[first - 1] ?? '')) {
      walk.scope.positional = [walk.scope.positional[0] ?? '', ...args.slice(first)];
    }
    return '';
  },
  shift(call, walk) {
    const count = Number(call.argv[1] ?? 1) || 1;
    walk.scope.positional = [walk.scope.positional[0] ?? '', ...walk.scope.positional.slice(1 + count)];
    return '';
  },
  alias(call, walk) {
    walk.record(call);
    for (const word of call.argv.slice(1)) {
      const match = /^([^=]+)=([^]*)$/.exec(word);
      if (match) walk.scope.aliases.set(match[1] ?? '', match[2] ?? '');
    }
    return '';
  },
  trap(call, walk) {
    walk.record(call);
    const text = call.argv.find((arg, at) => at > 0 && !arg.startsWith('-'));
    if (text !== undefined && call.argv.length > 2) runLater(text, 'trap', walk);
    return '';
  },
  shopt(call, walk) {
    walk.record(call);
    if (call.argv.includes('dotglob') && call.argv.includes('-s')) walk.scope.dotglob = true;
    return '';
  },
  printf(call, walk) {
    walk.record(call);
    const args = call.argv.slice(1);
    if (args[0] !== '-v') return runTextTool('printf', { args, stdin: '', readFile: () => undefined }) ?? UNKNOWN;
    walkHidden(args[1] ?? '', walk);
    const text = runTextTool('printf', { args: args.slice(2), stdin: '', readFile: () => undefined });
    walk.scope.variables.set(args[1] ?? '', text ?? UNKNOWN);
    return '';
  },
  let(call, walk) {
    for (const word of call.argv.slice(1)) {
      walkHidden(word, walk);
      const command = parse(`((${word}))`).commands[0]?.command;
      if (command?.type === 'ArithmeticCommand') expandArithmetic(command.expression, walk);
    }
    return '';
  },
  complete: deferred('-C'),
  compgen: deferred('-C'),
  bind: deferred('-x'),
  true: (_call, walk) => end(walk, 0),
  ':': (call, walk) => {
    if (call.redirects.length > 0) walk.record(call);
    return end(walk, 0);
  },
  false: (_call, walk) => end(walk, 1),
  pwd: (_call, walk) => `${walk.scope.cwds.length === 1 ? walk.scope.cwds[0] : UNKNOWN}\n`,
  exit: quiet,
  return: quiet,
  break: quiet,
  continue: quiet,
  type: quiet,
  which: quiet,
  wait: named,
  test: named,
  '[': named,
  jobs: quiet,
  getopts(call, walk) {
    named(call, walk);
    walk.scope.variables.set(call.argv[2] ?? 'opt', UNKNOWN);
    walk.scope.variables.set('OPTARG', UNKNOWN);
    return '';
  },
};

function quiet(call: Call, walk: Interpreter): Word {
  walk.record(call);
  return UNKNOWN;
}

/** A command that takes names of variables: their subscripts are expanded. */
function named(call: Call, walk: Interpreter): Word {
  for (const word of call.argv.slice(1)) walkHidden(word, walk);
  return quiet(call, walk);
}

function end(walk: Interpreter, status: 0 | 1): Word {
  walk.status = status;
  return '';
}

/** Text that the shell keeps and runs by itself later. */
function runLater(text: Word, label: string, walk: Interpreter): void {
  if (isDynamic(text)) walk.report({ rule: 'dynamic', reason: `${label} keeps text that is only known when it runs` });
  walk.subshell(undefined, () => walk.text(text, label, undefined));
}

function deferred(flag: string): Builtin {
  return (call, walk) => {
    walk.record(call);
    const text = readOptions(call.argv.slice(1), [flag]).values.get(flag);
    if (text !== undefined) runLater(text.replace(/^"?\\?\w[^"]*"?:\s*/, ''), call.argv[0] ?? '', walk);
    return '';
  };
}

function changeFolder(call: Call, walk: Interpreter): Word {
  walk.record(call);
  const target = call.argv.slice(1).find((arg) => !/^-[LPe@n]/.test(arg) && arg !== '--') ?? '~';
  const { scope } = walk;
  scope.cwdsOnFailure = [...scope.cwds];
  const previous = scope.variables.get('OLDPWD');
  if (target === '-') scope.cwds = typeof previous === 'string' ? [previous] : scope.cwds;
  else scope.cwds = [...new Set(toPaths(target === '~' ? '/~' : target, scope.cwds))];
  scope.variables.set('OLDPWD', scope.cwdsOnFailure.length === 1 ? (scope.cwdsOnFailure[0] ?? UNKNOWN) : UNKNOWN);
  return '';
}

function declare(call: Call, walk: Interpreter): Word {
  const assignments: Call['assignments'] = [];
  for (const word of call.argv.slice(1)) {
    walkHidden(word, walk);
    if (word.startsWith('-')) continue;
    const match = /^([A-Za-z_]\w*)\+?=/.exec(word);
    // Words that the parser gave as assignments took place already; doing it again changes nothing.
    const known = match && walk.scope.variables.get(match[1] ?? '');
    if (Array.isArray(known)) continue;
    const done = word.includes('+=') ? undefined : assignWord(word, walk);
    if (!done) continue;
    assignments.push(done);
    if (call.argv.some((arg) => /^-\w*n/.test(arg)) && isKnown(done.value)) {
      walk.scope.variables.set(done.name, walk.scope.variables.get(done.value) ?? UNKNOWN);
    }
    if (call.argv.some((arg) => /^-\w*i/.test(arg)))
      walk.scope.variables.set(done.name, /^\d+$/.test(done.value) ? done.value : OPAQUE);
  }
  walk.record({ ...call, assignments: [...call.assignments, ...assignments] });
  walk.status = 0;
  return '';
}

function read(call: Call, walk: Interpreter): Word {
  walk.record(call);
  for (const word of call.argv.slice(1)) walkHidden(word, walk);
  const { flags, rest, values } = readOptions(call.argv.slice(1), ['-p', '-d', '-n', '-N', '-t', '-u', '-i', '-a']);
  const { variables } = walk.scope;
  const names = values.has('-a') ? [values.get('-a') ?? ''] : rest.length > 0 ? rest : ['REPLY'];
  const fd = values.get('-u');
  const feed = fd === undefined ? call.feed : { text: walk.scope.files.get(`/dev/fd/${fd}`) ?? UNKNOWN };
  if (!feed || feed.text === UNKNOWN || feed.text === OPAQUE) {
    for (const name of names) variables.set(name, feed?.text ?? UNKNOWN);
    walk.status = undefined;
    return '';
  }
  if (feed.text === '') {
    for (const name of names) variables.set(name, '');
    walk.status = 1;
    return '';
  }
  const delimiter = values.has('-d') ? (values.get('-d') ?? '').slice(0, 1) : '\n';
  const at = delimiter === '' ? -1 : feed.text.indexOf(delimiter);
  let line = at < 0 ? feed.text : feed.text.slice(0, at);
  feed.text = at < 0 ? '' : feed.text.slice(at + 1);
  if (!flags.has('-r')) line = line.replace(/\\([^])/g, '$1');
  const ifs = variables.get('IFS');
  // One variable takes the line; its division into several is not followed.
  const isOne = names.length === 1 && !['-a', '-n', '-N'].some((flag) => values.has(flag));
  const value = isOne && (ifs === '' || ifs === ' \t\n') ? (ifs === '' ? line : line.trim()) : OPAQUE;
  for (const name of names) variables.set(name, value);
  walk.status = 0;
  return '';
}

function readAll(call: Call, walk: Interpreter): Word {
  walk.record(call);
  const { rest, values } = readOptions(call.argv.slice(1), ['-d', '-n', '-O', '-s', '-u', '-C', '-c']);
  for (const word of rest) walkHidden(word, walk);
  const callback = values.get('-C');
  if (callback !== undefined) runLater(callback, `${call.argv[0]} -C`, walk);
  const text = call.feed?.text ?? UNKNOWN;
  const lines = text === UNKNOWN ? [UNKNOWN] : text.replace(/\n$/, '').split('\n');
  walk.scope.variables.set(rest[0] ?? 'MAPFILE', lines);
  return '';
}
