import type { NetworkPreset } from '@klaus/core/protocol';

/** The names of the registries, as they write them. */
export const NETWORK_TITLES = {
  npm: 'npm',
  pypi: 'PyPI',
  crates: 'crates.io',
  go: 'Go modules',
  github: 'GitHub',
} as const satisfies Readonly<Record<NetworkPreset, string>>;
