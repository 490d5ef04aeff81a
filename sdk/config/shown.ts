import type { Setting } from '@klaus/core/protocol';

/** Shorter secrets are not shown in part, because four characters would reveal too much. */
const LEAST_FOR_TAIL = 12;

/** Text that looks like a key, and the user and query of a URL. */
const KEY_LIKE = /\b(sk-|sk_|pk-|gh[opsu]_|github_pat_|xox[abp]-|AKIA|AIza)[\w-]{12,}/g;
const URL_USER = /\/\/[^\s"']*@/g;
const URL_QUERY = /(https?:[^\s"'?#]*)[?#][^\s"']*/g;

/** A value for display: the last four characters of a secret, everything else on one line. */
export function toShown(setting: Pick<Setting, 'secret'>, value: unknown): string {
  if (setting.secret) {
    if (typeof value !== 'string') return 'set';
    return value.length < LEAST_FOR_TAIL ? 'set' : `set (…${value.slice(-4)})`;
  }
  return hideSecrets(typeof value === 'string' ? value : (JSON.stringify(value) ?? String(value)));
}

/** The text without what looks like a secret, for values and names that may contain one by mistake. */
export function hideSecrets(text: string): string {
  return text.replace(KEY_LIKE, '…').replace(URL_USER, '//…@').replace(URL_QUERY, '$1?…');
}
