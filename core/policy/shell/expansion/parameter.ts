import type { ParameterExpansionPart, Word as SourceWord } from 'unbash';
import { expandHiddenInExpression, expandHidden } from './hidden-substitution.ts';
import type { ExpansionContext } from '../interpreter/interpreter.ts';
import { couldBe, isKnown, isOpaque, OPAQUE, UNKNOWN, toGlobWord, withoutGlob, type Word } from './word.ts';

/** The value of `$name`, of a position or of a special parameter; undefined if this line does not set it. */
export function lookUp(name: string, context: ExpansionContext): Word[] | undefined {
  const { scope } = context;
  if (name === '@' || name === '*') return scope.positional.slice(1);
  if (/^\d+$/.test(name)) {
    const value = scope.positional[Number(name)];
    return value === undefined ? [''] : [value];
  }
  if (name === '#') return [String(scope.positional.length - 1)];
  if (name === 'PWD') return scope.cwds.length === 1 ? [scope.cwds[0] ?? UNKNOWN] : [UNKNOWN];
  const value = scope.variables.get(name);
  if (value === undefined) return undefined;
  return typeof value === 'string' ? [value] : value;
}

/** Expands `${…}` to one word, or to several for `$@` and an array; `expand` reads the words in it. */
export function expandParameter(
  part: ParameterExpansionPart,
  context: ExpansionContext,
  expand: (word: SourceWord) => Word,
): Word[] {
  context.step();
  const name = part.parameter;
  const index = part.index && expand(part.index);
  if (index !== undefined) {
    expandHidden(`[${index}]`, context);
    expandHiddenInExpression(index, context);
  }
  let values = pick(lookUp(name, context), index);
  const operation = part.operation;
  const change = (each: (value: Word) => Word): Word[] => values?.map(each) ?? [UNKNOWN];
  if (part.prefix === '!') {
    if (operation?.type === 'Names') return [OPAQUE];
    if (index === '@' || index === '*') return values ? values.map((_, at) => String(at)) : [UNKNOWN];
    const target = values?.[0];
    if (target === undefined || !isKnown(target)) return [UNKNOWN];
    expandHidden(target, context);
    const indexed = /^(\w+)\[(\d+|[@*])\]$/.exec(target);
    values = indexed ? pick(lookUp(indexed[1] ?? '', context), indexed[2]) : lookUp(target, context);
  }
  if (part.prefix === '#') return [UNKNOWN];
  if (!operation) return values ?? [UNKNOWN];
  switch (operation.type) {
    case 'Default': {
      const isSet = values !== undefined && (!operation.operator.startsWith(':') || values.join('') !== '');
      const operand = expand(operation.operand);
      // A variable of the environment may be set or not.
      if (operation.operator.endsWith('+') && values === undefined) return [operand === '' ? '' : UNKNOWN];
      if (operation.operator.endsWith('+')) return [isSet ? operand : ''];
      if (isSet) return values ?? [];
      if (operation.operator.endsWith('=')) context.scope.variables.set(name, operand);
      return operation.operator.endsWith('?') ? [UNKNOWN] : [operand];
    }
    case 'Slice': {
      for (const word of [operation.offset, operation.length])
        if (word) expandHiddenInExpression(expand(word), context);
      const offset = toInteger(expand(operation.offset), context);
      const length = operation.length && toInteger(expand(operation.length), context);
      if (!values || offset === undefined || (operation.length && length === undefined)) return [unknownFrom(values)];
      const isList = [name, index].some((it) => it === '@' || it === '*');
      // The positional parameters are counted from `$0`.
      const list = index === undefined ? [context.scope.positional[0] ?? '', ...values] : values;
      if (isList) return list.slice(offset, length === undefined ? undefined : offset + length);
      return values.map((value) => slice(value, offset, length));
    }
    case 'Remove': {
      const pattern = toGlobWord(expand(operation.operand));
      return change((value) => remove(value, pattern, operation.operator));
    }
    case 'Replace': {
      const pattern = withoutGlob(expand(operation.pattern));
      const replacement = expand(operation.replacement);
      return change((value) => replace(value, pattern, { replacement, operator: operation.operator }));
    }
    case 'CaseModification': {
      const pattern = operation.operand && expand(operation.operand);
      return change((value) => changeCase(value, operation.operator, pattern));
    }
    case 'Transform': {
      const kind = expand(operation.operand);
      if (kind === 'P') for (const value of values ?? []) expandHidden(value, context, { anywhere: true });
      return [unknownFrom(values)];
    }
    case 'Names':
    case 'Unknown':
      return [unknownFrom(values)];
  }
}

/** Opaque if it was computed from known text, else unknown. */
function unknownFrom(values: Word[] | undefined): Word {
  return values?.some((value) => value !== '' && isKnown(value)) ? OPAQUE : UNKNOWN;
}

function pick(values: Word[] | undefined, index: Word | undefined): Word[] | undefined {
  if (values === undefined || index === undefined || index === '@' || index === '*') return values;
  if (!/^-?\d+$/.test(index)) return [unknownFrom(values)];
  return [values.at(Number(index)) ?? (values.some(isOpaque) ? OPAQUE : '')];
}

function toInteger(text: Word, context: ExpansionContext): number | undefined {
  const trimmed = text.trim();
  if (/^-?\d{1,6}$/.test(trimmed)) return Number(trimmed);
  const variable = lookUp(trimmed, context)?.[0];
  return variable !== undefined && /^-?\d{1,6}$/.test(variable) ? Number(variable) : undefined;
}

function slice(value: Word, offset: number, length: number | undefined): Word {
  if (value.startsWith('/~') && offset === 0 && length === 1) return '/';
  if (!isKnown(value)) return UNKNOWN;
  const start = offset < 0 ? Math.max(0, value.length + offset) : offset;
  if (length === undefined) return value.slice(start);
  return value.slice(start, length < 0 ? value.length + length : start + length);
}

function remove(value: Word, pattern: Word, operator: '#' | '##' | '%' | '%%'): Word {
  if (!isKnown(value)) return UNKNOWN;
  if (value.length > 512) return OPAQUE;
  const front = operator.startsWith('#');
  const shortest = operator.length === 1;
  for (let step = 0; step <= value.length; step++) {
    const size = shortest ? step : value.length - step;
    const piece = front ? value.slice(0, size) : value.slice(value.length - size);
    // A slash is an ordinary character here, so patterns match it.
    if (couldBe(pattern, piece.replaceAll('/', '\u0001'), true) || couldBe(pattern, piece, true)) {
      return front ? value.slice(size) : value.slice(0, value.length - size);
    }
  }
  return value;
}

function replace(value: Word, pattern: Word, { replacement, operator }: { replacement: Word; operator: string }): Word {
  if (!isKnown(value) || !isKnown(pattern)) return value === UNKNOWN ? UNKNOWN : OPAQUE;
  if (pattern === '') return value;
  if (/[*?[]/.test(pattern)) return OPAQUE;
  if (operator === '//') return value.replaceAll(pattern, () => replacement);
  if (operator === '/#') return value.startsWith(pattern) ? replacement + value.slice(pattern.length) : value;
  if (operator === '/%') return value.endsWith(pattern) ? value.slice(0, -pattern.length) + replacement : value;
  return value.replace(pattern, () => replacement);
}

function changeCase(value: Word, operator: string, pattern: Word | undefined): Word {
  if (pattern !== undefined && pattern !== '' && !couldBe(toGlobWord(pattern), 'a')) return OPAQUE;
  const convert = (text: string) => (operator.startsWith('^') ? text.toUpperCase() : text.toLowerCase());
  return operator.length === 2 ? convert(value) : convert(value.slice(0, 1)) + value.slice(1);
}
