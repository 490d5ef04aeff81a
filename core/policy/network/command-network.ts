import type { Access, Authority } from '../../protocol/index.ts';
import { toHostRules, type HostRule } from './host-rule.ts';

/** The network of a command that reaches only some hosts. */
export interface LimitedNetwork {
  readonly hosts: readonly HostRule[];
  /** Default: none. */
  readonly secrets?: readonly HeaderSecret[];
}

/** A credential that the proxy puts into the headers of plain HTTP requests to one host, in the place of a text. */
export interface HeaderSecret {
  /** What the command has instead of the value. */
  readonly placeholder: string;
  readonly value: string;
  /** As in the authority that allows it. */
  readonly host: string;
}

/**
 * The credentials that a command with these accesses may use: those that the grant names for one of its hosts.
 *
 * @param isSet True for a credential that the user has set.
 */
export function toSecretAccess(
  held: readonly Authority[],
  access: readonly Access[],
  isSet: (name: string) => boolean,
): Extract<Access, { kind: 'secret' }>[] {
  if (!isLimitedAccess(access)) return [];
  const hosts = new Set(access.flatMap((one) => (one.kind === 'net' ? [one.host] : [])));
  return held.flatMap((one) => {
    if (one.kind !== 'secret' || !hosts.has(one.host) || one.host.startsWith('*') || !isSet(one.name)) return [];
    return [{ kind: 'secret', name: one.name, host: one.host }];
  });
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
