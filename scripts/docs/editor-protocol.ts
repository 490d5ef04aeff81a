import { globSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { replaceBetween, toTable } from './markdown.ts';

export const EDITORS = 'docs/guides/editors.md';

interface Schema {
  $defs: Record<string, { 'x-method'?: string; 'x-side'?: string } & Variants>;
}

interface Variants {
  oneOf?: Variant[];
  anyOf?: Variant[];
}

interface Variant {
  properties?: { sessionUpdate?: { const?: string } };
}

/** What a part of the sources implements, and the schemas that define it: the stable one first. */
interface Version {
  title: string;
  sources: string;
  schemas: Schema[];
}

/** The guide with the methods and updates of each version of the protocol that Klaus implements. */
export function toEditorsPage(root: string): string {
  const page = readFileSync(join(root, EDITORS), 'utf8');
  const versions: Version[] = [
    {
      title: 'Version 1',
      sources: read(root, 'apps/acp/{connection,session,updates}/*.ts'),
      schemas: [load('v1/schema.json'), load('v1/schema.unstable.json')],
    },
    { title: 'Draft of 2', sources: read(root, 'apps/acp/draft/*.ts'), schemas: [load('v2/schema.json')] },
  ];
  const tables = [
    toRows('Request to Klaus', versions, (schema) => toMethods(schema, 'agent')),
    toRows('Request of Klaus', versions, (schema) => toMethods(schema, 'client')),
    toRows('Update', versions, toUpdates),
  ];
  return replaceBetween(page, ['<!-- acp-methods -->', '<!-- /acp-methods -->'], `\n\n${tables.join('\n\n')}\n\n`);
}

function toRows(head: string, versions: readonly Version[], toNames: (schema: Schema) => string[]): string {
  const names = new Set(versions.flatMap(({ schemas }) => schemas.flatMap(toNames)));
  const toCell = (name: string, { schemas, sources }: Version): string => {
    const at = schemas.findIndex((schema) => toNames(schema).includes(name));
    if (at < 0) return '';
    return `${sources.includes(`'${name}'`) ? 'yes' : 'no'}${at === 0 ? '' : ', unstable'}`;
  };
  const rows = [...names].toSorted().map((name) => [`\`${name}\``, ...versions.map((each) => toCell(name, each))]);
  return toTable([head, ...versions.map(({ title }) => title)], rows);
}

function toMethods({ $defs }: Schema, side: string): string[] {
  const own = Object.values($defs).filter((each) => each['x-side'] === side);
  return own.flatMap((each) => each['x-method'] ?? []);
}

function toUpdates({ $defs }: Schema): string[] {
  const { oneOf, anyOf = [] } = $defs['SessionUpdate'] ?? {};
  return (oneOf ?? anyOf).flatMap(({ properties }) => properties?.sessionUpdate?.const ?? []);
}

/** The text of the files of a part, without tests. */
function read(root: string, pattern: string): string {
  const files = globSync(pattern, { cwd: root }).filter((path) => !path.endsWith('.test.ts'));
  return files.map((path) => readFileSync(join(root, path), 'utf8')).join('\n');
}

function load(path: string): Schema {
  return createRequire(import.meta.url)(`@agentclientprotocol/sdk/schema/${path}`) as Schema;
}
