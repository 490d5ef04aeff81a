import { BUILTINS } from './builtins.ts';
import { readCode, toLanguage } from '../programs/interpreters.ts';
import { LAUNCHERS } from '../programs/launchers.ts';
import type { Call, Interpreter } from './interpreter.ts';
import { runShell, SHELLS } from '../programs/shells.ts';
import { runTextTool } from '../programs/text-tools.ts';
import { hasGlob, isDynamic, OPAQUE, showWord, UNKNOWN, type Word } from '../expansion/word.ts';
import { unwrap, WRAPPERS } from '../programs/wrappers.ts';

/** Follows one command to what it really runs, notes it, and returns what it prints. */
export function runCommand(call: Call, walk: Interpreter): Word {
  const word = call.argv[0] ?? '';
  if (isDynamic(word) || hasGlob(word)) {
    walk.record(call);
    const what = hasGlob(word) ? 'a pattern of file names' : 'only known when it runs';
    walk.report({ rule: 'dynamic', reason: `the program's name ${showWord(word)} is ${what}` });
    return OPAQUE;
  }
  const alias = walk.scope.aliases.get(word);
  if (alias !== undefined && !walk.via.includes(`alias ${word}`)) {
    return walk.text([alias, ...call.argv.slice(1).map(quote)].join(' '), `alias ${word}`, call.feed);
  }
  if (walk.scope.functions.has(word)) return walk.body(word, call.argv.slice(1), call.feed);
  const written = word.includes('/') ? walk.readFile(word, call.feed) : undefined;
  if (written !== undefined) {
    walk.record(call);
    return runWritten(call, written, walk);
  }
  const name = word.slice(word.lastIndexOf('/') + 1);
  const builtin = Object.hasOwn(BUILTINS, name) ? BUILTINS[name] : undefined;
  if (builtin) return builtin({ ...call, argv: [name, ...call.argv.slice(1)] }, walk);
  if (SHELLS.has(name)) return runShell(call, walk);
  if (Object.hasOwn(WRAPPERS, name) || /^ld(?:-linux.*)?[-.].*so/.test(name)) return unwrap(name, call, walk);
  const launcher = Object.hasOwn(LAUNCHERS, name) ? LAUNCHERS[name] : undefined;
  if (launcher) return launcher({ ...call, argv: [name, ...call.argv.slice(1)] }, walk);
  return runProgram(name, call, walk);
}

function runProgram(name: string, call: Call, walk: Interpreter): Word {
  const args = call.argv.slice(1);
  const readFile = (path: Word) => walk.readFile(path, call.feed);
  const code = readCode(name, args, { feed: call.feed, readFile });
  walk.record(call, code);
  if (name === 'tee') {
    for (const path of args)
      if (!path.startsWith('-')) walk.writeFile(path, call.feed?.text ?? UNKNOWN, args.includes('-a'));
  }
  if (name === 'cp' || name === 'mv' || name === 'ln' || name === 'install') {
    const paths = args.filter((arg) => !arg.startsWith('-'));
    const from = readFile(paths[0] ?? '');
    if (paths.length === 2 && from !== undefined) walk.writeFile(paths[1] ?? '', from, false);
  }
  writeOutputs(name, args, walk);
  const tool = toLanguage(name) ?? name;
  return runTextTool(tool, { args, stdin: call.feed?.text, readFile }) ?? UNKNOWN;
}

/** Programs that fetch, decode or make a file: what is in it is not known. */
function writeOutputs(name: string, args: Word[], walk: Interpreter): void {
  const flags: Record<string, RegExp> = {
    curl: /^(?:-o|--output)$/,
    wget: /^(?:-O|--output-document)$/,
    openssl: /^-out$/,
    gpg: /^(?:-o|--output)$/,
  };
  const flag = flags[name];
  if (flag) {
    const at = args.findIndex((arg) => flag.test(arg));
    if (at >= 0) walk.writeFile(args[at + 1] ?? '', UNKNOWN, false);
    const remote =
      name === 'wget' || args.some((arg) => /^-\w*O$/.test(arg)) ? args.find((arg) => /:\/\//.test(arg)) : undefined;
    if (remote !== undefined) walk.writeFile(remote.slice(remote.lastIndexOf('/') + 1), UNKNOWN, false);
  }
  if (name === 'dd') {
    const out = args.find((arg) => arg.startsWith('of='));
    if (out !== undefined) walk.writeFile(out.slice(3), UNKNOWN, false);
  }
}

/** Runs a file that this line wrote. */
function runWritten(call: Call, text: Word, walk: Interpreter): Word {
  const path = call.argv[0] ?? '';
  if (isDynamic(text)) {
    walk.report({ rule: 'downloaded', reason: `it runs ${showWord(path)}, and what is in that file is not known` });
    return OPAQUE;
  }
  const interpreter = /^#!\s*(?:\S*\/env\s+(?:-S\s+)?)?(\S+)/.exec(text)?.[1];
  const name = interpreter?.slice(interpreter.lastIndexOf('/') + 1) ?? 'sh';
  const language = toLanguage(name);
  if (language !== undefined) {
    walk.inside(path, () => walk.record({ ...call, argv: [name, path] }, [{ language, text }]));
    return OPAQUE;
  }
  return walk.subshell(path, () => {
    walk.scope.positional = call.argv;
    return walk.text(text, '', call.feed);
  });
}

function quote(word: Word): string {
  return `'${word.replaceAll("'", `'\\''`)}'`;
}
