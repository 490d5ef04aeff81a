import { toOriginal } from '../dump-columns.ts';
import type { SecretRule } from '../secret-rule.ts';
import { findKeyed, KEY_WORDS } from './find-keyed.ts';
import { findKubernetesSecrets } from './kubernetes.ts';
import { toPlainViews } from './plain-views.ts';
import { SHAPED_RULES } from './shaped-rules.ts';

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
