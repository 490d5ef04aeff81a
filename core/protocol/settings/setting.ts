import { z } from 'zod';
import type { Narrowing } from './narrowing.ts';

/**
 * What the configuration file of a project may do with a setting. The file comes with the repository, so it is not
 * trusted: `free` settings do not affect safety, cost or privacy, `never` settings are rejected, and for all others a
 * {@link Narrowing} decides.
 */
export type ProjectRule<T = unknown> = 'free' | 'never' | Narrowing<T>;

/** One setting: its meaning, its allowed values, and who may set it. */
export interface Setting<S extends z.ZodType = z.ZodType, D extends z.output<S> | undefined = z.output<S> | undefined> {
  readonly schema: S;
  readonly default: D;
  /** What applies while it is unset, for a setting without a default. */
  readonly unset?: string;
  /** Environment variable. */
  readonly env?: string;
  readonly description: string;
  /** The allowed values, if the description that derives from the schema is not clear. */
  readonly values?: string;
  /** The value is never shown. Default false. */
  readonly secret?: boolean;
  readonly project: ProjectRule<z.output<S>>;
}

/** Declares a setting and infers the types of its value and its default. A project cannot set it without `project`. */
export function defineSetting<S extends z.ZodType, const D extends z.output<S> | undefined = undefined>(
  setting: Omit<Setting<S, D>, 'default' | 'project'> & {
    readonly default?: D;
    readonly project?: ProjectRule<z.output<S>>;
  },
): Setting<S, D> {
  // The same object, because the bundle turns `schema` into a getter that creates it on first use.
  return Object.assign(setting, { default: setting.default as D, project: setting.project ?? ('never' as const) });
}

const TRUE = new Set(['true', '1', 'yes']);
const FALSE = new Set(['false', '0', 'no']);

/**
 * Parses the text of a value, such as an environment variable: numbers, true/false/1/0/yes/no, names in any case, and
 * lists separated by commas. Any other text is returned as it is, so that the schema rejects it.
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

/** The allowed values of a setting in words: `an integer, at least 0`. */
export function toAllowed(setting: Setting): string {
  if (setting.values !== undefined) return setting.values;
  const { schema } = setting;
  if (schema instanceof z.ZodEnum) return schema.options.join(', ');
  if (schema instanceof z.ZodBoolean) return 'true or false';
  if (schema instanceof z.ZodNumber) {
    const least = schema.minValue ?? Number.MIN_SAFE_INTEGER;
    const most = schema.maxValue ?? Number.MAX_SAFE_INTEGER;
    const kind = schema.format?.includes('int') ? 'an integer' : 'a number';
    const from = least > Number.MIN_SAFE_INTEGER ? `, at least ${least}` : '';
    const to = most < Number.MAX_SAFE_INTEGER ? `, at most ${most}` : '';
    return kind + from + to;
  }
  return 'text';
}

/** How the value of a setting is entered in a form. `other`: only in a file. */
export type SettingInput =
  | { kind: 'boolean' | 'text' | 'list' | 'other' }
  | { kind: 'choice'; options: readonly string[] }
  /** Without a bound, `least` or `most` is absent. */
  | { kind: 'number'; isInteger: boolean; least?: number; most?: number };

export function toInput({ schema }: Setting): SettingInput {
  if (schema instanceof z.ZodBoolean) return { kind: 'boolean' };
  if (schema instanceof z.ZodEnum) return { kind: 'choice', options: schema.options.map(String) };
  if (schema instanceof z.ZodNumber) {
    const isInteger = schema.format?.includes('int') ?? false;
    return {
      kind: 'number',
      isInteger,
      least: toBound(schema.minValue),
      most: toBound(schema.maxValue),
    };
  }
  if (schema instanceof z.ZodArray && schema.element instanceof z.ZodString) return { kind: 'list' };
  return schema instanceof z.ZodString ? { kind: 'text' } : { kind: 'other' };
}

/** Undefined for the bounds of the number type itself. */
function toBound(value: number | null): number | undefined {
  return value !== null && Math.abs(value) < Number.MAX_SAFE_INTEGER ? value : undefined;
}
