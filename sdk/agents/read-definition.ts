import { agentHeadSchema, KlausError, toNearest, type AgentDefinition } from '@klaus/core/protocol';
import { splitFrontMatter } from '@klaus/core/skill-text';
import type * as Yaml from 'yaml';
import { parseYaml } from '../config/yaml-values.ts';

/** Bytes of a definition. A larger one is not text that a person wrote. */
export const MAX_DEFINITION_BYTES = 256 * 1024;

/**
 * Reads a definition: Markdown whose front matter is YAML.
 *
 * @param path For messages.
 * @throws KlausError `config` with file, line and reason.
 */
export async function readDefinition(text: string, path: string): Promise<AgentDefinition> {
  const refuse = (line: number, reason: string, hint?: string): KlausError =>
    new KlausError('config', `${path}:${line}: ${reason}`, hint === undefined ? {} : { hint });
  if (Buffer.byteLength(text) > MAX_DEFINITION_BYTES) throw refuse(1, 'a definition has at most 256 KiB');
  const { head, body } = splitFrontMatter(text);
  if (head === undefined)
    throw refuse(1, 'this file has no front matter', 'Begin it with a line `---`, its fields, and a line `---`.');
  const yaml = await import('yaml');
  // The first line of the YAML is the second of the file.
  const { document, lines } = parseYaml(yaml, `\n${head}`, path);
  const parsed = agentHeadSchema.safeParse(toFields(document, () => refuse(2, 'this YAML cannot be read')));
  if (parsed.success) return { ...parsed.data, systemPrompt: body };
  // A misspelled field is also a missing one.
  const { issues } = parsed.error;
  const issue = issues.find(({ code, path: at }) => code === 'unrecognized_keys' && at.length === 0) ?? issues[0];
  const [key] = issue!.path;
  const named = issue!.code === 'unrecognized_keys' ? issue!.keys[0]! : key === undefined ? undefined : String(key);
  const line = named === undefined ? 1 : toLine(yaml, { document, lines }, named);
  if (issue!.code === 'unrecognized_keys' && issue!.path.length === 0) {
    const nearest = toNearest(named!, Object.keys(agentHeadSchema.shape));
    throw refuse(line, `there is no field ${named}`, nearest === undefined ? undefined : `Did you mean ${nearest}?`);
  }
  throw refuse(line, `${issue!.path.join('.') || 'the front matter'}: ${issue!.message}`);
}

/** @param refuse Makes the error of a document that is nested too deeply or has recursive aliases. */
function toFields(document: Yaml.Document, refuse: () => KlausError): unknown {
  try {
    return document.toJS({ maxAliasCount: 100 }) ?? {};
  } catch {
    throw refuse();
  }
}

function toLine(
  yaml: typeof Yaml,
  { document, lines }: { document: Yaml.Document; lines: Yaml.LineCounter },
  key: string,
): number {
  if (!yaml.isMap(document.contents)) return 2;
  const pair = document.contents.items.find(({ key: name }) => yaml.isScalar(name) && String(name.value) === key);
  return pair && yaml.isNode(pair.key) && pair.key.range ? lines.linePos(pair.key.range[0]).line : 2;
}
