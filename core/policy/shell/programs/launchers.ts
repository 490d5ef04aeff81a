import { readCode } from './interpreters.ts';
import type { Call, Interpreter } from '../interpreter/interpreter.ts';
import { resolvePath } from '../expansion/resolve-path.ts';
import { runTextTool } from './text-tools.ts';
import { ANY_NAME, isDynamic, STAR, toGlobWord, UNKNOWN, type Word } from '../expansion/word.ts';

type Launcher = (call: Call, shell: Interpreter) => Word;

const TAR_COMMANDS =
  '--to-command --use-compress-program -I --checkpoint-action --info-script --new-volume-script -F --rsh-command --rmt-command'.split(
    ' ',
  );

/** Programs that start other programs by some of their arguments. */
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

/** A debugger starts the program behind `--args` (gdb) or `--` (lldb) with its arguments. */
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

function runArgument(text: Word, label: string, shell: Interpreter): void {
  const plain = text.replace(/^exec=/, '');
  if (isDynamic(plain)) shell.report({ rule: 'dynamic', reason: `${label} runs text that is only known when it runs` });
  shell.subshell(undefined, () => shell.evaluate(plain, label, { text: UNKNOWN }));
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

/** Options whose value is run by a shell. */
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

/** What `{}` can stand for. */
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

/** Settings whose value git hands to a shell. */
const GIT_COMMANDS =
  /^(?:core\.(?:fsmonitor|sshcommand|pager|editor|askpass|gitproxy|alternaterefscommand)|sequence\.editor|pager\..+|diff\.external|(?:diff|filter|merge)\..+\.(?:command|textconv|clean|smudge|process|driver)|(?:difftool|mergetool|man|browser|trailer)\..+\.(?:cmd|path|command)|credential(?:\..+)?\.helper|gpg(?:\..+)?\.program|interactive\.difffilter|uploadpack\..+|submodule\..+\.update)$/i;

function git(call: Call, shell: Interpreter): Word {
  const args = call.argv.slice(1);
  let at = 0;
  let folder: string | undefined;
  for (; at < args.length && (args[at] ?? '').startsWith('-'); at++) {
    const arg = args[at] ?? '';
    if (arg === '-C') folder = args[++at];
    else if (arg === '-c' || arg === '--config-env') runSetting(args[++at] ?? '', shell);
    else if (/^--(?:git-dir|work-tree|namespace|super-prefix|exec-path)$/.test(arg)) at++;
  }
  const rest = args.slice(at + 1);
  if (folder !== undefined) {
    const to = folder;
    return shell.subshell(undefined, () => {
      shell.scope.cwds = shell.scope.cwds.map((cwd) => resolvePath(to, cwd));
      return subcommand(call, { name: args[at] ?? '', rest }, shell);
    });
  }
  return subcommand(call, { name: args[at] ?? '', rest }, shell);
}

function runSetting(setting: Word, shell: Interpreter): void {
  const at = setting.indexOf('=');
  const [key, value] = at < 0 ? [setting, ''] : [setting.slice(0, at), setting.slice(at + 1)];
  if (/^alias\./i.test(key)) {
    const text = value.startsWith('!') ? value.slice(1) : `git ${value}`;
    runArgument(text, 'git alias', shell);
  } else if (GIT_COMMANDS.test(key) && !/^(?:true|false|cat|less|:|)$/.test(value))
    runArgument(value.replace(/^!/, ''), `git -c ${key}`, shell);
}

function subcommand(call: Call, { name, rest }: { name: Word; rest: Word[] }, shell: Interpreter): Word {
  const own = call.argv.slice(0, call.argv.length - rest.length);
  const inner = (label: string, argv: Word[]) => {
    if (argv.length > 0)
      shell.subshell(label, () => shell.run({ argv, stdin: undefined, assignments: [], redirects: [] }));
  };
  const valueOf = (...flags: string[]) => {
    for (const [at, arg] of rest.entries()) {
      const flag = flags.find(
        (item) => arg === item || arg.startsWith(`${item}=`) || (item.length === 2 && arg.startsWith(item)),
      );
      if (flag !== undefined) return arg === flag ? (rest[at + 1] ?? '') : arg.slice(flag.length).replace(/^=/, '');
    }
    return undefined;
  };
  if (name === 'bisect' && rest[0] === 'run') {
    shell.record({ ...call, argv: [...own, 'run'] });
    inner('git bisect run', rest.slice(1));
    return UNKNOWN;
  }
  if (name === 'submodule' && rest[0] === 'foreach') {
    shell.record({ ...call, argv: [...own, 'foreach'] });
    runArgument(
      rest
        .slice(1)
        .filter((arg) => arg !== '--recursive')
        .join(' '),
      'git submodule foreach',
      shell,
    );
    return UNKNOWN;
  }
  if (name === 'rebase') {
    const text = valueOf('-x', '--exec');
    if (text !== undefined) runArgument(text, 'git rebase --exec', shell);
  }
  if (name === 'filter-branch')
    for (const arg of rest.filter((word) => / /.test(word))) runArgument(arg, 'git filter-branch', shell);
  if (name === 'difftool' || name === 'mergetool') {
    const text = valueOf('-x', '--extcmd');
    if (text !== undefined) runArgument(text, `git ${name}`, shell);
  }
  if (name === 'grep') {
    const text = rest
      .map((arg) => /^(?:-O|--open-files-in-pager=)(.+)$/.exec(arg)?.[1])
      .find((value) => value !== undefined);
    if (text !== undefined) runArgument(text, 'git grep -O', shell);
  }
  if (name === 'config') {
    const words = rest.filter((arg) => !arg.startsWith('-') && arg !== 'set');
    if (words.length >= 2) runSetting(`${words[0]}=${words[1]}`, shell);
  }
  shell.record(call);
  if (name === 'ls-files') {
    const patterns = rest.filter((arg) => !arg.startsWith('-'));
    return (patterns.length > 0 ? patterns.map((pattern) => toGlobWord(pattern)) : [ANY_NAME])
      .map((word) => `${word}\n`)
      .join('');
  }
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
  // Noted first: a recipe that makes itself again ends the walk.
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
