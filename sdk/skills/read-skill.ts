import { headOf } from '@klaus/core/cut-text';
import type { Skill } from '@klaus/core/agent';
import { KlausError } from '@klaus/core/protocol';
import { splitFrontMatter } from '@klaus/core/skill-text';
import type * as Yaml from 'yaml';
import { z } from 'zod';
import { parseYaml } from '../config/yaml-values.ts';
import { toToolNames } from './skill-tools.ts';
import type { SkillFile } from './skill-files.ts';

const NAME = /^[a-z0-9]+(?:-[a-z0-9]+)*$/;

/** A list, or one text with spaces or commas between the entries. `Bash(git add *)` is one entry. */
const toolsSchema = z
  .union([z.array(z.string()), z.string().transform((text) => text.match(/[^\s,(]+(?:\([^)]*\))?/g) ?? [])])
  .transform((names) => names.map((name) => name.trim()).filter((name) => name !== ''));

/** The fields that Klaus uses. Those of other programs are ignored. Source: https://agentskills.io/specification */
const headSchema = z.looseObject({
  name: z.string().max(64).regex(NAME, 'a name has lower-case letters, digits and single hyphens').optional(),
  description: z.string().trim().min(1).max(1_024).optional(),
  'allowed-tools': toolsSchema.optional(),
  'disable-model-invocation': z.boolean().optional(),
});

/**
 * Reads the text of a SKILL.md. Without a name it has that of its folder, without a description its first paragraph.
 *
 * @param known Names of all tools.
 * @throws KlausError `config` with file, line and reason.
 */
export async function readSkill(
  text: string,
  { name: folderName, ...at }: SkillFile,
  known: readonly string[],
): Promise<Omit<Skill, 'hides'>> {
  const refuse = (line: number, reason: string): KlausError =>
    new KlausError('config', `${at.file}:${line}: ${reason}`);
  const { head, body } = splitFrontMatter(text);
  if (head === undefined) throw refuse(1, 'this file has no front matter');
  const yaml = await import('yaml');
  // The first line of the YAML is the second of the file.
  const { document, lines } = parseYaml(yaml, `\n${head}`, at.file);
  const parsed = headSchema.safeParse(toFields(document) ?? {});
  if (!parsed.success) {
    const { path, message } = parsed.error.issues[0]!;
    const [key] = path;
    throw refuse(toLine(yaml, { document, lines }, key), `${path.join('.') || 'the front matter'}: ${message}`);
  }
  const { name = folderName, description = toFirstParagraph(body) } = parsed.data;
  if (!NAME.test(name) || name.length > 64) throw refuse(1, `the name of the folder, ${name}, is no name of a skill`);
  if (description === '') throw refuse(2, 'it has no description');
  const allowedTools = parsed.data['allowed-tools'] ?? [];
  const isOffered = parsed.data['disable-model-invocation'] !== true;
  return { ...at, name, description, allowedTools, ...toToolNames(allowedTools, known), isOffered };
}

/** Undefined for a document that is nested too deeply or has recursive aliases. */
function toFields(document: Yaml.Document): unknown {
  try {
    return document.toJS({ maxAliasCount: 100 });
  } catch {
    return 'unreadable';
  }
}

function toLine(
  yaml: typeof Yaml,
  { document, lines }: { document: Yaml.Document; lines: Yaml.LineCounter },
  key: PropertyKey | undefined,
): number {
  if (!yaml.isMap(document.contents)) return 2;
  const pair = document.contents.items.find(({ key: name }) => yaml.isScalar(name) && name.value === key);
  return pair && yaml.isNode(pair.key) && pair.key.range ? lines.linePos(pair.key.range[0]).line : 2;
}

function toFirstParagraph(body: string): string {
  const text = body.split(/\r?\n\s*\r?\n/).find((part) => part.trim() !== '' && !part.trim().startsWith('#')) ?? '';
  return headOf(text.replaceAll(/\s+/g, ' ').trim(), 1_024);
}
