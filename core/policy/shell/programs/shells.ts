import type { Call, Interpreter } from '../interpreter/interpreter.ts';
import { isDynamic, isOpaque, OPAQUE, showWord, type Word } from '../expansion/word.ts';
import { toSet } from '../../word-list.ts';

export const SHELLS: ReadonlySet<string> = toSet(
  'sh bash zsh dash ksh ksh93 mksh ash rbash fish csh tcsh yash posh hush',
);

const VALUED = new Set(['-o', '+o', '-O', '+O', '--rcfile', '--init-file']);

/** Runs `sh -c TEXT`, `sh FILE` and a shell that reads commands from standard input. */
export function runShell(call: Call, shell: Interpreter): Word {
  const name = call.argv[0] ?? 'sh';
  const label = name.slice(name.lastIndexOf('/') + 1);
  let command = false;
  let fromInput = false;
  let at = 1;
  for (; at < call.argv.length; at++) {
    const arg = call.argv[at] ?? '';
    if (arg === '--' || arg === '-') {
      at++;
      break;
    }
    if (!/^[-+]./.test(arg)) break;
    if (VALUED.has(arg)) {
      const file = call.argv[at + 1] ?? '';
      if (arg.includes('file')) {
        call = { ...call, redirects: [...call.redirects, { operator: '<', target: file }] };
        source(file, call, shell);
      }
      at++;
      continue;
    }
    if (arg.startsWith('--')) continue;
    if (arg.startsWith('-') && arg.includes('c')) command = true;
    if (arg.startsWith('-') && arg.includes('s')) fromInput = true;
    if (/^[-+]\w*[oO]$/.test(arg)) at++;
  }
  const rest = call.argv.slice(at);
  if (command) {
    shell.record({ ...call, argv: call.argv.slice(0, at) });
    return runText(
      rest[0] ?? '',
      { label: `${label} -c`, positional: rest.length > 1 ? rest.slice(1) : [label], call },
      shell,
    );
  }
  shell.record(call);
  const file = rest[0];
  if (file === undefined || fromInput || /^\/dev\/stdin$|\/fd\/0$/.test(file)) {
    if (!call.stdin) return '';
    return runText(
      call.stdin.text,
      { label: `… | ${label}`, positional: [label, ...rest], call: { ...call, stdin: undefined } },
      shell,
    );
  }
  const text = shell.readFile(file, call.stdin);
  if (text !== undefined) return runText(text, { label: `${label} ${showWord(file)}`, positional: rest, call }, shell);
  if (isDynamic(file))
    shell.report({ rule: 'dynamic', reason: `${label} runs a file whose name is only known at run time` });
  return '';
}

interface Text {
  label: string;
  positional: Word[];
  call: Call;
}

function runText(text: Word, { label, positional, call }: Text, shell: Interpreter): Word {
  if (isDynamic(text)) {
    const why = isOpaque(text) ? 'was decoded or computed' : 'is only known at run time';
    shell.report({ rule: 'downloaded', reason: `${label} runs text that ${why}` });
    if (text.length <= 1) return OPAQUE;
  }
  return shell.subshell(undefined, () => {
    shell.scope.positional = positional;
    shell.scope.errexit = false;
    return shell.evaluate(text, label, call.stdin);
  });
}

/** Runs `source FILE` in the current scope. */
export function source(file: Word, call: Call, shell: Interpreter): Word {
  const text = shell.readFile(file, call.stdin);
  if (text === undefined) {
    if (isDynamic(file))
      shell.report({ rule: 'dynamic', reason: `it sources a file whose name is only known at run time` });
    return '';
  }
  if (isDynamic(text)) {
    shell.report({
      rule: 'downloaded',
      reason: `it sources ${showWord(file)}, and the content of that file is not known`,
    });
    return OPAQUE;
  }
  return shell.evaluate(text, `source ${showWord(file)}`, call.stdin);
}
