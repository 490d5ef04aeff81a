import { toUnreadable } from '../evaluation.ts';
import type { Call, Interpreter } from '../interpreter/interpreter.ts';
import { resolvePath } from '../expansion/resolve-path.ts';
import { runArgument, runInner } from './run-argument.ts';
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
  const run = () => subcommand(call, { name: args[at] ?? '', rest }, shell);
  if (folder === undefined) return run();
  const to = folder;
  return shell.subshell(undefined, () => {
    shell.scope.cwds = shell.scope.cwds.map((cwd) => resolvePath(to, cwd));
    return run();
  });
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
  if (name === 'bisect' && rest[0] === 'run') {
    shell.record({ ...call, argv: [...own, 'run'] });
    if (rest.length > 1) shell.subshell('git bisect run', () => runInner(rest.slice(1), shell));
    return UNKNOWN;
  }
  if (
    (name === 'submodule' && rest[0] === 'foreach') ||
    (name === 'grep' && rest.some((arg) => /^(?:-O|--open-files-in-pager=)./.test(arg)))
  )
    shell.report(toUnreadable(`git ${name} runs what its arguments name`));
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
