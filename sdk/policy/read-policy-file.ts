import { headOf } from '@klaus/core/cut-text';
import { isKlausError, KlausError, policyFileSchema, toNearest, type PolicyFile } from '@klaus/core/protocol';
import { readTargets, type PolicyProblem, type PolicyTarget } from '@klaus/core/policy';
import type * as Yaml from 'yaml';
import { hideSecrets } from '../config/shown.ts';
import { parseYaml } from '../config/yaml-values.ts';

/** A valid policy file, and its targets with their lines. */
export interface ReadPolicy {
  file: PolicyFile;
  targets: (PolicyTarget & { line: number })[];
}

/**
 * Reads and checks the text of a policy file.
 *
 * @param options.path For messages.
 * @param options.tools Names of all tools.
 * @throws KlausError `config` with file, line and reason: for invalid YAML, an unknown key, a wrong type
 *   and a rule that can never match.
 */
export async function readPolicyFile(
  text: string,
  options: { path: string; tools: readonly string[] },
): Promise<ReadPolicy> {
  const yaml = await import('yaml');
  try {
    return read(yaml, text, options);
  } catch (error) {
    if (isKlausError(error)) throw error;
    // Nested too deeply, or recursive aliases. Without a cause, which could quote the text.
    throw new KlausError('config', `${options.path}: this YAML cannot be read (${(error as Error).name})`);
  }
}

function read(
  yaml: typeof Yaml,
  text: string,
  { path, tools }: { path: string; tools: readonly string[] },
): ReadPolicy {
  const { document, lines } = parseYaml(yaml, text, path);
  const toLine = (at: YamlPath, key?: string): number =>
    lines.linePos(findOffset(yaml, document, key === undefined ? at : [...at, key])).line;
  const refuse = ({ at, message, hint }: PolicyProblem, key?: string): KlausError =>
    new KlausError('config', `${path}:${toLine(at, key)}: ${message}`, hint === undefined ? {} : { hint });
  const parsed = policyFileSchema.safeParse(document.toJS({ maxAliasCount: 100 }) ?? {});
  if (!parsed.success) {
    const issue = parsed.error.issues[0]!;
    const at = issue.path.map((step) => (typeof step === 'number' ? step : String(step)));
    if (issue.code === 'unrecognized_keys') throw refuse(toUnknownKey(at, issue.keys[0]!), issue.keys[0]);
    throw refuse({ at, message: `${at.length === 0 ? 'the file' : toName(at)}: ${issue.message}` });
  }
  const result = readTargets(parsed.data, tools);
  if ('problem' in result) throw refuse(result.problem);
  const targets = result.targets.map((target) => ({
    ...target,
    line: toLine(['rules', target.index, target.verdict, target.kind]),
  }));
  return { file: parsed.data, targets };
}

/** `rules[2].deny.tool`. */
function toName(at: YamlPath): string {
  return at
    .map((step) => (typeof step === 'number' ? `[${step}]` : `.${step}`))
    .join('')
    .replace(/^\./, '');
}

const KEYS = [
  ['rules', 'secrets'],
  ['rules'],
  ['deny', 'ask', 'reason'],
  ['tool', 'read', 'write', 'command'],
] as const;

function toUnknownKey(at: YamlPath, key: string): PolicyProblem {
  const message = `there is no key ${JSON.stringify(headOf(hideSecrets(key), 60))} here`;
  if (key === 'allow' && at[0] === 'rules' && at.length === 2) {
    const hint = 'A policy can only deny or ask. To allow calls, approve one for the session or the project.';
    return { at, message, hint };
  }
  const known = KEYS[at.length] ?? [];
  const near = toNearest(key, known);
  return { at, message, hint: near === undefined ? `Allowed: ${known.join(', ')}.` : `Did you mean ${near}?` };
}

type YamlPath = readonly (string | number)[];

/** The position of the innermost existing part of the path. */
function findOffset(yaml: typeof Yaml, document: Yaml.Document.Parsed, path: YamlPath): number {
  let node: unknown = document.contents;
  let offset = 0;
  let isElsewhere = false;
  const take = (found: unknown): void => {
    if (!isElsewhere && yaml.isNode(found) && found.range) offset = found.range[0];
  };
  take(node);
  for (const step of path) {
    if (yaml.isAlias(node)) {
      // The error is at the alias, not at its anchor.
      node = node.resolve(document);
      isElsewhere = true;
    }
    if (yaml.isMap(node)) {
      const pair = node.items.find(
        (item) => (yaml.isScalar(item.key) ? String(item.key.value) : undefined) === String(step),
      );
      if (!pair) break;
      take(pair.key);
      node = pair.value;
    } else if (yaml.isSeq(node) && typeof step === 'number') {
      node = node.items[step];
      take(node);
    } else break;
  }
  return offset;
}
