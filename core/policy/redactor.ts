import { toRedactionRules } from './secrets/redaction-rules.ts';
import { createRuleSet, withLines, type Candidates, type RuleSet } from './secrets/rule-set.ts';
import type { SecretRule } from './secrets/secret-rule.ts';
import { createValueMatcher, type SecretValue, type ValueMatcher } from './secrets/value-matcher.ts';

export interface RedactorOptions {
  /** Makes placeholders differ from session to session. */
  salt: string;
  /** Lower-case hex SHA-256. */
  digest: (text: string) => string;
  /** Values that are secret everywhere, such as those of credential variables, with a name for each. */
  values?: readonly SecretValue[];
  /** Default: the promised ten and those of gitleaks that are exact enough. */
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
  /**
   * Adds values that are secret from now on, such as those of a new file. They are found
   * literally and in the forms that a shell produces in one step (Base64, hexadecimal, reversed, one character
   * per line …). Values of fewer than eight characters are ignored: they match ordinary words.
   */
  learn(values: readonly SecretValue[]): void;
  /** The text with every secret replaced by a placeholder that is stable in the session. */
  redact(text: string): string;
  /**
   * The beginning of a text that continues: up to `seam`, or to the secret that `seam` would cut (to its end if it
   * begins the text). `length` is the number of consumed characters, more than 0.
   */
  redactHead(text: string, seam: number): { text: string; length: number };
  /** True if bytes of UTF-8 contain a secret. Faster than `find`: most bytes are not decoded. */
  holds(bytes: Uint8Array): boolean;
  /** The positions of all secrets. */
  find(text: string): SecretHit[];
  /** The positions of known values, without text that only looks like a secret. */
  findValues(text: string): SecretHit[];
  /**
   * Replaces placeholders by the secrets of `current`, the present content of the file to write. Secrets are not
   * stored: a placeholder without a secret in that file is kept.
   */
  restore(text: string, current: string): string;
}

const PLACEHOLDER = /\[secret:[a-z0-9-]+:[0-9a-f]{8}\]/g;
/** Shorter values match ordinary words. */
const SHORTEST_VALUE = 8;

/**
 * Creates the redactor that runs before every append. A placeholder looks like `[secret:api-key:1a2b3c4d]`;
 * its last part is a salted digest, so that the same value has the same placeholder after a restart too.
 */
export function createRedactor(options: RedactorOptions): Redactor {
  const encoder = new TextEncoder();
  let set: RuleSet | undefined;
  const known = new Map<string, string>();
  let matcher: ValueMatcher | undefined;
  const learn = (values: readonly SecretValue[]): void => {
    for (const { name, value } of values) {
      if (value.length < SHORTEST_VALUE || known.has(value)) continue;
      known.set(value, toName(name));
      matcher = undefined;
    }
  };
  learn(options.values ?? []);

  const toPlaceholder = (rule: string, value: string): string =>
    `[secret:${rule}:${options.digest(`${options.salt}\n${value}`).slice(0, 8)}]`;

  const toMatcher = (): ValueMatcher =>
    (matcher ??= createValueMatcher([...known].map(([value, name]) => ({ name, value }))));

  const toRules = (): RuleSet => (set ??= options.rules ? createRuleSet(options.rules) : toStandardRules());

  const findKnown = (text: string, bytes: Uint8Array): Omit<SecretHit, 'line'>[] =>
    toMatcher()
      .find(text, bytes)
      .map(({ name, start, end }) => ({ rule: name, start, end }));

  const findByRule = (text: string, candidates: Candidates): Omit<SecretHit, 'line'>[] =>
    toRules()
      .find(text, { candidates })
      .filter(({ start, end }) => !isTakenOut(text.slice(start, end)))
      .map(({ rule, start, end }) => ({ rule, start, end }));

  const findValues = (text: string): SecretHit[] =>
    withLines(withoutOverlaps(findKnown(text, encoder.encode(text))), text);

  const find = (text: string): SecretHit[] => {
    const bytes = encoder.encode(text);
    const spans = [...findKnown(text, bytes), ...findByRule(text, toRules().candidates(bytes))];
    return withLines(withoutOverlaps(spans), text);
  };

  const holds = (bytes: Uint8Array): boolean => {
    const candidates = toRules().candidates(bytes);
    const mayHoldValue = toMatcher().mayHold(bytes);
    if (candidates.ranks.length === 0 && !mayHoldValue) return false;
    const text = new TextDecoder().decode(bytes);
    return findByRule(text, candidates).length > 0 || (mayHoldValue && findKnown(text, bytes).length > 0);
  };

  const replace = (text: string, hits: readonly SecretHit[]): string => {
    if (hits.length === 0) return text;
    let out = '';
    let from = 0;
    for (const hit of hits) {
      out += text.slice(from, hit.start) + toPlaceholder(hit.rule, text.slice(hit.start, hit.end));
      from = hit.end;
    }
    return out + text.slice(from);
  };

  const redact = (text: string): string => replace(text, find(text));

  const redactHead = (text: string, seam: number): { text: string; length: number } => {
    const hits = find(text);
    const crossing = hits.find((hit) => hit.start < seam && hit.end > seam);
    // A secret at the beginning is returned completely, or the text would never advance.
    const length = crossing === undefined ? seam : crossing.start === 0 ? crossing.end : crossing.start;
    return {
      text: replace(
        text.slice(0, length),
        hits.filter((hit) => hit.end <= length),
      ),
      length,
    };
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

  return { learn, redact, redactHead, holds, find, findValues, restore };
}

let standard: RuleSet | undefined;

/** Created once for all sessions, for the first text. */
function toStandardRules(): RuleSet {
  return (standard ??= createRuleSet(toRedactionRules()));
}

/** The name as a placeholder can contain it. */
function toName(name: string): string {
  const clean = name.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-');
  return clean.slice(0, 40).replace(/^-/, '').replace(/-$/, '') || 'value';
}

/** True for a value that is placeholders and punctuation: a placeholder beside a secret hides nothing. */
function isTakenOut(value: string): boolean {
  const rest = value.replace(PLACEHOLDER, '');
  return rest.length < value.length && !/[\p{L}\p{N}]/u.test(rest);
}

/** Merges overlapping spans, so that no part of either is kept. */
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
