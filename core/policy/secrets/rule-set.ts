import { entropy } from './entropy.ts';
import { createKeywordIndex } from './keyword-index.ts';
import type { SecretAllowance, SecretRule } from './secret-rule.ts';

/** Where a rule hit. Offsets are those of the secret itself. */
export interface RuleHit {
  rule: string;
  /** Number of the rule in its set: of two that overlap the smaller one counts. */
  rank: number;
  start: number;
  end: number;
}

export interface RuleSet {
  /**
   * Every hit, in no order; hits may overlap.
   *
   * @param options.path With forward slashes. Without it a rule for certain paths does not hit.
   * @param options.candidates What {@link candidates} said about it. Default: it is asked.
   */
  find(text: string, options?: { path?: string; candidates?: Candidates }): RuleHit[];
  /** The rules that may match a text, given in UTF-8: those with a keyword in it. */
  candidates(bytes: Uint8Array): Candidates;
}

export interface Candidates {
  /** Numbers of the rules. */
  ranks: readonly number[];
  /** Where keywords of the rule with `isPlaced` begin, in bytes. */
  places: readonly number[];
  /** The text in UTF-8. */
  bytes: Uint8Array;
}

/** Adds the line of each hit, from 1. The hits are in the order of their positions. */
export function withLines<H extends { start: number }>(hits: readonly H[], text: string): (H & { line: number })[] {
  let line = 1;
  // Shared between hits: a long line is searched once for all of its secrets.
  let end = hits.length > 0 ? text.indexOf('\n') : -1;
  return hits.map((hit) => {
    for (; end >= 0 && end < hit.start; end = text.indexOf('\n', end + 1)) line++;
    return { ...hit, line };
  });
}

/** Prepares rules. An expression is compiled when a keyword of its rule is found. */
export function createRuleSet(rules: readonly SecretRule[]): RuleSet {
  const placed = rules.findIndex((rule) => rule.isPlaced === true);
  const index = createKeywordIndex(
    rules.map((rule) => rule.keywords),
    placed < 0 ? undefined : placed,
  );
  const candidatesOf = (bytes: Uint8Array): Candidates => {
    const { lists, places } = index.find(bytes);
    return { ranks: lists, places, bytes };
  };
  const compiled: (CompiledRule | undefined)[] = [];
  return {
    candidates: candidatesOf,
    find(text, { path, candidates = candidatesOf(new TextEncoder().encode(text)) } = {}) {
      const hits: RuleHit[] = [];
      const places = placed < 0 ? undefined : toUnits(candidates, text.length);
      for (const rank of candidates.ranks) {
        const rule = (compiled[rank] ??= compile(rules[rank]!));
        if (rule.path && (path === undefined || !rule.path.test(path))) continue;
        const site = { path, places: rank === placed ? places : undefined };
        for (const [start, end] of rule.find(text, site)) hits.push({ rule: rules[rank]!.name, rank, start, end });
      }
      return hits;
    },
  };
}

/** Places in UTF-16 units; undefined where the bytes are no UTF-8 and so not those of the text. */
function toUnits({ places, bytes }: Candidates, length: number): readonly number[] | undefined {
  if (bytes.length === length) return places;
  const units: number[] = [];
  // A character of two or three bytes is one unit, one of four bytes two.
  let less = 0;
  let at = 0;
  for (const place of [...places, bytes.length]) {
    for (; at < place; at++) {
      const byte = bytes[at]!;
      if (byte < 0x80) continue;
      if (byte < 0xc0) less++;
      else if (byte >= 0xf0) less--;
    }
    units.push(place - less);
  }
  units.pop();
  return bytes.length - less === length ? units : undefined;
}

interface Site {
  path: string | undefined;
  places: readonly number[] | undefined;
}

interface CompiledRule {
  path: RegExp | undefined;
  find(text: string, site: Site): Iterable<readonly [start: number, end: number]>;
}

function compile(rule: SecretRule): CompiledRule {
  const path = rule.path === undefined ? undefined : new RegExp(rule.path);
  const { find } = rule;
  if (find) return { path, find: (text, { places }) => find(text, places) };
  if (rule.pattern === undefined) return { path, find: () => [[0, 0]] };
  const pattern = new RegExp(rule.pattern, `g${rule.flags ?? ''}`);
  // Offsets of groups make a search slower, so they are asked for only where something was found.
  const exact = new RegExp(rule.pattern, `dy${rule.flags ?? ''}`);
  const allowances = (rule.allow ?? []).map(createAllowance);
  return {
    path,
    *find(text, { path: at }) {
      for (const match of text.matchAll(pattern)) {
        exact.lastIndex = match.index;
        const [start, end] = toSecret(exact.exec(text) ?? match, rule.group);
        const secret = text.slice(start, end);
        if (rule.entropy !== undefined && entropy(secret) <= rule.entropy) continue;
        const before = rule.hasPrefix === true ? toPrefix(text, match.index) : '';
        const site = { text, path: at, secret, match: before + match[0], index: match.index };
        if (!allowances.some((isAllowed) => isAllowed(site))) yield [start, end];
      }
    },
  };
}

function toSecret(match: RegExpExecArray, group: number | undefined): readonly [number, number] {
  const { indices } = match;
  const all = [match.index, match.index + match[0].length] as const;
  if (!indices) return all;
  if (group !== undefined) return indices[group] ?? all;
  return indices.groups?.['value'] ?? indices.slice(1).find((span) => span !== undefined && span[1] > span[0]) ?? all;
}

function toPrefix(text: string, end: number): string {
  return /[\w.-]{0,50}$/.exec(text.slice(Math.max(0, end - 50), end))?.[0] ?? '';
}

export interface AllowanceSite {
  text: string;
  path: string | undefined;
  secret: string;
  match: string;
  /** Its position in the text. */
  index: number;
}

/** Prepares an exception: a test that is true for text that is not a secret. */
export function createAllowance(allowance: SecretAllowance): (site: AllowanceSite) => boolean {
  const patterns = allowance.patterns?.map((source) => new RegExp(source));
  const paths = allowance.paths?.map((source) => new RegExp(source));
  const { stopwords, target } = allowance;
  return (site) => {
    const checks: boolean[] = [];
    if (paths) checks.push(site.path !== undefined && paths.some((pattern) => pattern.test(site.path!)));
    if (patterns) {
      const subject = target === 'line' ? toLines(site) : target === 'match' ? site.match : site.secret;
      checks.push(patterns.some((pattern) => pattern.test(subject)));
    }
    if (stopwords) {
      const lower = site.secret.toLowerCase();
      checks.push(stopwords.some((word) => lower.includes(word)));
    }
    return allowance.all === true ? checks.length > 0 && checks.every(Boolean) : checks.some(Boolean);
  };
}

function toLines({ text, index, match }: AllowanceSite): string {
  const end = text.indexOf('\n', index + match.length);
  return text.slice(text.lastIndexOf('\n', index) + 1, end < 0 ? text.length : end);
}
