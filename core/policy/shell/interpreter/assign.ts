import type { Assignment, Command } from 'unbash';
import { expandText, expandWord } from '../expansion/expand.ts';
import type { ExpansionContext } from './interpreter.ts';
import { expandHidden } from '../expansion/hidden-substitution.ts';
import { isKnown, UNKNOWN, type Word } from '../expansion/word.ts';

export function assign(node: Assignment, context: ExpansionContext): Word {
  const { variables } = context.scope;
  const own = variables.get(node.name);
  const toArray = (): Word[] => (own === undefined ? [] : [own].flat());
  if (node.value.type === 'ArrayValue') {
    const elements = node.value.elements.flatMap((word) => expandWord(word, context));
    variables.set(node.name, [...(node.append ? toArray() : []), ...elements]);
    return elements.join(' ');
  }
  const value = expandText(node.value, context);
  if (node.index) {
    const at = expandText(node.index, context);
    expandHidden(`[${at}]`, context);
    const array = toArray();
    if (/^\d{1,4}$/.test(at)) {
      while (array.length < Number(at)) array.push('');
      array[Number(at)] = node.append ? (array[Number(at)] ?? '') + value : value;
    } else array.push(`[${at}]=${value}`);
    variables.set(node.name, array);
    return value;
  }
  if (node.append && Array.isArray(own)) {
    variables.set(node.name, [(own[0] ?? '') + value, ...own.slice(1)]);
    return value;
  }
  const joined = !node.append ? value : typeof own === 'string' ? own + value : UNKNOWN;
  variables.set(node.name, joined);
  return joined;
}

/** An argument of a command: words, or an assignment of `export`, `declare` and similar builtins. */
export function readArgument(argument: Command['args'][number], context: ExpansionContext): Word[] {
  if (argument.type === 'Word') return expandWord(argument, context);
  return [`${argument.name}=${assign(argument, context)}`];
}

/** Performs `NAME=value` from a plain word, as `env` and `export` take it. */
export function assignWord(word: Word, context: ExpansionContext): { name: string; value: Word } | undefined {
  const match = /^([A-Za-z_]\w*)(\+?)=([^]*)$/.exec(word);
  if (!match) return undefined;
  const [, name = '', append = '', value = ''] = match;
  const own = context.scope.variables.get(name);
  const joined = append && typeof own === 'string' && isKnown(own) ? own + value : value;
  context.scope.variables.set(name, joined);
  return { name, value: joined };
}
