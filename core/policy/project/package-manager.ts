import { isRecord } from '../../protocol/index.ts';

const MANAGERS = ['npm', 'pnpm', 'yarn', 'bun'] as const;

/** The package manager that a package.json names. */
export interface DeclaredManager {
  name: (typeof MANAGERS)[number];
  /** Undefined: no version is named. */
  major: number | undefined;
}

/** Reads `packageManager` of a package.json, else `devEngines.packageManager`. Undefined: it names none that is known. */
export function readPackageManager(text: string): DeclaredManager | undefined {
  const json = parseObject(text);
  if (json === undefined) return undefined;
  const { packageManager, devEngines } = json;
  if (typeof packageManager === 'string') {
    const [name = '', version] = packageManager.split('@');
    const found = toManager(name, version);
    if (found) return found;
  }
  const engines = isRecord(devEngines) ? [devEngines['packageManager']].flat() : [];
  for (const engine of engines) {
    if (!isRecord(engine) || typeof engine['name'] !== 'string') continue;
    const { name, version } = engine;
    const found = toManager(name as string, typeof version === 'string' ? version : undefined);
    if (found) return found;
  }
  return undefined;
}

function toManager(given: string, version: string | undefined): DeclaredManager | undefined {
  const name = MANAGERS.find((manager) => manager === given);
  const major = /\d+/.exec(version ?? '')?.[0];
  return name && { name, major: major === undefined ? undefined : Number(major) };
}

/** The object of a JSON text; undefined if it is none. */
export function parseObject(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const json: unknown = JSON.parse(text);
    return isRecord(json) ? json : undefined;
  } catch {
    return undefined;
  }
}
