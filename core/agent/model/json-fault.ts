import { parseTree, printParseErrorCode, type ParseError } from 'jsonc-parser';

/** By the codes of the parser. */
const REASONS: Readonly<Record<string, string>> = {
  InvalidSymbol: 'an unexpected character or word',
  InvalidNumberFormat: 'an invalid number',
  PropertyNameExpected: 'the name of a field in double quotes is expected',
  ValueExpected: 'a value is expected',
  ColonExpected: '`:` is expected',
  CommaExpected: '`,` is expected',
  CloseBraceExpected: '`}` is expected',
  CloseBracketExpected: '`]` is expected',
  EndOfFileExpected: 'more text follows the end of the value',
  InvalidCommentToken: 'comments are not allowed',
  UnexpectedEndOfComment: 'comments are not allowed',
  UnexpectedEndOfString:
    'the string that begins there is not closed, or has a line break that is not written as `\\n`,',
  UnexpectedEndOfNumber: 'the number is incomplete',
  InvalidUnicode: 'an invalid `\\u` escape',
  InvalidEscapeCharacter: 'an invalid escape: write `\\\\` for a backslash',
  InvalidCharacter: 'a control character is not escaped',
};

/** Characters of the text that are quoted before and after the position. */
const BEFORE = 30;
const AFTER = 20;

/** The first fault of a text that is no JSON, in words with its position. Undefined for valid JSON. */
export function findJsonFault(text: string): string | undefined {
  if (isJson(text)) return undefined;
  const errors: ParseError[] = [];
  parseTree(text, errors, { disallowComments: true, allowTrailingComma: false, allowEmptyContent: false });
  const [first] = errors;
  // The built-in parser decides; the other one only knows the position.
  if (!first) return 'it is no JSON';
  const at = Math.min(text.length, first.offset);
  const before = text.slice(0, at);
  const line = before.split('\n').length;
  const column = at - before.lastIndexOf('\n');
  const quoted = JSON.stringify(text.slice(Math.max(0, at - BEFORE), at + AFTER).toWellFormed());
  const reason = REASONS[printParseErrorCode(first.error)] ?? 'it is no JSON';
  return `${reason} at line ${line}, column ${column}, near ${quoted}`;
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
