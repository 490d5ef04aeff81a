import { headOf } from '@klaus/core/cut-text';
import type { Conversation } from './conversation.ts';

const VARIABLES = ['result', 'user', 'turn', 'system', 'model'] as const;
type Variable = (typeof VARIABLES)[number];

interface Filter {
  name: 'match' | 'line' | 'json';
  argument: string;
}

interface Expression {
  variable: Variable;
  filters: Filter[];
}

/** A template without a value. The server answers 400 with this message. */
export class TemplateError extends Error {
  override readonly name = 'TemplateError';
}

/** The error in a template, or undefined. */
export function checkTemplate(text: string): string | undefined {
  try {
    parse(text);
    return undefined;
  } catch (error) {
    if (error instanceof TemplateError) return error.message;
    throw error;
  }
}

/**
 * Fills `{{variable | filter argument}}` in: `result`, `user`, `turn`, `system`, `model`, each through any
 * number of `match 'regex'` (first group, or the complete match), `line N` (from 1) and `json path.to.it`.
 *
 * @throws TemplateError when a filter finds nothing.
 */
export function render(text: string, conversation: Conversation): string {
  if (!text.includes('{{')) return text;
  return parse(text)
    .map((piece) => (typeof piece === 'string' ? piece : evaluate(piece, conversation)))
    .join('');
}

function evaluate({ variable, filters }: Expression, conversation: Conversation): string {
  const value = conversation[variable];
  if (value === undefined) throw new TemplateError(`{{${variable}}}: the conversation has no ${variable} yet`);
  return filters.reduce((text, filter) => apply(filter, text), String(value));
}

function apply({ name, argument }: Filter, text: string): string {
  switch (name) {
    case 'match': {
      const found = new RegExp(argument).exec(text);
      if (!found) throw new TemplateError(`match '${argument}' finds nothing in: ${headOf(text, 200)}`);
      return found[1] ?? found[0];
    }
    case 'line': {
      const line = text.split('\n')[Number(argument) - 1];
      if (line === undefined) throw new TemplateError(`line ${argument}: the text has fewer lines`);
      return line;
    }
    case 'json':
      return readJson(text, argument);
  }
}

function readJson(text: string, path: string): string {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new TemplateError(`json ${path}: this is not JSON: ${headOf(text, 200)}`);
  }
  for (const key of path === '' ? [] : path.split('.')) {
    value = typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[key] : undefined;
  }
  if (value === undefined) throw new TemplateError(`json ${path}: there is no such key`);
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** Braces inside a quoted regular expression do not end an expression, so one regular expression is not enough. */
function parse(text: string): (string | Expression)[] {
  const pieces: (string | Expression)[] = [];
  let at = 0;
  for (let open = text.indexOf('{{'); open >= 0; open = text.indexOf('{{', at)) {
    const close = findClose(text, open + 2);
    if (close < 0) throw new TemplateError('has {{ without }}');
    pieces.push(text.slice(at, open), parseExpression(text.slice(open + 2, close)));
    at = close + 2;
  }
  return [...pieces, text.slice(at)];
}

function findClose(text: string, from: number): number {
  let quoted = false;
  for (let at = from; at < text.length; at++) {
    if (text[at] === "'" && text[at - 1] !== '\\') quoted = !quoted;
    else if (!quoted && text.startsWith('}}', at)) return at;
  }
  return -1;
}

function parseExpression(source: string): Expression {
  const [head = '', ...rest] = splitOutsideQuotes(source);
  const variable = VARIABLES.find((name) => name === head.trim());
  if (!variable) throw new TemplateError(`has the unknown variable ${head.trim()}; allowed: ${VARIABLES.join(', ')}`);
  return { variable, filters: rest.map((text) => parseFilter(text.trim())) };
}

function splitOutsideQuotes(source: string): string[] {
  return source.match(/(?:'(?:\\.|[^'\\])*'|[^|'])+/g) ?? [];
}

function parseFilter(text: string): Filter {
  const quoted = /^match\s+'((?:\\.|[^'\\])*)'$/s.exec(text);
  if (quoted) {
    const argument = quoted[1]!.replaceAll(String.raw`\'`, "'");
    try {
      return { name: 'match', argument: new RegExp(argument).source };
    } catch {
      throw new TemplateError(`match '${argument}' is not a regular expression`);
    }
  }
  const line = /^line\s+(\d+)$/.exec(text);
  if (line) return { name: 'line', argument: line[1]! };
  const json = /^json(?:\s+(\S+))?$/.exec(text);
  if (json) return { name: 'json', argument: json[1] ?? '' };
  throw new TemplateError(`has the unknown filter ${text}; allowed: match 'regex', line N, json path`);
}
