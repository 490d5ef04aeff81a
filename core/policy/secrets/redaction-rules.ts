import { readGitleaksRules } from './gitleaks-rules.ts';
import { toOriginal } from './dump-columns.ts';
import { findKeyed, KEY_WORDS } from './keyed/find-keyed.ts';
import { findKubernetesSecrets } from './keyed/kubernetes.ts';
import { toPlainViews } from './keyed/plain-views.ts';
import { SHAPED_RULES } from './keyed/shaped-rules.ts';
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

/** Secrets identified by their context: the name of a key, an option, a part of a URL. */
export const KEYED_RULES: readonly SecretRule[] = [
  { name: 'keyed-secret', keywords: KEY_WORDS, find: findKeyed, isPlaced: true },
  { name: 'kubernetes-secret', keywords: ['secret'], find: findKubernetesSecrets },
  ...SHAPED_RULES,
].map((rule) => ({ ...rule, find: alsoInViews(rule.find) }));

type Find = NonNullable<SecretRule['find']>;

/** Looks in the text, and in what it was before its lines were numbered or escaped. */
function alsoInViews(find: Find | undefined): Find {
  return function* findInAll(text, places) {
    if (!find) return;
    yield* find(text, places);
    for (const view of toPlainViews(text)) {
      for (const [start, end] of find(view.text))
        for (const part of toOriginal(view, start, end)) yield [part.start, part.end];
    }
  };
}

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
