import { describePlace, placeOf } from '../../places.ts';
import { isSecretFile } from '../../secrets/secret-files.ts';
import { ask, type ShellFinding } from './command-rule.ts';
import type { SimpleCommand } from '../evaluation.ts';
import { reach, toInside, type ShellContext } from './target.ts';
import { showWord } from '../expansion/word.ts';

/** Asks about commands of sed that start programs (`e`), or that read or write files (`r`, `w`). */
export function judgeSed(text: string, command: SimpleCommand, context: ShellContext): ShellFinding | undefined {
  let rest = text;
  for (let round = 0; round < 200 && rest !== ''; round++) {
    rest = rest.replace(/^[\s;{}]+/, '');
    // The address: numbers, `$`, expressions in slashes.
    rest = rest.replace(
      /^(?:\d+|\$|\/(?:[^/\\]|\\.)*\/I?)(?:\s*[,~]\s*(?:[+~]?\d+|\$|\/(?:[^/\\]|\\.)*\/I?))?\s*!?\s*/,
      '',
    );
    const name = rest[0];
    if (name === undefined) return undefined;
    if (name === 's' || name === 'y') {
      const end = endOfParts(rest);
      if (end < 0) return undefined;
      const flags = /^[a-zA-Z0-9]*/.exec(rest.slice(end))?.[0] ?? '';
      if (name === 's' && /e/.test(flags.replace(/w.*$/, ''))) return ask('sed starts a program');
      const target = name === 's' ? /w\s*(\S+)/.exec(rest.slice(end).split(/[\n;]/)[0] ?? '')?.[1] : undefined;
      if (target !== undefined) return judgeSedFile(target, command, context);
      rest = rest.slice(end + flags.length);
    } else if (name === 'e') return ask('sed starts a program');
    else if (name === 'w' || name === 'W' || name === 'r' || name === 'R') {
      return judgeSedFile(rest.slice(1).trim().split(/\s/)[0] ?? '', command, context);
    } else if (/[aic]/.test(name)) {
      const line = rest.indexOf('\n');
      rest = line < 0 ? '' : rest.slice(line + 1);
    } else rest = rest.slice(1);
  }
  return undefined;
}

function judgeSedFile(path: string, command: SimpleCommand, context: ShellContext): ShellFinding | undefined {
  const inside = toInside(path, command, context);
  const place = placeOf(inside);
  if (isSecretFile(inside, context.secretPatterns)) return ask(`sed reads or writes ${showWord(path)}, a secret file`);
  if (place) return ask(`sed writes ${showWord(path)}, which is ${describePlace(place)}`);
  const outside = reach(path, command, context).some(({ kind }) => kind === 'outside');
  return outside ? ask(`sed writes ${showWord(path)} outside the workspace`) : undefined;
}

function endOfParts(text: string): number {
  const delimiter = text[1];
  if (delimiter === undefined) return -1;
  let parts = 0;
  for (let at = 2; at < text.length; at++) {
    if (text[at] === '\\') at++;
    else if (text[at] === delimiter && ++parts === 2) return at + 1;
  }
  return -1;
}
