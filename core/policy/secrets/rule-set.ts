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

/** Rules that are looked for together. */
export interface RuleSet {
  /**
   * Every hit, in no order; hits may overlap.
   *
   * @param options.path With forward slashes. Without it a rule for certain paths does not hit.
   * @param options.candidates What {@link candidates} said about it. Default: it is asked.
   */
  find(text: string, options?: { path?: string | undefined; candidates?: readonly number[] }): RuleHit[];
  /** Numbers of the rules that may hit in a text, given in UTF-8: those of which a keyword stands there. */
  candidates(bytes: Uint8Array): number[];
}

/** Makes rules ready. Nothing is compiled before a keyword of it was seen. */
export function createRuleSet(rules: readonly SecretRule[]): RuleSet {
  const index = createKeywordIndex(rules.map((rule) => rule.keywords));
  const compiled: (CompiledRule | undefined)[] = [];
  return {
    candidates: (bytes) => index.find(bytes),
    find(text, { path, candidates = index.find(new TextEncoder().encode(text)) } = {}) {
      const hits: RuleHit[] = [];
      for (const rank of candidates) {
        const rule = (compiled[rank] ??= compile(rules[rank]!));
        if (rule.path && (path === undefined || !rule.path.test(path))) continue;
        for (const [start, end] of rule.find(text, path)) hits.push({ rule: rules[rank]!.name, rank, start, end });
      }
      return hits;
    },
  };
}

interface CompiledRule {
  path: RegExp | undefined;
  find(text: string, path: string | undefined): Iterable<readonly [start: number, end: number]>;
}

function compile(rule: SecretRule): CompiledRule {
  const path = rule.path === undefined ? undefined : new RegExp(rule.path);
  if (rule.find) return { path, find: rule.find };
  if (rule.pattern === undefined) return { path, find: () => [[0, 0]] };
  const pattern = new RegExp(rule.pattern, `g${rule.flags ?? ''}`);
  // Offsets of groups make a search slower, so they are asked for only where something was found.
  const exact = new RegExp(rule.pattern, `dy${rule.flags ?? ''}`);
  const allowances = (rule.allow ?? []).map(createAllowance);
  return {
    path,
    *find(text, at) {
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
  const whole = [match.index, match.index + match[0].length] as const;
  if (!indices) return whole;
  if (group !== undefined) return indices[group] ?? whole;
  return indices.groups?.['value'] ?? indices.slice(1).find((span) => span !== undefined && span[1] > span[0]) ?? whole;
}

function toPrefix(text: string, end: number): string {
  return /[\w.-]{0,50}$/.exec(text.slice(Math.max(0, end - 50), end))?.[0] ?? '';
}

/** One thing that matched. */
export interface AllowanceSite {
  text: string;
  path: string | undefined;
  secret: string;
  match: string;
  /** Where in the text it stands. */
  index: number;
}

/** Makes an allowance ready: true for what is no secret. */
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
