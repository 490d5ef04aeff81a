import { RE2JS } from 're2js';

/** Steps of one test: instructions of the pattern times characters of the text. */
const MAX_STEPS = 10_000_000;

interface Pattern {
  toString(): string;
  test(text: string): boolean;
}

/**
 * The engine for the patterns of a JSON Schema, which takes time in proportion to the text: an expression of JavaScript
 * can hang the program, as `^(a+)+$` does. What it cannot express is not checked.
 */
export function createSchemaPatterns(): ((source: string) => Pattern) & { code: string } {
  return Object.assign(
    (source: string): Pattern => {
      const pattern = compile(source);
      const longest = MAX_STEPS / Math.max(1, pattern?.programSize() ?? 1);
      // Ajv recognizes equal patterns by their text.
      return {
        test: (text) => !pattern || text.length > longest || pattern.test(text),
        toString: () => `/${source}/`,
      };
    },
    { code: 'undefined' },
  );
}

function compile(source: string): RE2JS | undefined {
  try {
    return source.length > 2_000 ? undefined : RE2JS.compile(RE2JS.translateRegExp(source));
  } catch {
    return undefined;
  }
}
