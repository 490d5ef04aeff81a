import type { Call, Interpreter } from '../interpreter/interpreter.ts';
import { git } from './git-launcher.ts';
import { toRecipes } from './makefile.ts';
import { readOptions } from './options.ts';
import { readPackageCommand } from './package-options.ts';
import { runArgument, runInner } from './run-argument.ts';
import { runTextTool } from './text-tools.ts';
import { resolvePath } from '../expansion/resolve-path.ts';
import { isDynamic, isKnown, UNKNOWN, type Word } from '../expansion/word.ts';
import { forNames } from '../../word-list.ts';

type Launcher = (call: Call, shell: Interpreter) => Word;

const TAR_COMMAND =
  /^(?:--(?:to-command|use-compress-program|checkpoint-action|info-script|new-volume-script|rsh-command|rmt-command)(?==|$)|-[IF])/;

/** Programs that start other programs because of their arguments. */
export const LAUNCHERS: Record<string, Launcher> = {
  find,
  git,
  ...forNames('npm pnpm yarn bun', packageRunner),
  ...forNames('make gmake', make),
  ...forNames('tar gtar bsdtar', tar),
};

/** Arguments with which a program runs others in a way that is not evaluated: the gate asks about the command. */
export const UNEVALUATED: Record<string, RegExp> = {
  tmux: /^(?:new|new-session|new-window|neww|split-window|run-shell|run|send-keys|if-shell)$/,
  screen: /^[^-]/,
  parallel: /^/,
  concurrently: /^[^-]/,
  nodemon: /^(?:-x|--exec)/,
  gdb: /^(?:--?args|--)$/,
  lldb: /^--$/,
  ...forNames('fd fdfind', /^(?:-[xX]|--exec)/),
  rsync: /^(?:-e|--rsh|--rsync-path)/,
  zip: /^(?:-TT|--unzip-command)/,
  man: /^(?:-[PH]|--pager|--html)/,
  sort: /^--compress-program/,
  split: /^--filter/,
  rg: /^--(?:pre|hostname-bin)(?:=|$)/,
  ...forNames('complete compgen', /^-C/),
  bind: /^-x/,
};

function finish(call: Call, shell: Interpreter): Word {
  shell.record(call);
  const name = call.argv[0] ?? '';
  return (
    runTextTool(name, {
      args: call.argv.slice(1),
      stdin: call.stdin?.text,
      readFile: (path) => shell.readFile(path, call.stdin),
    }) ?? UNKNOWN
  );
}

function tar(call: Call, shell: Interpreter): Word {
  for (const [at, arg] of call.argv.entries()) {
    const flag = TAR_COMMAND.exec(arg)?.[0];
    if (flag === undefined) continue;
    const value = arg === flag ? (call.argv[at + 1] ?? '') : arg.slice(flag.length).replace(/^=/, '');
    if (flag !== '--checkpoint-action' || value.startsWith('exec='))
      runArgument(value, `${call.argv[0]} ${flag}`, shell);
  }
  return finish(call, shell);
}

function find(call: Call, shell: Interpreter): Word {
  const args = call.argv.slice(1);
  const own: Word[] = [];
  const found = runTextTool('find', { args, stdin: undefined, readFile: () => undefined }) ?? UNKNOWN;
  for (let at = 0; at < args.length; at++) {
    const arg = args[at] ?? '';
    if (!/^-(?:exec|execdir|ok|okdir)$/.test(arg)) {
      own.push(arg);
      continue;
    }
    let end = at + 1;
    while (end < args.length && args[end] !== ';' && !(args[end] === '+' && args[end - 1] === '{}')) end++;
    const argv = args.slice(at + 1, end);
    const inFolder = arg === '-execdir' || arg === '-okdir';
    for (const item of found.split('\n').filter((line) => line !== '')) {
      const name = inFolder ? `./${item.slice(item.lastIndexOf('/') + 1)}` : item;
      const inner = argv.map((word) => word.replaceAll('{}', () => name));
      shell.subshell(`find ${arg}`, () => runInner(inner, shell, call.stdin));
    }
    at = end;
  }
  const out = finish({ ...call, argv: ['find', ...own] }, shell);
  return own.length < args.length ? UNKNOWN : out;
}

const BUILT_INS =
  /^(?:install|i|ci|add|remove|rm|uninstall|update|up|upgrade|publish|pack|link|unlink|run|run-script|test|t|start|stop|restart|exec|x|dlx|init|create|config|set|get|pkg|audit|outdated|ls|list|ll|la|view|info|show|why|explain|help|version|whoami|login|logout|adduser|cache|prune|dedupe|rebuild|root|bin|prefix|fund|doctor|ping|search|token|team|owner|access|deprecate|dist-tag|hook|org|profile|star|stars|unpublish|shrinkwrap|set-script|query|completion|docs|repo|bugs|edit|explore|store|patch|deploy|fetch|import|licenses|env|setup|server|workspace|workspaces|node|build|plugin|dedup|constraints|stage|npm|policies|generate-lock-entry|pm|repl)$/;

function packageRunner(call: Call, shell: Interpreter): Word {
  const [first, ...others] = readPackageCommand(call.argv[0] ?? 'npm', call.argv.slice(1));
  const isCertain = others.length === 0;
  const runs = [first ?? [], ...others].filter((words) => runPackage(words, { call, isCertain }, shell));
  // Where the command is not certain, every word counts.
  if (!isCertain || runs.length === 0) shell.record(call);
  return UNKNOWN;
}

/** Runs the program that a package manager runs. False: it runs none. */
function runPackage(
  words: readonly Word[],
  { call, isCertain }: { call: Call; isCertain: boolean },
  shell: Interpreter,
): boolean {
  const name = call.argv[0] ?? 'npm';
  const [command = '', ...rest] = words;
  const runs = /^(?:exec|x|dlx)$/.test(command);
  const isProgram = runs || (name !== 'npm' && !BUILT_INS.test(command)) || (name === 'yarn' && command === 'node');
  if (command === '' || !isProgram) return false;
  const from = runs ? rest : words;
  const text = from.findIndex((arg) => arg === '-c' || arg === '--call');
  const first = from.findIndex((arg) => !arg.startsWith('-'));
  // Of the program that it may fetch, its name is recorded.
  const own = call.argv.length - rest.length + first + 1;
  if (isCertain) shell.record(runs ? { ...call, argv: call.argv.slice(0, own) } : call);
  if (runs && text >= 0) runArgument(from[text + 1] ?? '', `${name} exec -c`, shell);
  else if (first >= 0)
    shell.subshell(`${name}${runs ? ` ${command}` : ''}`, () => runInner(from.slice(first), shell, call.stdin));
  return true;
}

function make(call: Call, shell: Interpreter): Word {
  // Recorded first: a recursive recipe ends the evaluation.
  const out = finish(call, shell);
  if (shell.via.filter((via) => via === 'make').length > 3) return out;
  const valued = ['-f', '--file', '--makefile', '--eval', '-E', '-C', '--directory', '-o', '-W', '-I', '-l'];
  const { all, rest } = readOptions(call.argv.slice(1), valued);
  const folder = all.find(({ flag }) => flag === '-C' || flag === '--directory')?.value;
  if (folder !== undefined && !shell.via.includes(`make -C ${folder}`))
    return shell.subshell(`make -C ${folder}`, () => {
      shell.scope.cwds = shell.scope.cwds.map((cwd) => resolvePath(folder, cwd));
      return make({ ...call, argv: withoutFolder(call.argv) }, shell);
    });
  const isText = ({ flag }: { flag: string }) => flag === '--eval' || flag === '-E';
  const named = all.filter(({ flag }) => /^(?:-f|--file|--makefile)$/.test(flag));
  const files = named.length > 0 ? named.map(({ value }) => value) : ['GNUmakefile', 'makefile', 'Makefile'];
  const contents = files.map((file) => (file === '-' ? call.stdin?.text : shell.readFile(file, call.stdin)));
  const goals = rest.filter((word) => !word.includes('='));
  const given = new Map(rest.flatMap((word) => toPair(word)));
  for (const text of [...all.filter(isText).map(({ value }) => value), ...contents]) {
    if (text === undefined) continue;
    if (isDynamic(text)) shell.report({ rule: 'downloaded', reason: 'make runs a file whose content is not known' });
    // Outside of recipes too, make runs the commands of `$(shell)` when it reads the file.
    for (const match of text.matchAll(/\$\(shell ([^)]*)\)/g)) runArgument(match[1] ?? '', 'make $(shell)', shell);
    for (const line of toRecipes(text, goals.every(isKnown) ? goals : [], given)) runArgument(line, 'make', shell);
  }
  return out;
}

/** The words without the option that names the folder. */
function withoutFolder(argv: readonly Word[]): Word[] {
  return argv.filter(
    (word, at) => !/^(?:-C.*|--directory(?:=.*)?)$/.test(word) && !/^(?:-C|--directory)$/.test(argv[at - 1] ?? ''),
  );
}

function toPair(word: Word): [string, string][] {
  const at = word.indexOf('=');
  return at > 0 ? [[word.slice(0, at).replace(/[:+?]$/, ''), word.slice(at + 1)]] : [];
}
