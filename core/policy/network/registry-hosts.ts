import type { NetworkPreset } from '../../protocol/index.ts';
import { toNetAuthorities, type ConfiguredHosts } from './presets.ts';

/** Presets whose hosts are registries of packages. GitHub serves texts of any user's repositories and issues. */
const REGISTRIES: readonly NetworkPreset[] = ['npm', 'pypi', 'crates', 'go'];

/**
 * True for a registry of packages: of a preset, or one that the user configured. What an installation prints and stores
 * is no untrusted content.
 *
 * @param authority `host:port`, as a proxy reports it.
 */
export function isRegistryHost(authority: string, configured: ConfiguredHosts): boolean {
  return toNetAuthorities(REGISTRIES, configured).some(({ host, port }) => authority === `${host}:${port}`);
}
