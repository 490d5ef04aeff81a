import { SECRET_RULES, type SecretRule } from './secret-rules.ts';

export interface RedactorOptions {
  /** Makes placeholders differ from session to session. */
  salt: string;
  /** Lower-case hex SHA-256. */
  digest: (text: string) => string;
  /** Values that are secret wherever they stand, such as those of credential variables, with a name for each. */
  values?: readonly { name: string; value: string }[];
  rules?: readonly SecretRule[];
}

export interface SecretHit {
  rule: string;
  /** Offsets of the secret itself. */
  start: number;
  end: number;
  /** From 1. */
  line: number;
}

export interface Redactor {
  /** The text with every secret replaced by a placeholder that is stable in the session. */
  redact(text: string): string;
  /** Where secrets stand. */
  find(text: string): SecretHit[];
  /**
   * Puts placeholders back that stand for secrets of `current`, the content of the file about to be
   * written. Nothing is remembered: what is not in that file stays a placeholder.
   */
  restore(text: string, current: string): string;
}

const PLACEHOLDER = /\[secret:[a-z0-9-]+:[0-9a-f]{8}\]/g;
/** Shorter values hit ordinary words. */
const SHORTEST_VALUE = 8;

/**
 * Creates the redactor that stands before every append. A placeholder looks like `[secret:api-key:1a2b3c4d]`;
 * its last part is a salted digest, so that the same value has the same placeholder after a restart too.
 */
export function createRedactor(options: RedactorOptions): Redactor {
  const rules = options.rules ?? SECRET_RULES;
  const values = (options.values ?? []).filter(({ value }) => value.length >= SHORTEST_VALUE);

  const toPlaceholder = (rule: string, value: string): string =>
    `[secret:${rule}:${options.digest(`${options.salt}\n${value}`).slice(0, 8)}]`;

  const find = (text: string): SecretHit[] => {
    const spans: Omit<SecretHit, 'line'>[] = [];
    for (const { name, value } of values) {
      for (let at = text.indexOf(value); at >= 0; at = text.indexOf(value, at + value.length)) {
        spans.push({ rule: name, start: at, end: at + value.length });
      }
    }
    for (const rule of rules) {
      for (const match of text.matchAll(rule.pattern)) {
        const value = match.groups?.value ?? match[0];
        if (isTakenOut(value)) continue;
        const start = match.index + match[0].lastIndexOf(value);
        spans.push({ rule: rule.name, start, end: start + value.length });
      }
    }
    return withLines(withoutOverlaps(spans), text);
  };

  const redact = (text: string): string => {
    const hits = find(text);
    if (hits.length === 0) return text;
    let out = '';
    let from = 0;
    for (const hit of hits) {
      out += text.slice(from, hit.start) + toPlaceholder(hit.rule, text.slice(hit.start, hit.end));
      from = hit.end;
    }
    return out + text.slice(from);
  };

  const restore = (text: string, current: string): string => {
    if (text.search(PLACEHOLDER) < 0) return text;
    const originals = new Map<string, string>();
    for (const hit of find(current)) {
      const value = current.slice(hit.start, hit.end);
      originals.set(toPlaceholder(hit.rule, value), value);
    }
    return text.replace(PLACEHOLDER, (placeholder) => originals.get(placeholder) ?? placeholder);
  };

  return { redact, find, restore };
}

/** True for a value that is placeholders and punctuation: a placeholder beside a secret hides nothing. */
function isTakenOut(value: string): boolean {
  const rest = value.replace(PLACEHOLDER, '');
  return rest.length < value.length && !/[\p{L}\p{N}]/u.test(rest);
}

/** Spans that overlap become one, so that nothing of either is left. */
function withoutOverlaps<S extends { start: number; end: number }>(spans: S[]): S[] {
  spans.sort((a, b) => a.start - b.start || b.end - a.end);
  const out: S[] = [];
  for (const span of spans) {
    const last = out.at(-1);
    if (!last || span.start >= last.end) out.push({ ...span });
    else last.end = Math.max(last.end, span.end);
  }
  return out;
}

function withLines(spans: readonly Omit<SecretHit, 'line'>[], text: string): SecretHit[] {
  let line = 1;
  // Kept from span to span: a long line is looked through once, however many secrets stand in it.
  let end = spans.length > 0 ? text.indexOf('\n') : -1;
  return spans.map((span) => {
    for (; end >= 0 && end < span.start; end = text.indexOf('\n', end + 1)) line++;
    return { ...span, line };
  });
}
