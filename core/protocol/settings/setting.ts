import { z } from 'zod';
import type { Narrowing } from './narrowing.ts';

/**
 * What the configuration file of a project may do with a setting. Whoever wrote the repository wrote that
 * file, so it is not trusted: `free` settings have no bearing on safety, money or privacy, `never` settings
 * are refused, and everything between goes through a {@link Narrowing}.
 */
export type ProjectRule<T = unknown> = 'free' | 'never' | Narrowing<T>;

/** One setting: what it means, what it may be, and who may set it. */
export interface Setting<S extends z.ZodType = z.ZodType, D extends z.output<S> | undefined = z.output<S> | undefined> {
  readonly schema: S;
  readonly default: D;
  /** What holds while it is unset, in words, for a setting without a default. */
  readonly unset?: string;
  /** Environment variable. */
  readonly env?: string;
  readonly description: string;
  /** What is allowed, in words, where the schema does not say it well. */
  readonly values?: string;
  /** Never shown. Default false. */
  readonly secret?: boolean;
  readonly project: ProjectRule<z.output<S>>;
}

/** Declares a setting; the function that gives value and default their types. */
export function defineSetting<S extends z.ZodType, const D extends z.output<S> | undefined = undefined>(
  setting: Omit<Setting<S, D>, 'default'> & { readonly default?: D },
): Setting<S, D> {
  // The same object: in the program as it is packed, a schema is made when it is first asked for.
  return Object.assign(setting, { default: setting.default as D });
}

const TRUE = new Set(['true', '1', 'yes']);
const FALSE = new Set(['false', '0', 'no']);

/**
 * Reads a value that came as text, such as an environment variable: numbers, true/false/1/0/yes/no,
 * names in any case, and lists separated by commas. What does not fit comes back as it is, so that the schema refuses it.
 */
export function fromText(setting: Setting, text: string): unknown {
  const { schema } = setting;
  const trimmed = text.trim();
  const word = trimmed.toLowerCase();
  if (schema instanceof z.ZodNumber) return /^-?\d+(\.\d+)?(e\d+)?$/.test(word) ? Number(word) : trimmed;
  if (schema instanceof z.ZodBoolean) return TRUE.has(word) ? true : FALSE.has(word) ? false : trimmed;
  if (schema instanceof z.ZodEnum) return word;
  if (schema instanceof z.ZodArray) {
    return trimmed.split(',').flatMap((item) => (item.trim() === '' ? [] : [item.trim()]));
  }
  return trimmed;
}

/** What a setting may be, in words: `a whole number, at least 0`. */
export function toAllowed(setting: Setting): string {
  if (setting.values !== undefined) return setting.values;
  const { schema } = setting;
  if (schema instanceof z.ZodEnum) return schema.options.join(', ');
  if (schema instanceof z.ZodBoolean) return 'true or false';
  if (schema instanceof z.ZodNumber) {
    const least = schema.minValue ?? Number.MIN_SAFE_INTEGER;
    const most = schema.maxValue ?? Number.MAX_SAFE_INTEGER;
    const kind = schema.format?.includes('int') ? 'a whole number' : 'a number';
    const from = least > Number.MIN_SAFE_INTEGER ? `, at least ${least}` : '';
    const to = most < Number.MAX_SAFE_INTEGER ? `, at most ${most}` : '';
    return kind + from + to;
  }
  return 'text';
}
