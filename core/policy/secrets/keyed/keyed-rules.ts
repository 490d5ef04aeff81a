import type { SecretRule } from '../secret-rule.ts';
import { findKeyed } from './find-keyed.ts';
import { findKubernetesSecrets } from './kubernetes.ts';
import { SHAPED_RULES } from './shaped-rules.ts';

/** Secrets that stand beside what says that they are: the name of a key, an option, a place in a URL. */
export const KEYED_RULES: readonly SecretRule[] = [
  {
    name: 'keyed-secret',
    keywords: ['pass', 'pwd', 'pw=', 'pw:', 'secret', 'token', 'cred', 'auth', 'key', 'salt', 'bearer'],
    find: findKeyed,
  },
  { name: 'kubernetes-secret', keywords: ['secret'], find: findKubernetesSecrets },
  ...SHAPED_RULES,
];
