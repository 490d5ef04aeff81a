import { readGitleaksAllowance, readGitleaksRules } from './gitleaks-rules.ts';
import { PROMISED_RULES } from './promised-rules.ts';
import { createAllowance, createRuleSet, withLines, type RuleHit, type RuleSet } from './rule-set.ts';
import type { SecretRule } from './secret-rule.ts';

export interface SecretFinding {
  rule: string;
  /** From 1. */
  line: number;
  /** Offsets of the secret itself, in UTF-16 units; both 0 where the path alone decided. */
  start: number;
  end: number;
  /** 16 hexadecimal digits over rule, path and secret: the same while the secret is in this file. */
  fingerprint: string;
}

export interface SecretScannerOptions {
  /** Lower-case hex SHA-256. */
  digest: (text: string) => string;
  /** Rules in addition to the promised ten. Default: those of gitleaks. */
  rules?: readonly SecretRule[];
  /** Fingerprints to ignore. */
  allow?: ReadonlySet<string>;
}

/** Searches content that leaves the workspace for secrets. */
export interface SecretScanner {
  /**
   * Findings by position, none of which overlap.
   *
   * @param options.path Relative to the workspace, with forward slashes. Some rules and exceptions are about paths.
   */
  scan(text: string, options?: { path?: string }): SecretFinding[];
}

/** Examples and references instead of a secret: `AKIA…EXAMPLE`, `your-api-key-here`, `xxxxxxxx`, `<token>`, `$TOKEN`. */
const PLACEHOLDER =
  /example$|^(?:your|insert|enter|replace|dummy|fake|sample|placeholder|change-?me)[-_]|[-_]here$|^(.)\1+$|^<.*>$|^\$\{?\w|\[secret:[a-z0-9-]+:[0-9a-f]{8}\]|^(?:x{4,}|\*{4,})/i;
/** Two or more joined words without quotes: the name of a variable or type. */
const IDENTIFIER = /^[A-Za-z]?[a-z]+(?:[A-Z][a-z]+)+$/;

let standard: RuleSet | undefined;

/** Creates a scanner of the ten promised rules and of gitleaks'. Those are prepared once, for the first scan. */
export function createSecretScanner({ digest, rules, allow }: SecretScannerOptions): SecretScanner {
  let set: RuleSet | undefined;
  const toSet = (): RuleSet => {
    if (rules) return (set ??= createRuleSet([...PROMISED_RULES, ...rules]));
    return (standard ??= createRuleSet([...PROMISED_RULES, ...readGitleaksRules()]));
  };
  return {
    scan(text, { path } = {}) {
      const hits = toSet()
        .find(text, { path })
        .filter((hit) => !isNoSecret(hit, text, path));
      return withLines(withoutOverlaps(hits), text).flatMap(({ rule, line, start, end }) => {
        const fingerprint = toFingerprint(digest, { rule, path, secret: text.slice(start, end) });
        return allow?.has(fingerprint) === true ? [] : [{ rule, line, start, end, fingerprint }];
      });
    },
  };
}

/** The identifier of a secret in an allow-list; see {@link SecretFinding}. */
export function toFingerprint(
  digest: (text: string) => string,
  { rule, path = '', secret }: { rule: string; path: string | undefined; secret: string },
): string {
  return digest([rule, path, secret].join('\n')).slice(0, 16);
}

let allowance: ReturnType<typeof createAllowance> | undefined;

function isNoSecret({ rank, start, end }: RuleHit, text: string, path: string | undefined): boolean {
  const secret = text.slice(start, end);
  if (start < end && PLACEHOLDER.test(secret)) return true;
  // What was promised is found in every file, lock files and the like included.
  if (rank < PROMISED_RULES.length) return IDENTIFIER.test(secret) && !/["'`]/.test(text[start - 1] ?? '');
  allowance ??= createAllowance(readGitleaksAllowance());
  return allowance({ text, path, secret, match: secret, index: start });
}

/** Of hits that overlap the one of the first rule is kept. */
function withoutOverlaps(hits: RuleHit[]): RuleHit[] {
  const kept: RuleHit[] = [];
  hits.sort((a, b) => a.start - b.start || a.rank - b.rank);
  for (const hit of hits) {
    const last = kept.at(-1);
    if (!last || hit.start >= last.end) kept.push(hit);
    else if (hit.rank < last.rank) kept[kept.length - 1] = hit;
  }
  return kept;
}
