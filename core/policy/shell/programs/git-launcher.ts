import type { Call, Interpreter } from '../interpreter/interpreter.ts';
import { resolvePath } from '../expansion/resolve-path.ts';
import { runArgument } from './run-argument.ts';
import { ANY_NAME, toGlobWord, UNKNOWN, type Word } from '../expansion/word.ts';

/** Settings whose value git passes to a shell. */
const GIT_COMMANDS =
  /^(?:core\.(?:fsmonitor|sshcommand|pager|editor|askpass|gitproxy|alternaterefscommand)|sequence\.editor|pager\..+|diff\.external|(?:diff|filter|merge)\..+\.(?:command|textconv|clean|smudge|process|driver)|(?:difftool|mergetool|man|browser|trailer)\..+\.(?:cmd|path|command)|credential(?:\..+)?\.helper|gpg(?:\..+)?\.program|interactive\.difffilter|uploadpack\..+|submodule\..+\.update)$/i;

/** Evaluates the programs that git starts because of its settings and subcommands. */
export function git(call: Call, shell: Interpreter): Word {
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
