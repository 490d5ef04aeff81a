import { readFileSync, statSync } from 'node:fs';
import { Ajv, type AnySchema, type ErrorObject } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { createSchemaPatterns, describeUnchecked } from '@klaus/sdk/linear-pattern';
import { messageOf } from '@klaus/sdk/message-of';
import { UsageError } from '../program/cli-error.ts';

/** Characters. A schema is a part of the prompt. */
const MAX_CHARS = 100_000;

/** Mistakes that the model is shown at once. */
const MAX_MISTAKES = 20;

export interface OutputSchema {
  /** A sentence about patterns that are not checked; '' if all are. */
  readonly warning: string;
  /** Asks the model for JSON that matches the schema. */
  readonly prompt: string;
  /** The value in an answer, or what is wrong with the answer. */
  read(answer: string): { value: unknown } | { mistakes: readonly string[] };
}

/**
 * Reads a JSON Schema: draft 2020-12, or draft-07 if its `$schema` says so. `format` is not checked, and neither is a
 * pattern that cannot be tested in linear time.
 *
 * @throws UsageError for a file that cannot be read, is too large or is no JSON Schema.
 */
export function readOutputSchema(path: string): OutputSchema {
  const text = readText(path);
  const { check, unchecked } = compile(path, text);
  return {
    warning: describeUnchecked(unchecked),
    prompt: `Answer at the end with one JSON value that matches this JSON Schema, and with nothing else:\n\n\`\`\`json\n${text.trim()}\n\`\`\``,
    read(answer) {
      const found = findJson(answer);
      if (found === undefined) return { mistakes: ['The answer is not JSON.'] };
      if (check(found.value)) return found;
      return { mistakes: (check.errors ?? []).slice(0, MAX_MISTAKES).map(describe) };
    },
  };
}

/** The next prompt after an answer that does not match. */
export function toCorrection(mistakes: readonly string[]): string {
  return `The answer does not match the JSON Schema:\n\n${mistakes.map((mistake) => `- ${mistake}\n`).join('')}\nAnswer again, with the corrected JSON value and nothing else.`;
}

function readText(path: string): string {
  try {
    // Reading a pipe or a device might never end.
    if (!statSync(path).isFile()) throw new UsageError(`${path} is not a regular file.`);
    const text = readFileSync(path, 'utf8');
    if (text.length <= MAX_CHARS) return text;
  } catch (error) {
    if (error instanceof UsageError) throw error;
    throw new UsageError(`The schema ${path} cannot be read: ${(error as NodeJS.ErrnoException).code}`);
  }
  throw new UsageError(`The schema ${path} has more than ${MAX_CHARS} characters.`);
}

function compile(path: string, text: string) {
  try {
    const schema = JSON.parse(text) as AnySchema;
    const isDraft7 = typeof schema === 'object' && /draft-07/.test(String(schema['$schema']));
    // As JSON Schema defines it, unknown keywords and formats are ignored.
    const rules = { allErrors: true, strict: false, validateFormats: false, logger: false } as const;
    const patterns = createSchemaPatterns();
    const ajv = new (isDraft7 ? Ajv : Ajv2020)({ ...rules, code: { regExp: patterns } });
    return { check: ajv.compile(schema), unchecked: patterns.unchecked };
  } catch (error) {
    throw new UsageError(
      `${path} is not a JSON Schema: ${messageOf(error)}`,
      'Draft 2020-12 is expected, or draft-07 with its `$schema`.',
    );
  }
}

/** `/items/0/price must be number`. */
function describe({ instancePath, message, params }: ErrorObject): string {
  const details = Object.values(params as Record<string, unknown>).filter((value) => value !== undefined);
  return `${instancePath === '' ? 'The value' : instancePath} ${message ?? 'is wrong'} (${JSON.stringify(details)})`;
}

const FENCED = /^[ \t]*(`{3,}|~{3,})[^\n`]*\n([\s\S]*?)\n[ \t]*\1[`~]*[ \t]*$/gm;

/** The JSON value of an answer: all of it, or its last code block that is JSON. */
function findJson(answer: string): { value: unknown } | undefined {
  const blocks = [...answer.matchAll(FENCED)].map(([, , content]) => content!);
  for (const text of [answer, ...blocks.toReversed()]) {
    try {
      return { value: JSON.parse(text) as unknown };
    } catch {
      // The next candidate.
    }
  }
  return undefined;
}
