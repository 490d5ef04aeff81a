import type { Access, Authority, Grant } from '../protocol/index.ts';
import { isBelow } from './path.ts';

/** What a session gets when nobody says otherwise: its workspace, the sandbox, every tool; no network. */
export function toDefaultGrant(workspace: string): Grant {
  return {
    authorities: [{ kind: 'fs', path: workspace, rights: 'rwx' }, { kind: 'exec' }, { kind: 'tool', name: '*' }],
  };
}

/** True when one authority alone covers the access. */
function covers(authority: Authority, access: Access): boolean {
  switch (access.kind) {
    case 'fs':
      return authority.kind === 'fs' && authority.rights.includes(access.right) && isBelow(access.path, authority.path);
    case 'net':
      return (
        authority.kind === 'net' &&
        (authority.host === '*' || authority.host === access.host) &&
        (authority.port === 0 || authority.port === access.port)
      );
    case 'exec':
      return authority.kind === 'exec';
  }
}

/** True when the grant allows the access. Absence is denial. */
export function allowsAccess(grant: Grant, access: Access): boolean {
  return grant.authorities.some((authority) => covers(authority, access));
}

/** True when the grant allows the tool at all. */
export function allowsTool(grant: Grant, name: string): boolean {
  return grant.authorities.some(
    (authority) => authority.kind === 'tool' && (authority.name === '*' || authority.name === name),
  );
}

/** The access in words. */
export function describeAccess(access: Access): string {
  switch (access.kind) {
    case 'fs':
      return `${access.right === 'r' ? 'read' : 'write'} ${access.path}`;
    case 'net':
      return access.host === '*' ? 'reach the network' : `reach ${access.host}:${access.port}`;
    case 'exec':
      return 'run a command in the sandbox';
  }
}
