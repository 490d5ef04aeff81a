import { domainToUnicode } from 'node:url';
import { classifyAddress, findPrivateHosts } from '@klaus/core/policy';

/** The host of an address for a user who decides to open it: in ASCII, and what its text hides. */
export function toShownHost({ hostname, host, protocol }: URL): string {
  const bare = hostname.replace(/^\[(.*)\]$/, '$1').replace(/\.$/, '');
  const port = protocol === 'https:' ? 443 : 80;
  const notes = [
    ...(domainToUnicode(hostname) === hostname ? [] : ['not only ASCII letters']),
    ...(isOwn(bare)
      ? ['this machine']
      : findPrivateHosts([{ kind: 'net', host: bare, port }], []).length > 0
        ? ['a private network']
        : []),
  ];
  return notes.length === 0 ? host : `${host} (${notes.join(', ')})`;
}

/** True for names of this machine and addresses that no other machine has. */
function isOwn(host: string): boolean {
  if (/(?:^|\.)(?:localhost|localdomain)$/.test(host) || host === 'ip6-localhost') return true;
  return /^[\d.]+$|:/.test(host) && classifyAddress(host) === 'local';
}
