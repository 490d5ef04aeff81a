/** Files by which a tool marks a folder as its own, with the name of the folders that they mark; undefined: any. */
export const TOOL_MARKERS: ReadonlyMap<string, string | undefined> = new Map([
  ['CACHEDIR.TAG', undefined],
  ['pyvenv.cfg', undefined],
  ['.rustc_info.json', undefined],
  ['.package-lock.json', 'node_modules'],
  ['.yarn-integrity', 'node_modules'],
  ['.yarn-state.yml', 'node_modules'],
  ['.modules.yaml', 'node_modules'],
]);
