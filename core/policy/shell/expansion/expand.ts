import { parse, type ArithmeticExpression, type Word as SourceWord, type WordPart } from 'unbash';
import { evaluateArithmetic } from './arithmetic.ts';
import { expandBraces } from './braces.ts';
import { limit } from '../interpreter/files.ts';
import type { ExpansionContext } from '../interpreter/interpreter.ts';
import { expandParameter, lookUp } from './parameter.ts';
import { HOME } from '../interpreter/scope.ts';
import { ANY_NAME, isKnown, ONE, OPAQUE, STAR, toGlobWord, UNKNOWN, withoutGlob, type Word } from './word.ts';

/** A part of a word. `split`: it came from an unquoted expansion. `fields`: from `"$@"`, one word each. */
interface Piece {
  text: Word;
  split: boolean;
  fields?: Word[];
  quoted?: boolean;
}

/** Expands a word into the words that a command gets: none, one or several. */
export function expandWord(word: SourceWord, context: ExpansionContext): Word[] {
  context.step();
  if (!word.parts?.some((part) => part.type === 'BraceExpansion')) return expandPlain(word, context);
  const texts = expandBraces(word.text);
  if (!texts) {
    context.report({ rule: 'unreadable', reason: 'a brace expansion makes too many words' });
    return [UNKNOWN];
  }
  return texts.flatMap((text) => {
    context.step();
    const again = reparse(text);
    return again ? expandPlain(again, context) : [text];
  });
}

/** As {@link expandWord}, for a word without braces. */
function expandPlain(word: SourceWord, context: ExpansionContext): Word[] {
  return word.parts ? toFields(toPieces(word, context), context) : [expandTilde(word.value, word.text, context)];
}

/** Expands a word that is not split: in an assignment, a redirect or quotes. */
export function expandText(word: SourceWord, context: ExpansionContext): Word {
  context.step();
  if (!word.parts) return expandTilde(word.value, word.text, context);
  return limit(withoutGlob(join(toPieces(word, context))));
}

/** Expands the parts of a here-document or of other double-quoted text. */
export function expandParts(parts: readonly WordPart[], context: ExpansionContext): Word {
  return limit(join(parts.flatMap((part) => expandPart(part, context, true))));
}

function join(pieces: Piece[]): Word {
  return pieces.map((piece) => piece.fields?.join(' ') ?? piece.text).join('');
}

export function expandArithmetic(expression: ArithmeticExpression | undefined, context: ExpansionContext): Word {
  const value = evaluateArithmetic(expression, context, (word) =>
    word.parts ? expandParts(word.parts, context) : word.value,
  );
  return value === undefined ? UNKNOWN : String(value);
}

function reparse(text: string): SourceWord | undefined {
  const statement = parse(`: ${text}`).commands[0]?.command;
  const [word, ...more] = statement?.type === 'Command' ? statement.suffix : [];
  return word?.type === 'Word' && more.length === 0 ? word : undefined;
}

function expandTilde(value: Word, raw: string, context: ExpansionContext): Word {
  if (!raw.startsWith('~')) return value;
  const slash = value.indexOf('/');
  const user = slash < 0 ? value : value.slice(0, slash);
  const rest = slash < 0 ? '' : value.slice(slash);
  if (user === '~') {
    const home = context.scope.variables.get('HOME');
    return (typeof home === 'string' ? home : HOME) + rest;
  }
  if (user === '~+') return (context.scope.cwds[0] ?? UNKNOWN) + rest;
  return user === '~-' ? UNKNOWN + rest : `/${user}${rest}`;
}

function toPieces(word: SourceWord, context: ExpansionContext): Piece[] {
  const pieces = (word.parts ?? []).flatMap((part) => expandPart(part, context, false));
  const first = pieces[0];
  if (word.text.startsWith('~') && first) first.text = expandTilde(first.text, word.text, context);
  return pieces;
}

function expandPart(part: WordPart, context: ExpansionContext, quoted: boolean): Piece[] {
  switch (part.type) {
    case 'Literal':
      return [{ text: part.value, split: false }];
    case 'SingleQuoted':
    case 'AnsiCQuoted':
      return [{ text: part.value, split: false, quoted: true }];
    case 'Glob':
      runInside(part.parts, context);
      return [{ text: part.kind === 'star' ? STAR : ONE, split: false }];
    case 'ExtendedGlob':
      runInside(part.parts ?? reparse(part.pattern)?.parts, context);
      return [{ text: ANY_NAME, split: false }];
    case 'BraceExpansion':
      runInside(part.parts ?? reparse(part.text.slice(1, -1))?.parts, context);
      return [{ text: part.text, split: false }];
    case 'DoubleQuoted':
    case 'LocaleString':
      return [
        { text: '', split: false, quoted: true },
        ...part.parts.flatMap((each) => expandPart(each, context, true)),
      ];
    case 'SimpleExpansion':
      return fromValues(lookUp(part.text.slice(1), context) ?? [UNKNOWN], part.text.slice(1), quoted);
    case 'ParameterExpansion': {
      const all = part.index?.value === '@' ? '@' : part.parameter;
      return fromValues(
        expandParameter(part, context, (word) => expandText(word, context)),
        all,
        quoted,
      );
    }
    case 'CommandExpansion': {
      const text = part.script ? context.substitute(part.script, '$(…)') : UNKNOWN;
      return [{ text, split: !quoted }];
    }
    case 'ArithmeticExpansion':
      return [{ text: expandArithmetic(part.expression, context), split: !quoted }];
    case 'ProcessSubstitution':
      return [{ text: part.script ? context.toPath(part.script, part.operator) : UNKNOWN, split: false }];
  }
}

/** Runs the substitutions in a pattern, whose text is not known. */
function runInside(parts: readonly WordPart[] | undefined, context: ExpansionContext): void {
  if (parts) expandParts(parts, context);
}

function fromValues(values: Word[], name: string, quoted: boolean): Piece[] {
  if (quoted && name === '@') return [{ text: '', split: false, fields: values }];
  return [{ text: values.join(' '), split: !quoted }];
}

/** Splits at IFS and turns `*`, `?` and `[…]` of unquoted expansions into patterns. */
function toFields(pieces: Piece[], context: ExpansionContext): Word[] {
  const ifs = context.scope.variables.get('IFS');
  const separators = typeof ifs === 'string' ? ifs : ' \t\n';
  const fields: Word[] = [];
  let current: Word | undefined;
  for (const piece of pieces) {
    if (piece.fields) {
      for (const [at, field] of piece.fields.entries()) {
        if (at > 0) {
          fields.push(current ?? '');
          current = '';
        }
        current = (current ?? '') + field;
      }
      continue;
    }
    if (!piece.split) {
      if (piece.text !== '' || piece.quoted) current = (current ?? '') + piece.text;
      continue;
    }
    if (!isKnown(separators)) {
      // The separators are not known, and so the words are not.
      current = (current ?? '') + OPAQUE;
      continue;
    }
    for (const [at, part] of splitAt(piece.text, separators).entries()) {
      if (at > 0) {
        if (current !== undefined) fields.push(current);
        current = undefined;
      }
      if (part !== '') current = (current ?? '') + toGlobWord(part);
    }
  }
  if (current !== undefined) fields.push(current);
  context.step(fields.length);
  return fields.map(limit);
}

function splitAt(text: Word, separators: string): Word[] {
  if (separators === '') return [text];
  return text.split(separators === ' \t\n' ? /[ \t\n]/ : new RegExp(`[${separators.replace(/[\]\\^-]/g, '\\$&')}]`));
}
