import type { Authority } from '../../protocol/index.ts';
import { classifyAddress, parseAddress } from './address.ts';
import type { LimitedNetwork } from './command-network.ts';
import { findRule, parseHostRule, toHostRules, type HostRule } from './host-rule.ts';

const EVERY_HOST: HostRule = { host: '*', isBelow: false, port: 0 };

/** A number that a resolver reads as an IPv4 address: `2130706433`, `0x7f.1`, `127.1`. */
const NUMBER = /^(?:0x[0-9a-f]*|\d+)(?:\.(?:0x[0-9a-f]*|\d+)){0,3}$/i;

/**
 * The same rules for a session that reaches public addresses only. A host of `except` keeps its rule.
 *
 * @param except Texts as in {@link parseHostRule}; `*` is every host.
 */
export function toPublicRules(rules: readonly HostRule[], except: readonly string[]): HostRule[] {
  return rules.map((rule) => (isExcepted(rule, except) ? rule : { ...rule, isPublicOnly: true }));
}

/** The same for the network of a command. Every host becomes every public host, through the proxy. */
export function toPublicNetwork(
  network: boolean | LimitedNetwork | undefined,
  except: readonly string[],
): boolean | LimitedNetwork | undefined {
  if (network === undefined || network === false || except.includes('*')) return network;
  if (network === true) return { hosts: toPublicRules([EVERY_HOST], except) };
  return { ...network, hosts: toPublicRules(network.hosts, except) };
}

/** The authorities for addresses of this machine and of private networks, by their text. A name is checked when it is dialled. */
export function findPrivateHosts(authorities: readonly Authority[], except: readonly string[]): HostRule[] {
  return toHostRules(authorities).filter((rule) => isPrivateHost(rule.host) && !isExcepted(rule, except));
}

function isPrivateHost(host: string): boolean {
  if (/(?:^|\.)(?:localhost|localdomain|internal)$/.test(host) || host === 'ip6-localhost') return true;
  if (parseAddress(host) === undefined) return NUMBER.test(host);
  return classifyAddress(host) !== 'public';
}

function isExcepted({ host, isBelow, port = 0 }: HostRule, except: readonly string[]): boolean {
  return except.some((text) => {
    if (text === '*') return true;
    const allowed = parseHostRule(text);
    if (isBelow)
      return allowed.isBelow && allowed.host === host && (allowed.port === undefined || allowed.port === port);
    return port === 0
      ? allowed.host === host && !allowed.isBelow && allowed.port === undefined
      : findRule([{ ...allowed, port: allowed.port ?? port }], { host, port }) !== undefined;
  });
}
