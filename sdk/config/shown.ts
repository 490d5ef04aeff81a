import type { Setting } from '@klaus/core/protocol';

/** Shorter secrets are not shown in part: four characters would be too much of them. */
const LEAST_FOR_TAIL = 12;

/** What looks like a key, wherever it was put, and the user and query of a URL. */
const KEY_LIKE = /\b(sk-|sk_|pk-|gh[opsu]_|github_pat_|xox[abp]-|AKIA|AIza)[\w-]{12,}/g;
const URL_USER = /\/\/[^\s"']*@/g;
const URL_QUERY = /(https?:[^\s"'?#]*)[?#][^\s"']*/g;

/** A value for people to read: a secret only as its last four characters, everything else on one short line. */
export function toShown(setting: Pick<Setting, 'secret'>, value: unknown): string {
  if (setting.secret) {
    const text = String(value);
    return text.length < LEAST_FOR_TAIL ? 'set' : `set (…${text.slice(-4)})`;
  }
  return hideSecrets(typeof value === 'string' ? value : (JSON.stringify(value) ?? String(value)));
}

/** The text without what looks like a secret: for values and names that somebody may have mixed up with one. */
export function hideSecrets(text: string): string {
  return text.replace(KEY_LIKE, '…').replace(URL_USER, '//…@').replace(URL_QUERY, '$1?…');
}
