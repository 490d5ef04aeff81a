import { lookup } from 'node:dns/promises';
import { mkdtempSync, rmSync } from 'node:fs';
import { isIP } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openHostProxy } from '@klaus/adapters/sandboxes';
import { isOwnPort } from '@klaus/adapters/system';
import { toAllowedAddresses, toPublicRules, type HostRule } from '@klaus/core/policy';
import { KlausError } from '@klaus/core/protocol';
import { checkPlainRepository } from './check-plain-repository.ts';
import type { CloneSource } from './clone-source.ts';

/** What a clone of a client may use of the machine. */
export interface CloneLimits {
  /** Hosts of private networks that it may reach, as in `server.privateHosts`. */
  privateHosts: readonly string[];
  /** True: SSH keys, the credential helper and the configuration of the user of this process. */
  lendsCredentials: boolean;
}

/** How Git runs within the limits. */
export interface LimitedGit extends Disposable {
  settings: Readonly<Record<string, string>>;
  env: Readonly<Record<string, string>>;
}

const SSH_PORT = 22;

/** The same for each address that is not reached, so that it does not show which ports are open. */
export function toUnreachable(): KlausError {
  return new KlausError('tool.failed', 'Git could not clone the repository: its address cannot be reached.', {
    hint: 'Check the address. Of private networks, only hosts of the setting `server.privateHosts` are reached.',
  });
}

/**
 * Limits the network of Git to public addresses and to the named private ones. HTTPS goes through a proxy that checks each
 * connection, also of a redirect; SSH connects to an address that was checked, without the configuration of the user.
 *
 * @throws KlausError `tool.failed` for an address that may not be reached, `usage` for SSH without credentials.
 */
export async function limitGit(source: CloneSource, limits: CloneLimits): Promise<LimitedGit> {
  const home = mkdtempSync(join(tmpdir(), 'klaus-clone-'));
  const own = limits.lendsCredentials ? {} : toNoConfiguration(home);
  const remove = (): void => rmSync(home, { recursive: true, force: true });
  try {
    if (source.protocol === 'file') checkPlainRepository(source.url);
    if (source.protocol === 'file') return { settings: {}, env: own, [Symbol.dispose]: remove };
    if (source.protocol === 'ssh') return { settings: {}, env: await toSsh(source, limits), [Symbol.dispose]: remove };
    const every: HostRule = { host: '*', isBelow: false, port: 0 };
    const url = new URL(source.url);
    const named: HostRule = { host: toHost(url), isBelow: false, port: Number(url.port) || 443 };
    // The first rule that matches decides: the host itself can be an exception.
    const rules = toPublicRules([named, every], limits.privateHosts);
    const proxy = await openHostProxy({ rules, env: process.env });
    const close = (): void => {
      proxy[Symbol.dispose]();
      remove();
    };
    const settings = {
      'http.proxy': proxy.url,
      // The most specific setting wins: one of the user for this host has no effect.
      [`http.${source.url}.proxy`]: proxy.url,
      ...(limits.lendsCredentials ? {} : { 'credential.helper': '' }),
    };
    return { settings, env: { ...own, NO_PROXY: '', no_proxy: '' }, [Symbol.dispose]: close };
  } catch (error) {
    remove();
    throw error;
  }
}

function toNoConfiguration(home: string): Record<string, string> {
  return { HOME: home, XDG_CONFIG_HOME: home, GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_SYSTEM: '/dev/null' };
}

async function toSsh({ url }: CloneSource, limits: CloneLimits): Promise<Record<string, string>> {
  if (!limits.lendsCredentials) {
    throw new KlausError('usage', 'Your role does not use the SSH keys of the server.', {
      hint: 'Use an `https` address, or let an administrator set `server.lendCredentials`.',
    });
  }
  const parsed = URL.canParse(url) && url.startsWith('ssh:') ? new URL(url) : undefined;
  const host = parsed ? toHost(parsed) : url.slice(0, url.indexOf(':')).replace(/^.*@/, '').toLowerCase();
  const port = Number(parsed?.port) || SSH_PORT;
  const [rule] = toPublicRules([{ host, isBelow: false, port }], limits.privateHosts);
  const found = isIP(host) === 0 ? await lookup(host, { all: true }).catch(() => []) : [{ address: host }];
  const allowed = toAllowedAddresses(
    rule!,
    found.map(({ address }) => address),
  );
  const address = allowed.find((each) => !isOwnPort(each, port));
  if (address === undefined) throw toUnreachable();
  const options = [
    `HostName=${address}`,
    `HostKeyAlias=${host}`,
    `Port=${port}`,
    'ProxyCommand=none',
    'ProxyJump=none',
  ];
  const words = ['-F', '/dev/null', ...options.map((option) => `-o${option}`)];
  return { GIT_SSH_COMMAND: `ssh ${words.join(' ')} -oBatchMode=yes -oConnectTimeout=20`, GIT_SSH_VARIANT: 'ssh' };
}

function toHost({ hostname }: URL): string {
  return hostname.replace(/^\[|\]$/g, '').toLowerCase();
}
