/** Hosts of the usual registries, HTTPS only. @source The documentation of each registry and of its client. */
export const NETWORK_PRESETS = {
  npm: ['registry.npmjs.org'],
  pypi: ['pypi.org', 'files.pythonhosted.org'],
  crates: ['index.crates.io', 'static.crates.io', 'crates.io'],
  go: ['proxy.golang.org', 'sum.golang.org'],
  github: [
    ...['github.com', 'api.github.com', 'codeload.github.com', 'raw.githubusercontent.com'],
    ...['objects.githubusercontent.com', 'release-assets.githubusercontent.com'],
  ],
} as const satisfies Readonly<Record<string, readonly string[]>>;

export type NetworkPreset = keyof typeof NETWORK_PRESETS;

/** In the order of the table. */
export const NETWORK_PRESET_NAMES = Object.keys(NETWORK_PRESETS) as readonly NetworkPreset[];
