import {
  KlausError,
  NETWORK_PRESET_NAMES,
  NETWORK_PRESETS,
  toNearest,
  type Authority,
  type NetworkPreset,
} from '../../protocol/index.ts';
import { parseHostRule } from './host-rule.ts';

/** Registries that the user configured instead of the usual ones, as `host` or `host:port`. */
export type ConfiguredHosts = Readonly<Partial<Record<NetworkPreset, readonly string[]>>>;

type NetAuthority = Extract<Authority, { kind: 'net' }>;

/** Ports of a host without a port. */
const WEB_PORTS = [443, 80];

/**
 * The authorities that `--allow-net` adds: names of presets, with the registries that the user configured, and hosts such
 * as `example.com`, `*.example.com` or `localhost:4873`. A preset is HTTPS only; a host without a port is HTTPS and HTTP.
 *
 * @param words Each can be several, with commas between them.
 * @throws KlausError `usage` for a word that is neither.
 */
export function toNetAuthorities(words: readonly string[], configured: ConfiguredHosts = {}): NetAuthority[] {
  const all = words.flatMap((word) => word.split(',')).map((word) => word.trim());
  const found = all.filter((word) => word !== '').flatMap((word) => toAuthorities(word, configured));
  return [...new Map(found.map((one) => [`${one.host} ${one.port}`, one])).values()];
}

function toAuthorities(word: string, configured: ConfiguredHosts): NetAuthority[] {
  if (isPreset(word)) {
    const usual = NETWORK_PRESETS[word].map((host): NetAuthority => ({ kind: 'net', host, port: 443 }));
    return [...usual, ...(configured[word] ?? []).flatMap(toHost)];
  }
  // A single label is more often a typing error than the name of a server.
  if (/^[\w-]+$/.test(word) && word !== 'localhost') {
    const nearest = toNearest(word, NETWORK_PRESET_NAMES);
    throw new KlausError('usage', `${word} is no preset of hosts.`, {
      hint: `${nearest === undefined ? '' : `Did you mean ${nearest}? `}Presets are ${NETWORK_PRESET_NAMES.join(', ')}. Write a host of one word with its port: \`${word}:443\`.`,
    });
  }
  return toHost(word);
}

function isPreset(word: string): word is NetworkPreset {
  return Object.hasOwn(NETWORK_PRESETS, word);
}

function toHost(text: string): NetAuthority[] {
  const { host, isBelow, port } = parseHostRule(text);
  const ports = port === undefined ? WEB_PORTS : [port];
  return ports.map((each) => ({ kind: 'net', host: isBelow ? `*.${host}` : host, port: each }));
}
