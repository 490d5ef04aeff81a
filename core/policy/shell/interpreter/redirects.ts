import type { Redirection } from 'unbash';
import { expandParts, expandText, expandWord } from '../expansion/expand.ts';
import type { Stdin, Interpreter } from './interpreter.ts';
import type { Redirect } from '../evaluation.ts';
import { UNKNOWN, type Word } from '../expansion/word.ts';

/** Reads redirects in order: those to record, and the standard input that results. */
export function readRedirects(
  shell: Interpreter,
  redirects: readonly Redirection[],
  stdin: Stdin | undefined,
): { list: Redirect[]; stdin: Stdin | undefined } {
  const list: Redirect[] = [];
  let input = stdin;
  for (const redirect of redirects) {
    const descriptor = redirect.descriptor?.type === 'FileDescriptor' ? redirect.descriptor.value : undefined;
    if (redirect.type === 'Redirect') {
      const words = redirect.target ? expandWord(redirect.target, shell) : [];
      const target = words.length === 1 ? words[0]! : UNKNOWN;
      const copies = redirect.operator === '<&' || (redirect.operator === '>&' && /^\d+-?$|^-$/.test(target));
      if (redirect.operator.startsWith('<')) {
        const path = copies ? `/dev/fd/${target}` : target;
        const text: Stdin = {
          text: shell.readFile(path, stdin) ?? UNKNOWN,
          ...(shell.isGiven(path) ? { isFile: true } : {}),
        };
        if ((descriptor ?? 0) === 0) input = target === '0' && copies ? input : text;
        else shell.scope.files.set(`/dev/fd/${descriptor}`, text.text);
      }
      if (!copies) list.push({ operator: redirect.operator, target, ...(descriptor !== undefined && { descriptor }) });
      continue;
    }
    let text: Word;
    if (redirect.type === 'HereString') text = redirect.target ? `${expandText(redirect.target, shell)}\n` : UNKNOWN;
    else {
      if (redirect.body.parts) text = expandParts(redirect.body.parts, shell);
      // Without expansions the parser keeps the text as written, with backslashes.
      else if (redirect.delimiter?.quoted) text = redirect.body.text;
      else text = redirect.body.text.replace(/\\\n/g, '').replace(/\\([$`\\])/g, '$1');
      if (redirect.operator === '<<-') text = text.replace(/^\t+/gm, '');
    }
    list.push({ operator: '<<<', target: text, ...(descriptor !== undefined && { descriptor }) });
    if ((descriptor ?? 0) === 0) input = { text };
    else shell.scope.files.set(`/dev/fd/${descriptor}`, text);
  }
  return { list, stdin: input };
}

/** The output that is not redirected; output to a file is stored for later commands. */
export function finish(shell: Interpreter, out: Word, redirects: readonly Redirect[]): Word {
  let left = out;
  for (const { operator, target, descriptor } of redirects) {
    if (operator.startsWith('<') || (descriptor !== undefined && descriptor !== 1)) continue;
    shell.writeFile(target, out, operator.endsWith('>>'));
    if (!target.startsWith('/dev/std') && !target.startsWith('/dev/fd') && target !== '/dev/tty') left = '';
  }
  return left;
}
