import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { rolldown } from 'rolldown';

const STATIC = /^(?:import|export)\b[^;]*?\bfrom '(?<path>\.[^']+)';/gm;
const NAMES = /^export (?:async )?(?:function\*?|class|const) (?<name>\w+)/gm;
const ENTRY = 'bundle/entry.js';
/** In a folder, because some modules load others relative to the folder of the package. */
const BUNDLE = 'bundle/index.js';

/**
 * Makes one file of what `import 'klendathu'` loads: each file costs half a millisecond. The modules themselves become
 * references to it, so that those that are loaded later share its classes.
 *
 * @param folder The compiled package.
 */
export async function bundleImport(folder: string): Promise<void> {
  const modules = findClosure(folder, 'index.js');
  const owners = new Map<string, string>();
  for (const path of modules)
    for (const { groups } of readFileSync(join(folder, path), 'utf8').matchAll(NAMES)) {
      const name = groups!['name']!;
      if (owners.has(name)) throw new Error(`${path} and ${owners.get(name)} export ${name}.`);
      owners.set(name, path);
    }
  const toSpecifier = (from: string, path: string): string => {
    const found = relative(dirname(from), path);
    return found.startsWith('.') ? found : `./${found}`;
  };
  const entry = join(folder, ENTRY);
  const lines = [...owners].map(([name, path]) => `export { ${name} } from '${toSpecifier(ENTRY, path)}';`);
  mkdirSync(dirname(entry), { recursive: true });
  writeFileSync(entry, lines.join('\n'));
  const bundle = await rolldown({
    input: entry,
    platform: 'node',
    external: (id, importer) =>
      id.startsWith('.') && importer !== undefined && !modules.has(relative(folder, join(dirname(importer), id))),
  });
  await bundle.write({ file: join(folder, BUNDLE), format: 'esm' });
  await bundle.close();
  rmSync(entry);
  for (const path of modules) {
    const names = [...owners].filter(([, owner]) => owner === path).map(([name]) => name);
    if (names.length > 0)
      writeFileSync(join(folder, path), `export { ${names.join(', ')} } from '${toSpecifier(path, BUNDLE)}';\n`);
  }
  const index = readFileSync(join(folder, 'index.js'), 'utf8');
  writeFileSync(join(folder, 'index.js'), index.replaceAll(/from '[^']+'/g, `from './${BUNDLE}'`));
}

/** The modules that a module imports statically, and itself, by their paths in the folder. */
function findClosure(folder: string, entry: string): Set<string> {
  const found = new Set([entry]);
  for (const path of found)
    for (const { groups } of readFileSync(join(folder, path), 'utf8').matchAll(STATIC))
      found.add(join(dirname(path), groups!['path']!));
  return found;
}
