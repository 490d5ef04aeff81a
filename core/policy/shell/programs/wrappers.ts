import { singleQuote } from '../../../protocol/quote-shell-word.ts';
import { assignWord } from '../interpreter/assign.ts';
import { toUnreadable } from '../evaluation.ts';
import type { Call, Interpreter } from '../interpreter/interpreter.ts';
import { readOptions } from './options.ts';
import { runInner } from './run-argument.ts';
import { resolvePath } from '../expansion/resolve-path.ts';
import { isDynamic, UNKNOWN, type Word } from '../expansion/word.ts';
import { forNames, toList } from '../../word-list.ts';

/** How a program runs another one. Lists are words with a space between them. */
interface Wrapper {
  /** Options that take a value. */
  valued?: string;
  /** Number of words before the command, such as the time of `timeout`. */
  skip?: number;
  /** Takes `NAME=value` before the command. */
  assigns?: boolean;
  /** Options whose value is shell text. */
  text?: string;
  /** A shell runs the joined words of the command. */
  joins?: boolean;
  /** It may fetch the program first: the program's name is recorded with the wrapper. */
  fetches?: boolean;
  /** Each word is a separate shell text. */
  each?: boolean;
  /** With these options it only describes the command. */
  describes?: string;
  /** The word before the command, such as `exec` in `npm exec`. */
  after?: string;
}

/** Programs that run the program in their arguments. */
export const WRAPPERS: Record<string, Wrapper> = {
  ...forNames('nohup setsid builtin unbuffer busybox toybox dbus-run-session firejail fakechroot eatmydata', {}),
  ...forNames('linux64 linux32 i386 x86_64 prlimit tini dumb-init chronic catchsegv valgrind entr', {}),
  ...forNames('rlwrap torsocks proxychains', {}),
  ...forNames('gosu chroot faketime setarch', { skip: 1 }),
  ...forNames('pipx poetry pipenv hatch rye', { after: 'run' }),
  ...forNames('bundle rbenv pyenv asdf', { after: 'exec' }),
  env: { valued: '-u --unset -C --chdir -S --split-string -a --argv0', assigns: true },
  sudo: { valued: '-u -g -h -p -C -r -t -U -D -R -T --user --group', assigns: true },
  doas: { valued: '-u -C' },
  pkexec: { valued: '--user' },
  su: { valued: '-c --command -s --shell -g -G', text: '-c --command', skip: 99 },
  runuser: { valued: '-c --command -u -s -g', text: '-c --command' },
  setpriv: { valued: '--reuid --regid --groups --inh-caps --bounding-set' },
  capsh: { valued: '-c', text: '-c' },
  command: { describes: '-v -V' },
  exec: { valued: '-a' },
  time: { valued: '-f -o --format --output' },
  nice: { valued: '-n --adjustment' },
  ionice: { valued: '-c -n -p --class --classdata' },
  chrt: { skip: 1, valued: '-T -P -D' },
  taskset: { skip: 1, valued: '-p' },
  timeout: { skip: 1, valued: '-s -k --signal --kill-after' },
  stdbuf: { valued: '-i -o -e --input --output --error' },
  unshare: { valued: '-S -G -R -w' },
  nsenter: { valued: '-t -S -G --target' },
  flock: { skip: 1, valued: '-w -E -c --command --timeout', text: '-c --command' },
  watch: { valued: '-n --interval', joins: true },
  strace: { valued: '-o -e -p -s -E -u -a -P' },
  ltrace: { valued: '-o -e -p -s -u -a -n' },
  script: { valued: '-c --command -I -O -B -T -E', text: '-c --command', skip: 99 },
  'systemd-run': { valued: '-p -u -t --unit --property' },
  bwrap: { skip: 0, valued: '--bind --dev-bind --chdir --proc --dev --tmpfs' },
  proot: { valued: '-r -b -w' },
  fakeroot: { valued: '-i -s' },
  cpulimit: { valued: '-l -p -e' },
  'xvfb-run': { valued: '-s -n -e' },
  perf: { skip: 1, valued: '-e -o' },
  hyperfine: {
    valued: '-w -r -m -M -n -p -c -s --warmup --runs --prepare --setup --cleanup --export-json --export-markdown',
    each: true,
    text: '-p -c -s --prepare --setup --cleanup',
  },
  'cross-env': { assigns: true },
  'cross-env-shell': { assigns: true, joins: true },
  npx: { fetches: true, valued: '-p --package -c --call -w --workspace', text: '-c --call' },
  bunx: { fetches: true },
  uv: { after: 'run', valued: '--with --python -p --group --extra --package --env-file' },
  uvx: { valued: '--from --with' },
  mise: { after: 'exec x' },
  direnv: { after: 'exec', skip: 1 },
  'nix-shell': { valued: '--run --command -p -A', text: '--run --command', skip: 99 },
  ssh: { skip: 1, joins: true, valued: '-o -i -p -l -F -L -R -D -J -E -c -m -W -b -S -Q' },
  xargs: { valued: '-n -P -I -L -s -d -E -a --arg-file --max-args --max-procs --delimiter --replace' },
  sshpass: { valued: '-p -f' },
  at: { valued: '-f -q -t', skip: 99 },
};

/** Runs the command of a wrapper. The wrapper is recorded without that command. */
export function unwrap(name: string, call: Call, shell: Interpreter): Word {
  const wrapper = WRAPPERS[name] ?? {};
  const texts = toList(wrapper.text);
  const valued = toList(wrapper.valued);
  let args = call.argv.slice(1);
  if (wrapper.after) {
    const [first = '', ...others] = readOptions(args, valued, true).rest;
    if (!toList(wrapper.after).includes(first)) {
      shell.record(call);
      return UNKNOWN;
    }
    args = others;
  }
  const options = readOptions(args, [...valued, ...texts], true);
  let rest = options.rest;
  const assignments = [...call.assignments];
  if (wrapper.assigns) {
    // `env` takes any name: `BASH_FUNC_ls%%` defines a function of the next shell.
    while (/^[^=]+=/.test(rest[0] ?? '') || rest[0] === '-') {
      const word = rest[0] ?? '';
      const done = word === '-' ? undefined : (assignWord(word, shell) ?? toAssignment(word));
      if (done) assignments.push(done);
      rest = rest.slice(1);
    }
  }
  const skipped = rest.slice(0, wrapper.skip ?? 0);
  rest = rest.slice(wrapper.skip ?? 0);
  const own = call.argv.slice(0, call.argv.length - rest.length);
  const noted = wrapper.fetches ? [...own, ...rest.slice(0, 1)] : own;
  shell.record({ ...call, argv: wrapper.each ? own.slice(0, 1) : noted, assignments });
  if (toList(wrapper.describes).some((flag) => options.flags.has(flag))) return UNKNOWN;
  const folder = options.values.get('-C') ?? options.values.get('--chdir');
  const run = (): Word => {
    if (name === 'env' && folder !== undefined)
      shell.scope.cwds = shell.scope.cwds.map((cwd) => resolvePath(folder, cwd));
    let out = '';
    for (const { flag, value } of options.all) {
      if (texts.includes(flag)) out += runText(value, call, shell);
      if (name === 'env' && (flag === '-S' || flag === '--split-string'))
        out += splitString(value, { call, rest }, shell);
    }
    if (name === 'xargs') return out + runXargs(options, call, shell);
    if (wrapper.each) return out + rest.map((text) => runText(text, call, shell)).join('');
    // `flock FILE -c TEXT`
    if (name === 'flock' && /^(?:-c|--command)$/.test(rest[0] ?? '')) return out + runText(rest[1] ?? '', call, shell);
    if (rest.length === 0 || out !== '') return out;
    if (wrapper.joins) return runText(rest.join(' '), call, shell);
    return runInner(rest, shell, call.stdin);
  };
  // An option without an entry in `valued` can take the next word.
  const [, ...later] = rest;
  const hasUnknown = [...options.flags].some((flag) => !options.values.has(flag)) && options.rest.length > 1;
  if (hasUnknown && !wrapper.each && !wrapper.joins && later.length > 0 && !later[0]!.startsWith('-'))
    shell.subshell(name, () => runInner(later, shell, call.stdin));
  // `exec`, `command` and `builtin` run in this shell; other wrappers cannot change it.
  if (name === 'exec' || name === 'command' || name === 'builtin') return shell.inside(name, run);
  return shell.subshell([name, ...skipped].join(' ').slice(0, 40), run);
}

function toAssignment(word: Word): { name: string; value: Word } {
  const at = word.indexOf('=');
  return { name: word.slice(0, at), value: word.slice(at + 1) };
}

function runText(text: Word, call: Call, shell: Interpreter): Word {
  if (isDynamic(text))
    shell.report({ rule: 'dynamic', reason: `${call.argv[0]} runs text that is only known at run time` });
  return shell.evaluate(text, '', call.stdin);
}

/** `env -S`: words in quotes and escapes, without expansion. */
function splitString(value: Word, { call, rest }: { call: Call; rest: Word[] }, shell: Interpreter): Word {
  const text = value.replaceAll('\\_', ' ');
  return shell.evaluate(`env ${text} ${rest.map(singleQuote).join(' ')}`, 'env -S', call.stdin);
}

function runXargs({ values, flags, rest }: ReturnType<typeof readOptions>, call: Call, shell: Interpreter): Word {
  const command = rest.length > 0 ? rest : ['echo'];
  const input = values.has('-a') || values.has('--arg-file') ? UNKNOWN : (call.stdin?.text ?? UNKNOWN);
  const isPlaced = flags.has('-i') || flags.has('--replace');
  const token = values.get('-I') ?? values.get('--replace') ?? (isPlaced ? '{}' : undefined);
  const run = (argv: Word[]) => runInner(argv, shell);
  if (token !== undefined) {
    const items = atMost(48, toItems(input, '\\n'), shell);
    return (items.length > 0 ? items : [UNKNOWN])
      .map((item) => run(command.map((word) => word.replaceAll(token, () => item.trim()))))
      .join('');
  }
  const isZero = flags.has('-0') || flags.has('--null');
  const given = atMost(
    512,
    toItems(input, values.get('-d') ?? values.get('--delimiter') ?? (isZero ? '\\0' : '')),
    shell,
  );
  const each = Number(values.get('-n') ?? values.get('--max-args') ?? values.get('-L') ?? 0);
  if (!(each > 0 && given.length > each)) return run([...command, ...given]);
  let out = '';
  for (let at = 0; at < given.length; at += each) out += run([...command, ...given.slice(at, at + each)]);
  return out;
}

/** The words that xargs reads; without a delimiter, quotes and backslashes keep spaces. */
function toItems(input: Word, delimiter: string): Word[] {
  const isLine = delimiter === '\\n' || delimiter === '\\0';
  const items = delimiter === '' ? splitQuoted(input) : input.split(isLine ? /[\u0000\n]/ : delimiter);
  return items.filter((item) => item !== '');
}

/** The first `count` items; reports that there are more, so that none can hide. */
function atMost(count: number, items: Word[], shell: Interpreter): Word[] {
  if (items.length <= count) return items;
  shell.report(toUnreadable('it runs a program too often'));
  return items.slice(0, count);
}

/** Words as xargs reads them: quotes and backslashes keep spaces. */
function splitQuoted(text: Word): Word[] {
  const out: Word[] = [];
  for (const match of text.matchAll(/(?:\\[^]|'[^'\n]*'|"[^"\n]*"|[^\s])+/g)) {
    out.push(match[0].replace(/'([^'\n]*)'|"([^"\n]*)"|\\([^])/g, '$1$2$3'));
  }
  return out;
}
