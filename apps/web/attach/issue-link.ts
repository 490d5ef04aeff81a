import { headOf } from '@klaus/core/cut-text';

/** A checked address of an issue. */
export interface IssueLink {
  url: string;
  /** `owner/repo#12`, `group/repo!7` for a merge request, else host and path. */
  label: string;
  /** As the user reads it, with the port if it is unusual. */
  host: string;
  hostname: string;
  port: number;
}

/** Why an address cannot be attached. */
export type LinkProblem = 'incomplete' | 'protocol' | 'credentials';

const MAX_CHARS = 2_000;
const MAX_LABEL = 80;

/** `/owner/repo/issues/12` as on GitHub, and `/group/repo/-/issues/12` as on GitLab. */
const ISSUE = /^\/((?:[\w.-]+\/)+?[\w.-]+)(?:\/-)?\/(issues|pull|pulls|merge_requests|work_items)\/(\d+)(?:\/|$)/;
/** Names of parameters that carry a password or a token. */
const CREDENTIAL = /token|secret|passw|api[-_]?key|credential|signature|^sig$|^auth$|authorization/i;

/** Checks an address. It must be complete, of http or https, and contain no password or token. */
export function readIssueLink(text: string): IssueLink | LinkProblem {
  const given = text.trim();
  let url: URL;
  try {
    url = new URL(given);
  } catch {
    return 'incomplete';
  }
  if (given.length > MAX_CHARS || /\s/.test(given)) return 'incomplete';
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return 'protocol';
  const fragment = new URLSearchParams(url.hash.slice(1));
  const names = [...url.searchParams.keys(), ...(url.hash.includes('=') ? fragment.keys() : [])];
  if (url.username !== '' || url.password !== '' || names.some((name) => CREDENTIAL.test(name))) return 'credentials';
  const [, path, kind, number] = ISSUE.exec(url.pathname) ?? [];
  const label =
    path === undefined ? `${url.host}${url.pathname === '/' ? '' : url.pathname}` : toShort(path, kind, number);
  const port = url.port === '' ? (url.protocol === 'https:' ? 443 : 80) : Number(url.port);
  const hostname = url.hostname.replace(/^\[(.*)\]$/, '$1').replace(/\.$/, '');
  return { url: url.href, label: headOf(label, MAX_LABEL), host: url.host, hostname, port };
}

function toShort(path: string, kind: string | undefined, number: string | undefined): string {
  return `${path}${kind === 'merge_requests' ? '!' : '#'}${number}`;
}
