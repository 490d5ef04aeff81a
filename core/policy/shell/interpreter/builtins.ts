import { assignWord } from './assign.ts';
import { parse } from 'unbash';
import { expandArithmetic } from '../expansion/expand.ts';
import { expandHidden } from '../expansion/hidden-substitution.ts';
import { resolvePath } from '../expansion/resolve-path.ts';
import type { Call, Interpreter } from './interpreter.ts';
import { readOptions } from '../programs/options.ts';
import { source } from '../programs/shells.ts';
import { runTextTool } from '../programs/text-tools.ts';
import { isDynamic, isKnown, isOpaque, OPAQUE, UNKNOWN, type Word } from '../expansion/word.ts';
import { forNames } from '../../word-list.ts';

type Builtin = (call: Call, shell: Interpreter) => Word;

/** The builtins that change the meaning of later words. */
export const BUILTINS: Record<string, Builtin> = {
  ...forNames('cd pushd', recorded(changeFolder)),
  ...forNames('export declare typeset local readonly', declare),
  ...forNames('mapfile readarray', readAll),
  ...forNames('source .', runFile),
  ...forNames('exit return break continue type which jobs', quiet),
  ...forNames('wait test [', named),
  popd: recorded((_call, shell) => {
    shell.scope.cwds = [...shell.scope.cwds, ...(shell.scope.cwdsOnFailure ?? [])].slice(0, 4);
  }),
  unset: recorded((call, shell) => {
    for (const name of call.argv.slice(1)) {
      expandHidden(name, shell);
      shell.scope.variables.set(name, '');
      shell.scope.functions.delete(name);
    }
  }),
  read,
  eval(call, shell) {
    shell.record({ ...call, argv: ['eval'] });
    const text = call.argv.slice(call.argv[1] === '--' ? 2 : 1).join(' ');
    if (isDynamic(text)) {
      const why = isOpaque(text) ? 'was decoded or computed' : 'is only known at run time';
      shell.report({ rule: 'dynamic', reason: `eval runs text that ${why}` });
      if (text.length <= 1) return OPAQUE;
    }
    return shell.evaluate(text, 'eval', call.stdin);
  },
  set: recorded((call, shell) => {
    const args = call.argv.slice(1);
    if (args.some((arg) => /^-\w*e/.test(arg) || arg === 'errexit')) shell.scope.errexit = true;
    const dashes = args.indexOf('--');
    const first = dashes >= 0 ? dashes + 1 : args.findIndex((arg) => !/^[-+]/.test(arg));
    if (first >= 0 && args[first - 1] !== '-o' && !/^[-+]\w*o$/.test(args[first - 1] ?? '')) {
      shell.scope.positional = [shell.scope.positional[0] ?? '', ...args.slice(first)];
    }
  }),
  shift(call, shell) {
    const count = Number(call.argv[1] ?? 1) || 1;
    shell.scope.positional = [shell.scope.positional[0] ?? '', ...shell.scope.positional.slice(1 + count)];
    return '';
  },
  alias: recorded((call, shell) => {
    for (const word of call.argv.slice(1)) {
      const match = /^([^=]+)=([^]*)$/.exec(word);
      if (match) shell.scope.aliases.set(match[1] ?? '', match[2] ?? '');
    }
  }),
  trap: recorded((call, shell) => {
    const text = call.argv.find((arg, at) => at > 0 && !arg.startsWith('-'));
    if (text !== undefined && call.argv.length > 2) runLater(text, 'trap', shell);
  }),
  shopt: recorded((call, shell) => {
    if (call.argv.includes('dotglob') && call.argv.includes('-s')) shell.scope.dotglob = true;
  }),
  printf(call, shell) {
    shell.record(call);
    const [flag, name = '', ...rest] = call.argv.slice(1);
    const print = (args: Word[]) => runTextTool('printf', { args, stdin: '', readFile: () => undefined }) ?? UNKNOWN;
    if (flag !== '-v') return print(call.argv.slice(1));
    expandHidden(name, shell);
    shell.scope.variables.set(name, print(rest));
    return '';
  },
  let(call, shell) {
    for (const word of call.argv.slice(1)) {
      expandHidden(word, shell);
      const command = parse(`((${word}))`).commands[0]?.command;
      if (command?.type === 'ArithmeticCommand') expandArithmetic(command.expression, shell);
    }
    return '';
  },
  true: (_call, shell) => end(shell, 0),
  ':': (call, shell) => {
    if (call.redirects.length > 0) shell.record(call);
    return end(shell, 0);
  },
  false: (_call, shell) => end(shell, 1),
  pwd: (_call, shell) => `${shell.scope.cwds.length === 1 ? shell.scope.cwds[0] : UNKNOWN}\n`,
  getopts(call, shell) {
    named(call, shell);
    shell.scope.variables.set(call.argv[2] ?? 'opt', UNKNOWN);
    shell.scope.variables.set('OPTARG', UNKNOWN);
    return '';
  },
};

/** A builtin without output. */
function recorded(work: (call: Call, shell: Interpreter) => void): Builtin {
  return (call, shell) => {
    shell.record(call);
    work(call, shell);
    return '';
  };
}

function runFile(call: Call, shell: Interpreter): Word {
  shell.record(call);
  return source(call.argv[1] ?? '', call, shell);
}

function quiet(call: Call, shell: Interpreter): Word {
  shell.record(call);
  return UNKNOWN;
}

/** A builtin that takes names of variables: their subscripts are expanded. */
function named(call: Call, shell: Interpreter): Word {
  for (const word of call.argv.slice(1)) expandHidden(word, shell);
  return quiet(call, shell);
}

function end(shell: Interpreter, status: 0 | 1): Word {
  shell.status = status;
  return '';
}

/** Text that the shell stores and runs later. */
function runLater(text: Word, label: string, shell: Interpreter): void {
  if (isDynamic(text)) shell.report({ rule: 'dynamic', reason: `${label} stores text that is only known at run time` });
  shell.subshell(undefined, () => shell.evaluate(text, label, undefined));
}

function changeFolder(call: Call, shell: Interpreter): void {
  const target = call.argv.slice(1).find((arg) => !/^-[LPe@n]/.test(arg) && arg !== '--') ?? '~';
  const { scope } = shell;
  scope.cwdsOnFailure = [...scope.cwds];
  const previous = scope.variables.get('OLDPWD');
  if (target === '-') scope.cwds = typeof previous === 'string' ? [previous] : scope.cwds;
  else scope.cwds = [...new Set(scope.cwds.map((cwd) => resolvePath(target, cwd)))];
  scope.variables.set('OLDPWD', scope.cwdsOnFailure.length === 1 ? (scope.cwdsOnFailure[0] ?? UNKNOWN) : UNKNOWN);
}

function declare(call: Call, shell: Interpreter): Word {
  const assignments: Call['assignments'] = [];
  for (const word of call.argv.slice(1)) {
    expandHidden(word, shell);
    if (word.startsWith('-')) continue;
    const match = /^([A-Za-z_]\w*)\+?=/.exec(word);
    // The assignments that the parser reports are performed already; to repeat one changes nothing.
    const known = match && shell.scope.variables.get(match[1] ?? '');
    if (Array.isArray(known)) continue;
    const done = word.includes('+=') ? undefined : assignWord(word, shell);
    if (!done) continue;
    assignments.push(done);
    if (call.argv.some((arg) => /^-\w*n/.test(arg)) && isKnown(done.value)) {
      shell.scope.variables.set(done.name, shell.scope.variables.get(done.value) ?? UNKNOWN);
    }
    if (call.argv.some((arg) => /^-\w*i/.test(arg)))
      shell.scope.variables.set(done.name, /^\d+$/.test(done.value) ? done.value : OPAQUE);
  }
  shell.record({ ...call, assignments: [...call.assignments, ...assignments] });
  shell.status = 0;
  return '';
}

function read(call: Call, shell: Interpreter): Word {
  shell.record(call);
  for (const word of call.argv.slice(1)) expandHidden(word, shell);
  const { flags, rest, values } = readOptions(call.argv.slice(1), ['-p', '-d', '-n', '-N', '-t', '-u', '-i', '-a']);
  const { variables } = shell.scope;
  const names = values.has('-a') ? [values.get('-a') ?? ''] : rest.length > 0 ? rest : ['REPLY'];
  const fd = values.get('-u');
  const stdin = fd === undefined ? call.stdin : { text: shell.scope.files.get(`/dev/fd/${fd}`) ?? UNKNOWN };
  const set = (value: Word, status: 0 | 1 | undefined): Word => {
    for (const name of names) variables.set(name, value);
    shell.status = status;
    return '';
  };
  if (!stdin || stdin.text === UNKNOWN || stdin.text === OPAQUE) return set(stdin?.text ?? UNKNOWN, undefined);
  if (stdin.text === '') return set('', 1);
  const delimiter = values.has('-d') ? (values.get('-d') ?? '').slice(0, 1) : '\n';
  const at = delimiter === '' ? -1 : stdin.text.indexOf(delimiter);
  let line = at < 0 ? stdin.text : stdin.text.slice(0, at);
  stdin.text = at < 0 ? '' : stdin.text.slice(at + 1);
  if (!flags.has('-r')) line = line.replace(/\\([^])/g, '$1');
  const ifs = variables.get('IFS');
  // One variable takes the line; the division into several is not evaluated.
  const isOne = names.length === 1 && !['-a', '-n', '-N'].some((flag) => values.has(flag));
  if (!isOne || (ifs !== '' && ifs !== ' \t\n')) return set(OPAQUE, 0);
  return set(ifs === '' ? line : line.trim(), 0);
}

function readAll(call: Call, shell: Interpreter): Word {
  shell.record(call);
  const { rest, values } = readOptions(call.argv.slice(1), ['-d', '-n', '-O', '-s', '-u', '-C', '-c']);
  for (const word of rest) expandHidden(word, shell);
  const callback = values.get('-C');
  if (callback !== undefined) runLater(callback, `${call.argv[0]} -C`, shell);
  const text = call.stdin?.text ?? UNKNOWN;
  const lines = text === UNKNOWN ? [UNKNOWN] : text.replace(/\n$/, '').split('\n');
  shell.scope.variables.set(rest[0] ?? 'MAPFILE', lines);
  return '';
}
