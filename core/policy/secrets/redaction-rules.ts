import { readGitleaksRules } from './gitleaks-rules.ts';
import { KEYED_RULES } from './keyed/keyed-rules.ts';
import { PROMISED_RULES } from './promised-rules.ts';
import type { SecretRule } from './secret-rule.ts';

/**
 * Rules of gitleaks that take part in no redaction. A commit can be looked at again and allowed; text that a model
 * reads cannot, and what is wrongly taken out of it breaks an edit.
 */
const TOO_BROAD = new Set([
  // Any long word beside `key`, `auth` or `token`.
  'generic-api-key',
  // `curl -u $user:$password` and the like, mostly documentation; real values are those of the rules for values.
  'curl-auth-user',
  'curl-auth-header',
  // Any 40 hexadecimal digits where a text says Sourcegraph: commits of Git.
  'sourcegraph-access-token',
]);

/** What the redactor looks for: the promised ten, the exact ones of gitleaks, and values by their keys. */
export function toRedactionRules(): SecretRule[] {
  const exact = readGitleaksRules().filter((rule) => rule.pattern !== undefined && !TOO_BROAD.has(rule.name));
  const patterns = exact.map((rule) => ({ ...rule, keywords: rule.keywords.flatMap(toLonger) }));
  return [...PROMISED_RULES, ...patterns, ...KEYED_RULES];
}

/** A keyword of two characters does not narrow a search; its secret continues with a letter or digit. */
function toLonger(keyword: string): string[] {
  if (keyword !== 's.') return [keyword];
  return Array.from('abcdefghijklmnopqrstuvwxyz0123456789', (next) => keyword + next);
}
