import { METER } from './meters.ts';
import type { Emitter, Node } from './node.ts';

export interface Binding {
  /** Statements before the loop. */
  before: string;
  /** Statements that bind the names to the value of a variable. */
  each: (value: string) => string;
}

/**
 * Binds the names of a parameter or of a declaration in a loop: `[key, value]` of a list without a class of its own by
 * index, since its iterator is a call for each element.
 *
 * @returns Undefined for a pattern of another form.
 */
export function toBinding(pattern: Node, { emit, name }: Emitter): Binding | undefined {
  if (pattern.type === 'Identifier') return { before: '', each: (value) => `let ${pattern.name} = ${value};` };
  if (pattern.type === 'ObjectPattern') {
    const text = emit(pattern);
    return { before: '', each: (value) => `let ${text} = ${value};` };
  }
  if (pattern.type !== 'ArrayPattern') return undefined;
  const elements = pattern.elements ?? [];
  if (elements.some((one) => one && one.type !== 'Identifier')) return undefined;
  const [symbol, host, own] = [name('symbol'), name('host'), name('own')];
  const names = elements.flatMap((one) => one?.name ?? []);
  const text = emit(pattern);
  const each = (value: string): string => {
    const isList = `typeof ${value} === 'object' && ${value} !== null && (${value}[${symbol}] === ${host} || ${value}[${symbol}] === ${own})`;
    const parts = elements.map((one, index) => (one ? `${one.name} = ${value}[${index}];` : '')).join(' ');
    if (names.length === 0) return '';
    return `let ${names.join(', ')}; if (${isList}) { ${parts} } else (${text} = ${value});`;
  };
  return {
    before: `const { iterator: ${symbol}, hostValues: ${host}, ownValues: ${own} } = ${METER};`,
    each,
  };
}
