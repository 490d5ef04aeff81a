import type { Access, Authority } from '../../protocol/index.ts';
import { toHostRules, type HostRule } from './host-rule.ts';

/** The network of a command that reaches only some hosts. */
export interface LimitedNetwork {
  readonly hosts: readonly HostRule[];
}

type NetAccess = Extract<Access, { kind: 'net' }>;

const EVERY_HOST: NetAccess = { kind: 'net', host: '*', port: 0 };

/**
 * What a command with a network asks for: the hosts that a grant names. If it names none, or allows every host and port:
 * every host.
 */
export function toNetAccess(held: readonly Authority[]): NetAccess[] {
  const net = held.filter((one) => one.kind === 'net');
  const named = net.filter(({ host }) => host !== '*');
  if (named.length === 0 || net.some(({ host, port }) => host === '*' && port === 0)) return [EVERY_HOST];
  return named.map(({ host, port }) => ({ kind: 'net', host, port }));
}

/** True if the accesses of a call name hosts, and no access is to every host. */
export function isLimitedAccess(access: readonly Access[]): boolean {
  const net = access.filter((one) => one.kind === 'net');
  return net.length > 0 && net.every(({ host }) => host !== '*');
}

/** The network of a command whose accesses the gate has decided: none, every host, or the named ones. */
export function toCommandNetwork(access: readonly Access[]): boolean | LimitedNetwork {
  if (isLimitedAccess(access)) return { hosts: toHostRules(access) };
  return access.some(({ kind }) => kind === 'net');
}
