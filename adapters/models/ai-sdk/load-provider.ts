import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { KlausError, messageOf } from '@klaus/core/protocol';
import { isLanguageModel, type LanguageModel } from './language-model.ts';
import type { AiProvider, AiSdkOptions } from './ai-sdk-options.ts';
import type { AiModelName } from './provider-name.ts';
import { watchedFetch } from './watched-fetch.ts';

/** @throws KlausError `config` for a package that is missing or is no provider, `model.unknown` for an unknown id. */
export async function loadLanguageModel({ provider, id }: AiModelName, options: AiSdkOptions): Promise<LanguageModel> {
  const given = Object.hasOwn(options.providers ?? {}, provider) ? options.providers![provider] : undefined;
  const found = given ? { source: provider, provider: given } : await loadProvider(provider, options);
  const model = toModel(found, id);
  if (isLanguageModel(model)) return model;
  throw new KlausError('config', `${found.source} does not have a supported version of the AI SDK's interface.`, {
    hint: `Supported are versions 3 and 4, of \`ai\` 6 and 7. ${given ? '' : `Install a current one: ${toCommand(options, `${found.source}@latest`)}`}`.trim(),
  });
}

interface Found {
  /** The package, or the name of a given provider. */
  source: string;
  provider: AiProvider;
}

function toModel({ source, provider }: Found, id: string): unknown {
  try {
    return provider.languageModel(id);
  } catch (error) {
    throw new KlausError(
      'model.unknown',
      `${source} does not accept the model ${JSON.stringify(id)}: ${messageOf(error)}`,
    );
  }
}

async function loadProvider(name: string, options: AiSdkOptions): Promise<Found> {
  const configured = Object.hasOwn(options.settings ?? {}, name) ? options.settings![name] : undefined;
  const { package: chosen, options: given = {} } = configured ?? {};
  // A name without a scope is that of an official package, or else of any package.
  const candidates = chosen ? [chosen] : name.startsWith('@') ? [name] : [`@ai-sdk/${name}`, name];
  for (const source of candidates) {
    const entry = await findEntry(join(options.folder, 'node_modules', ...source.split('/')));
    if (entry === undefined) continue;
    const exports = loadPackage(source, entry);
    return { source, provider: createProvider(exports, { name, source, given: { fetch: watchedFetch, ...given } }) };
  }
  throw new KlausError('config', `The package ${candidates[0]} is not installed in ${options.folder}.`, {
    hint: `Install it with ${toCommand(options, candidates[0]!)}`,
  });
}

function toCommand({ folder }: AiSdkOptions, name: string): string {
  return `\`npm install --prefix ${/\s/.test(folder) ? JSON.stringify(folder) : folder} ${name}\`.`;
}

/** The module of a package for `import`; undefined if the package is not there. Other folders are not searched. */
async function findEntry(folder: string): Promise<string | undefined> {
  let text: string;
  try {
    text = await readFile(join(folder, 'package.json'), 'utf8');
  } catch {
    return undefined;
  }
  const { exports, module, main } = JSON.parse(text) as Record<string, unknown>;
  return join(folder, toTarget(exports) ?? toTarget(module) ?? toTarget(main) ?? 'index.js');
}

/** The file of the package's root in `exports`. */
function toTarget(exports: unknown): string | undefined {
  if (typeof exports === 'string') return exports;
  if (typeof exports !== 'object' || exports === null) return undefined;
  const conditions = exports as Record<string, unknown>;
  for (const key of ['.', 'node', 'import', 'default']) {
    const target = toTarget(conditions[key]);
    if (target !== undefined) return target;
  }
  return undefined;
}

/** Not by `import`, which the bundle replaces. Node loads ES modules this way too, unless they await at the top. */
function loadPackage(source: string, entry: string): Record<string, unknown> {
  try {
    const loaded = createRequire(entry)(entry) as Record<string, unknown>;
    // A CommonJS module can have its exports in its default export only.
    return { ...(loaded['default'] as object | undefined), ...loaded };
  } catch (error) {
    throw new KlausError('config', `${source} cannot be loaded: ${messageOf(error)}`);
  }
}

/** Packages export `createNAME`, and most also a provider that was created without options. */
function createProvider(
  exports: Record<string, unknown>,
  { name, source, given }: { name: string; source: string; given: Record<string, unknown> },
): AiProvider {
  const wanted = `create${source.slice(source.lastIndexOf('/') + 1).replaceAll(/[^a-z0-9]/gi, '')}`.toLowerCase();
  const factories = Object.entries(exports)
    .filter(([key, value]) => /^create[A-Z]/.test(key) && typeof value === 'function')
    .toSorted(([a], [b]) => Number(b.toLowerCase() === wanted) - Number(a.toLowerCase() === wanted));
  // It serves any compatible API: it has no name of its own, and does not request usage.
  const options = source === '@ai-sdk/openai-compatible' ? { name, includeUsage: true, ...given } : given;
  for (const [, create] of factories) {
    const created = callFactory(source, () => (create as (options: object) => unknown)(options));
    if (isProvider(created)) return created;
  }
  const provider = Object.values(exports).find(isProvider);
  if (provider) return provider;
  throw new KlausError('config', `${source} exports no provider of the AI SDK.`);
}

function callFactory(source: string, create: () => unknown): unknown {
  try {
    return create();
  } catch (error) {
    throw new KlausError('config', `${source} does not accept its options: ${messageOf(error)}`, {
      hint: 'They are in the setting `aiSdk`.',
    });
  }
}

function isProvider(value: unknown): value is AiProvider {
  return typeof (value as Partial<AiProvider> | null | undefined)?.languageModel === 'function';
}
