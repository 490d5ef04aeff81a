import { headOf } from '@klaus/core/cut-text';
import {
  isKlausError,
  isSettingKey,
  KlausError,
  SETTING_KEYS,
  SETTINGS,
  toNearest,
  type Setting,
  type SettingKey,
} from '@klaus/core/protocol';
import type * as Yaml from 'yaml';
import type { FoundValue } from './configuration.ts';
import { hideSecrets } from './shown.ts';

interface YamlFile extends Pick<FoundValue, 'source' | 'folder'> {
  path: string;
}

/** The groups of the keys: `limits` for `limits.usd`, `tiers` and `tiers.openai` for `tiers.openai.opus`. */
const GROUPS: ReadonlySet<string> = new Set(
  SETTING_KEYS.flatMap((key) => {
    const steps = key.split('.').slice(0, -1);
    return steps.map((_, index) => steps.slice(0, index + 1).join('.'));
  }),
);

/**
 * Settings in the text of a YAML file. `limits: {usd: 5}` and `limits.usd: 5` are the same; null is unset.
 *
 * @throws KlausError `config` for text that is not valid YAML, and for an unknown or duplicate key.
 */
export async function fromYaml(text: string, file: YamlFile): Promise<FoundValue[]> {
  const yaml = await import('yaml');
  try {
    return collect(yaml, text, file);
  } catch (error) {
    if (isKlausError(error)) throw error;
    // Too deep nesting, or recursive aliases. Without a cause, which could quote the text.
    throw new KlausError('config', `${file.path}: the YAML cannot be parsed (${(error as Error).name})`);
  }
}

/** The document of a text with its lines. @throws KlausError `config` for text that is not valid YAML. */
export function parseYaml(yaml: typeof Yaml, text: string, path: string) {
  const lines = new yaml.LineCounter();
  // The parser's messages quote the text, which may contain a key, so only their code and position are reported. With
  // `silent` the parser would ignore a second document.
  const document = yaml.parseDocument(text, { lineCounter: lines, prettyErrors: false, logLevel: 'error' });
  const broken = document.errors[0];
  if (!broken) return { document, lines };
  const { line, col } = lines.linePos(broken.pos[0]);
  throw new KlausError('config', `${path}:${line}:${col}: this is not valid YAML (${broken.code})`, {
    hint: 'Fix this line, or remove the file.',
  });
}

function collect(yaml: typeof Yaml, text: string, file: YamlFile): FoundValue[] {
  const { document, lines } = parseYaml(yaml, text, file.path);
  const isNull = (node: unknown) => node == null || (yaml.isScalar(node) && node.value === null);
  const found = new Map<SettingKey, FoundValue>();
  const walk = (map: Yaml.YAMLMap, prefix: string): void => {
    for (const { key: name, value: item } of map.items) {
      const key = prefix + (yaml.isScalar(name) ? String(name.value) : '?');
      const where = `${file.path}:${yaml.isNode(name) && name.range ? lines.linePos(name.range[0]).line : 1}`;
      const node = yaml.isAlias(item) ? item.resolve(document) : item;
      if (GROUPS.has(key) && yaml.isMap(node)) walk(node, `${key}.`);
      else if (isSettingKey(key)) {
        if (found.has(key)) throw new KlausError('config', `${where}: duplicate key ${key}`);
        if (isNull(node)) continue;
        // Without a limit, nested aliases expand a small file to gigabytes.
        const value: unknown = yaml.isNode(node) ? node.toJS(document, { maxAliasCount: 100 }) : node;
        found.set(key, { key, value, source: file.source, where, folder: file.folder });
      } else if (!GROUPS.has(key) || !isNull(node)) throw unknownKey(key, where);
    }
  };
  const root: unknown = document.contents;
  if (isNull(root)) return [];
  if (!yaml.isMap(root)) {
    throw new KlausError('config', `${file.path}: the file must be a mapping with one \`key: value\` per line`);
  }
  walk(root, '');
  return [...found.values()];
}

/** The error for an unknown key, which names the nearest one. */
export function unknownKey(key: string, where?: string): KlausError {
  const place = where === undefined ? '' : `${where}: `;
  if (GROUPS.has(key)) {
    const inside = SETTING_KEYS.filter((name) => name.startsWith(`${key}.`));
    return new KlausError('config', `${place}${key} is a group of settings and has no value`, {
      hint: `Set one of ${inside.join(', ')}.`,
    });
  }
  const byVariable = SETTING_KEYS.find((name) => (SETTINGS[name] as Setting).env === key);
  const nearest = byVariable ?? toNearest(key, [...SETTING_KEYS, ...GROUPS]);
  return new KlausError('config', `${place}there is no setting ${JSON.stringify(headOf(hideSecrets(key), 60))}`, {
    hint: nearest === undefined ? 'Run `klaus config` to see all settings.' : `Did you mean ${nearest}?`,
  });
}
