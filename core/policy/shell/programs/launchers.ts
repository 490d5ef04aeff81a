import { readCode } from './interpreters.ts';
import type { Call, Interpreter } from '../interpreter/interpreter.ts';
import { git } from './git-launcher.ts';
import { runArgument } from './run-argument.ts';
import { runTextTool } from './text-tools.ts';
import { ANY_NAME, STAR, UNKNOWN, type Word } from '../expansion/word.ts';

type Launcher = (call: Call, shell: Interpreter) => Word;

const TAR_COMMANDS =
  '--to-command --use-compress-program -I --checkpoint-action --info-script --new-volume-script -F --rsh-command --rmt-command'.split(
    ' ',
  );

/** Programs that start other programs because of their arguments. */
export const LAUNCHERS: Record<string, Launcher> = {
  find,
  fd,
  fdfind: fd,
  git,
  npm: packageRunner,
  pnpm: packageRunner,
  yarn: packageRunner,
  bun: packageRunner,
  make,
  gmake: make,
  tar: textOptions(TAR_COMMANDS),
  gtar: textOptions(TAR_COMMANDS),
  bsdtar: textOptions(['--use-compress-program']),
  rsync: textOptions(['-e', '--rsh', '--rsync-path']),
  zip: textOptions(['-TT', '--unzip-command']),
  man: textOptions(['-P', '--pager', '-H', '--html']),
  sort: textOptions(['--compress-program']),
  split: textOptions(['--filter']),
  rg: textOptions(['--pre', '--hostname-bin']),
  tmux: textArguments(/^(?:new|new-session|new-window|neww|split-window|run-shell|run|send-keys|if-shell)$/),
  screen: lastArguments,
  gdb: debugged,
  lldb: debugged,
};

/** A debugger starts the program after `--args` (gdb) or `--` (lldb). */
function debugged(call: Call, shell: Interpreter): Word {
  const at = call.argv.findIndex((arg) => arg === '--args' || arg === '-args' || arg === '--');
  const argv = at < 0 ? [] : call.argv.slice(at + 1);
  if (argv.length > 0)
    shell.subshell(call.argv[0], () => shell.run({ ...call, argv, assignments: [], redirects: [], stdin: undefined }));
  const own = at < 0 ? call.argv : call.argv.slice(0, at);
  shell.record(
    { ...call, argv: own },
    readCode(call.argv[0] ?? '', own.slice(1), {
      stdin: call.stdin,
      readFile: (path) => shell.readFile(path, call.stdin),
    }),
  );
  return UNKNOWN;
}

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

/** For programs with options whose value a shell runs. */
function textOptions(flags: readonly string[]): Launcher {
  return (call, shell) => {
    const args = call.argv.slice(1);
    for (const [at, arg] of args.entries()) {
      const flag = flags.find(
        (name) =>
          arg === name ||
          (name.startsWith('--') && arg.startsWith(`${name}=`)) ||
          (name.length === 2 && arg.startsWith(name) && arg.length > 2),
      );
      if (flag === undefined) continue;
      const value = arg === flag ? (args[at + 1] ?? '') : arg.slice(flag.length).replace(/^=/, '');
      if (flag === '--checkpoint-action' && !value.startsWith('exec=')) continue;
      runArgument(value, `${call.argv[0]} ${flag}`, shell);
    }
    return finish(call, shell);
  };
}

function textArguments(commands: RegExp): Launcher {
  return (call, shell) => {
    const at = call.argv.findIndex((arg) => commands.test(arg));
    if (at > 0) {
      const rest = call.argv
        .slice(at + 1)
        .filter((arg, index, all) => !arg.startsWith('-') && !/^-[nstcxyF]$/.test(all[index - 1] ?? ''));
      if (rest.length > 0) runArgument(rest.join(' '), call.argv[0] ?? '', shell);
    }
    return finish(call, shell);
  };
}

function lastArguments(call: Call, shell: Interpreter): Word {
  const at = call.argv.findIndex(
    (arg, index) =>
      index > 0 &&
      !arg.startsWith('-') &&
      !/^-[SsTtpxe]$/.test(call.argv[index - 1] ?? '') &&
      !/^-\w*S$/.test(call.argv[index - 1] ?? ''),
  );
  shell.record({ ...call, argv: at > 0 ? call.argv.slice(0, at) : call.argv });
  if (at > 0) shell.subshell(call.argv[0], () => shell.run({ ...call, argv: call.argv.slice(at) }));
  return UNKNOWN;
}

/** The names that `{}` can be replaced by. */
function toFound(args: Word[]): Word[] {
  const found = runTextTool('find', { args, stdin: undefined, readFile: () => undefined }) ?? UNKNOWN;
  return found.split('\n').filter((line) => line !== '');
}

function find(call: Call, shell: Interpreter): Word {
  const args = call.argv.slice(1);
  const own: Word[] = [];
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
    for (const item of toFound(args)) {
      const name = inFolder ? `./${item.slice(item.lastIndexOf('/') + 1)}` : item;
      shell.subshell(`find ${arg}`, () =>
        shell.run({
          ...call,
          argv: argv.map((word) => word.replaceAll('{}', () => name)),
          assignments: [],
          redirects: [],
        }),
      );
    }
    at = end;
  }
  const out = finish({ ...call, argv: ['find', ...own] }, shell);
  return own.length < args.length ? UNKNOWN : out;
}

function fd(call: Call, shell: Interpreter): Word {
  const at = call.argv.findIndex((arg) => /^(?:-x|-X|--exec|--exec-batch)$/.test(arg));
  const own = at < 0 ? call.argv : call.argv.slice(0, at);
  shell.record({ ...call, argv: own });
  const hidden = own.some((arg) => /^-\w*H|^--hidden$|^-\w*u/.test(arg));
  const name = `./${hidden ? ANY_NAME : STAR}`;
  if (at < 0) return `${name}\n`;
  const argv = call.argv.slice(at + 1);
  const items = argv.some((word) => /\{.{0,2}\}/.test(word))
    ? argv.map((word) => word.replace(/\{.{0,2}\}/g, () => name))
    : [...argv, name];
  shell.subshell('fd -x', () => shell.run({ ...call, argv: items, assignments: [], redirects: [] }));
  return UNKNOWN;
}

const BUILT_INS =
  /^(?:install|i|ci|add|remove|rm|uninstall|update|up|upgrade|publish|pack|link|unlink|run|run-script|test|t|start|stop|restart|exec|x|dlx|init|create|config|set|get|pkg|audit|outdated|ls|list|ll|la|view|info|show|why|explain|help|version|whoami|login|logout|adduser|cache|prune|dedupe|rebuild|root|bin|prefix|fund|doctor|ping|search|token|team|owner|access|deprecate|dist-tag|hook|org|profile|star|stars|unpublish|shrinkwrap|set-script|query|completion|docs|repo|bugs|edit|explore|store|patch|deploy|fetch|import|licenses|env|setup|server|workspace|workspaces|node|build|plugin|dedup|constraints|stage|npm|policies|generate-lock-entry|pm|repl)$/;

function packageRunner(call: Call, shell: Interpreter): Word {
  const name = call.argv[0] ?? 'npm';
  const at = call.argv.findIndex(
    (arg, index) =>
      index > 0 &&
      !arg.startsWith('-') &&
      !/^(?:-C|--prefix|--dir|--cwd|-w|--workspace|--filter|-F)$/.test(call.argv[index - 1] ?? ''),
  );
  const command = call.argv[at] ?? '';
  const rest = call.argv.slice(at + 1);
  if (
    at > 0 &&
    (/^(?:exec|x|dlx)$/.test(command) ||
      (name !== 'npm' && !BUILT_INS.test(command)) ||
      (name === 'yarn' && command === 'node'))
  ) {
    const runs = /^(?:exec|x|dlx)$/.test(command);
    const from = runs ? rest : [command, ...rest];
    const text = from.findIndex((arg) => arg === '-c' || arg === '--call');
    shell.record(runs ? { ...call, argv: call.argv.slice(0, at + 1) } : call);
    if (runs && text >= 0) {
      runArgument(from[text + 1] ?? '', `${name} exec -c`, shell);
      return UNKNOWN;
    }
    const first = from.findIndex((arg) => !arg.startsWith('-'));
    if (first >= 0)
      shell.subshell(`${name}${runs ? ` ${command}` : ''}`, () =>
        shell.run({ ...call, argv: from.slice(first), assignments: [], redirects: [] }),
      );
    return UNKNOWN;
  }
  shell.record(call);
  return UNKNOWN;
}

function make(call: Call, shell: Interpreter): Word {
  // Recorded first: a recursive recipe ends the evaluation.
  const out = finish(call, shell);
  if (shell.via.filter((via) => via === 'make').length > 3) return out;
  const makefiles: Word[] = [];
  let isGiven = false;
  for (const [at, arg] of call.argv.entries()) {
    const text = arg.startsWith('--eval=')
      ? arg.slice(7)
      : arg === '--eval' || arg === '-E'
        ? call.argv[at + 1]
        : undefined;
    if (text !== undefined) makefiles.push(text);
    const file = /^(?:-f|--file|--makefile)$/.test(arg)
      ? call.argv[at + 1]
      : /^(?:-f|--file=|--makefile=)(.+)$/.exec(arg)?.[1];
    isGiven ||= file !== undefined;
    const content = file === undefined ? undefined : file === '-' ? call.stdin?.text : shell.readFile(file, call.stdin);
    if (content !== undefined) makefiles.push(content);
  }
  for (const name of isGiven ? [] : ['Makefile', 'makefile', 'GNUmakefile']) {
    const content = shell.readFile(name, undefined);
    if (content !== undefined) makefiles.push(content);
  }
  for (const text of makefiles) {
    for (const match of text.matchAll(/\$\(shell ([^)]*)\)/g)) runArgument(match[1] ?? '', 'make $(shell)', shell);
    for (const line of text.split('\n')) {
      const recipe = /^(?:\t|[\w.% -]+:[^=;]*;)[-@+\s]*(.+)$/.exec(line)?.[1];
      if (recipe !== undefined) runArgument(recipe.replaceAll('$$', '$'), 'make', shell);
    }
  }
  return out;
}
