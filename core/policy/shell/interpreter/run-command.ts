import { singleQuote } from '../../../protocol/quote-shell-word.ts';
import { BUILTINS } from './builtins.ts';
import { readCode, toLanguage } from '../programs/interpreters.ts';
import { LAUNCHERS, UNEVALUATED } from '../programs/launchers.ts';
import { toUnreadable } from '../evaluation.ts';
import type { Call, Interpreter } from './interpreter.ts';
import { runShell, SHELLS } from '../programs/shells.ts';
import { runTextTool } from '../programs/text-tools.ts';
import { hasGlob, isDynamic, OPAQUE, showWord, UNKNOWN, type Word } from '../expansion/word.ts';
import { unwrap, WRAPPERS } from '../programs/wrappers.ts';

/** Resolves one command to the program that runs, records it, and returns its output. */
export function runCommand(call: Call, shell: Interpreter): Word {
  const word = call.argv[0] ?? '';
  if (isDynamic(word) || hasGlob(word)) {
    shell.record(call);
    const what = hasGlob(word) ? 'a pattern of file names' : 'only known at run time';
    shell.report({ rule: 'dynamic', reason: `the program's name ${showWord(word)} is ${what}` });
    return OPAQUE;
  }
  const alias = shell.scope.aliases.get(word);
  if (alias !== undefined && !shell.via.includes(`alias ${word}`)) {
    return shell.evaluate([alias, ...call.argv.slice(1).map(singleQuote)].join(' '), `alias ${word}`, call.stdin);
  }
  if (shell.scope.functions.has(word)) return shell.callFunction(word, call.argv.slice(1), call.stdin);
  const program = word.includes('/') ? word : shell.findProgram(word);
  const written = program === undefined ? undefined : shell.readFile(program, call.stdin);
  if (program !== undefined && written !== undefined) {
    shell.record(call);
    return runWritten({ ...call, argv: [program, ...call.argv.slice(1)] }, written, shell);
  }
  const name = word.slice(word.lastIndexOf('/') + 1);
  const runs = Object.hasOwn(UNEVALUATED, name) ? UNEVALUATED[name] : undefined;
  if (runs && [...call.argv.slice(1), ''].some((arg) => runs.test(arg)))
    shell.report(toUnreadable(`${name} runs what its arguments name`));
  const builtin = Object.hasOwn(BUILTINS, name) ? BUILTINS[name] : undefined;
  if (builtin) return builtin({ ...call, argv: [name, ...call.argv.slice(1)] }, shell);
  if (SHELLS.has(name)) return runShell(call, shell);
  if (Object.hasOwn(WRAPPERS, name) || /^ld(?:-linux.*)?[-.].*so/.test(name)) return unwrap(name, call, shell);
  const launcher = Object.hasOwn(LAUNCHERS, name) ? LAUNCHERS[name] : undefined;
  if (launcher) return launcher({ ...call, argv: [name, ...call.argv.slice(1)] }, shell);
  return runProgram(name, call, shell);
}

function runProgram(name: string, call: Call, shell: Interpreter): Word {
  const args = call.argv.slice(1);
  const readFile = (path: Word) => shell.readFile(path, call.stdin);
  const code = readCode(name, args, {
    stdin: call.stdin,
    readFile,
    isGiven: (path) => shell.isGiven(path),
  });
  shell.record(call, code);
  if (name === 'tee') {
    for (const path of args)
      if (!path.startsWith('-')) shell.writeFile(path, call.stdin?.text ?? UNKNOWN, args.includes('-a'));
  }
  if (name === 'cp' || name === 'mv' || name === 'ln' || name === 'install') {
    const paths = args.filter((arg) => !arg.startsWith('-'));
    const from = readFile(paths[0] ?? '');
    if (paths.length === 2 && from !== undefined) shell.writeFile(paths[1] ?? '', from, false);
  }
  writeOutputs(name, args, shell);
  const tool = toLanguage(name) ?? name;
  return runTextTool(tool, { args, stdin: call.stdin?.text, readFile }) ?? UNKNOWN;
}

/** Options that name a file which the program fetches, decodes or creates, with unknown content. */
const OUTPUTS: Record<string, RegExp> = {
  curl: /^(?:-[a-zA-Z]*o|--output)$/,
  wget: /^(?:-[a-zA-Z]*O|--output-document)$/,
  openssl: /^-out$/,
  gpg: /^(?:-o|--output)$/,
};

function writeOutputs(name: string, args: Word[], shell: Interpreter): void {
  const written: (Word | undefined)[] = [];
  if (Object.hasOwn(OUTPUTS, name)) {
    written.push(args.find((_, at) => OUTPUTS[name]?.test(args[at - 1] ?? '')));
    const remote = args.find((arg) => arg.includes('://'));
    if (name === 'wget' || args.some((arg) => /^-\w*O$/.test(arg)))
      written.push(remote?.slice(remote.lastIndexOf('/') + 1));
  }
  if (name === 'dd') written.push(args.find((arg) => arg.startsWith('of='))?.slice(3));
  for (const path of written) if (path !== undefined) shell.writeFile(path, UNKNOWN, false);
}

function runWritten(call: Call, text: Word, shell: Interpreter): Word {
  const path = call.argv[0] ?? '';
  if (isDynamic(text)) {
    shell.report({
      rule: 'downloaded',
      reason: `it runs ${showWord(path)}, and the content of that file is not known`,
    });
    return OPAQUE;
  }
  const interpreter = /^#!\s*(?:\S*\/env\s+(?:-S\s+)?)?(\S+)/.exec(text)?.[1];
  const name = interpreter?.slice(interpreter.lastIndexOf('/') + 1) ?? 'sh';
  const language = toLanguage(name);
  if (language !== undefined) {
    const isFile = shell.isGiven(path) ? { isFile: true as const } : {};
    shell.inside(path, () => shell.record({ ...call, argv: [name, path] }, [{ language, text, ...isFile }]));
    return OPAQUE;
  }
  return shell.subshell(path, () => {
    shell.scope.positional = call.argv;
    return shell.evaluate(text, '', call.stdin);
  });
}
