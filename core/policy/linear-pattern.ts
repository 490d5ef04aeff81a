import { headOf } from '../protocol/text/cut-text.ts';
import { RE2JS } from 're2js';

/** Steps of one test: instructions of the pattern times characters of the text. About a second. */
const MAX_STEPS = 10_000_000;
/** Characters of a pattern. A longer one is not checked. */
const MAX_PATTERN = 2_000;

/** A regular expression of a schema. */
export interface LinearPattern {
  toString(): string;
  /** True if the text matches, and if it is not checked because it is too long for this pattern. */
  test(text: string): boolean;
}

/**
 * A regular expression that others wrote, with an engine that needs time in proportion to the text: one of JavaScript can
 * hang the process, as `^(a+)+$` does.
 *
 * @returns Undefined if it cannot be expressed without backtracking (back references, look-around) or is too long.
 */
export function toLinearPattern(source: string): LinearPattern | undefined {
  if (source.length > MAX_PATTERN) return undefined;
  try {
    const pattern = RE2JS.compile(RE2JS.translateRegExp(source));
    const longest = MAX_STEPS / Math.max(1, pattern.programSize());
    return { test: (text) => text.length > longest || pattern.test(text) };
  } catch {
    return undefined;
  }
}

/** An engine for the option `code.regExp` of Ajv. */
export interface SchemaPatterns {
  (source: string): LinearPattern;
  /** Ajv writes it into standalone code, which is not used. */
  code: string;
  /** Patterns that are not checked, because they cannot be tested in linear time. */
  readonly unchecked: ReadonlySet<string>;
}

/** The engine for the patterns of a JSON Schema. What it cannot express is not checked, and is in `unchecked`. */
export function createSchemaPatterns(): SchemaPatterns {
  const unchecked = new Set<string>();
  const engine = (source: string): LinearPattern => {
    const pattern = toLinearPattern(source);
    if (!pattern) unchecked.add(source);
    // Ajv recognizes equal patterns by their text.
    return { test: (text) => pattern?.test(text) ?? true, toString: () => `/${source}/` };
  };
  return Object.assign(engine, { code: 'undefined', unchecked });
}

/** What a user reads about patterns that are not checked; '' for none. */
export function describeUnchecked(unchecked: ReadonlySet<string>): string {
  const shown = [...unchecked].slice(0, 5).map((source) => JSON.stringify(headOf(source, 100)));
  if (shown.length === 0) return '';
  const more = unchecked.size > shown.length ? ` and ${unchecked.size - shown.length} more` : '';
  return `Not checked, because it cannot be tested in linear time: the pattern ${shown.join(', ')}${more}.`;
}
