import { dirname, join, relative } from 'node:path';
import { compareNames, findOriginal } from '@klaus/adapters/workspace';
import { toGlobsBelow, type Policy, type PolicyEntry } from '@klaus/core/policy';
import { readFileText } from '../config/file-text.ts';
import { findProjectFiles } from '../config/project-file.ts';
import { readPolicyFile } from './read-policy-file.ts';

/** Name of the policy file, in the state folder and in a project's `.klaus` folder. */
const NAME = 'policy.yaml';

export interface PolicyInput {
  /** State folder, absolute. */
  home: string;
  /** Absolute real path of the workspace that the policy is for. */
  workspace: string;
  /** Names of all tools. */
  tools: readonly string[];
  /** Lower-case hex SHA-256. */
  digest: (text: string) => string;
}

/**
 * Reads the policy in force in a workspace: the user's `policy.yaml` in the state folder, and every
 * `.klaus/policy.yaml` from the workspace up to the repository's root, of a working copy also those of its repository. All
 * of them apply: none can widen another.
 *
 * @throws KlausError `config` with file, line and reason when one of them cannot be read or a rule can never match.
 */
export async function loadPolicy({ home, workspace, tools, digest }: PolicyInput): Promise<Policy> {
  const own = join(home, NAME);
  // Patterns of the user are relative to every workspace, those of a project to the folder of its `.klaus`.
  const files = [{ path: own, real: own, below: '' }];
  const original = findOriginal(home, workspace);
  for (const folder of [workspace, ...(original === undefined ? [] : [original])]) {
    for (const { path, real } of findProjectFiles({ cwd: folder, own, name: NAME }))
      files.push({ path, real, below: relative(dirname(dirname(path)), folder) });
  }
  const names = compareNames([workspace]);
  const entries: PolicyEntry[] = [];
  const secrets: string[] = [];
  const sources: { path: string; hash: string }[] = [];
  for (const { path, real, below } of files) {
    const text = readFileText(real);
    if (text === undefined) continue;
    const { file, targets } = await readPolicyFile(text, { path, tools });
    sources.push({ path, hash: digest(text) });
    secrets.push(...(file.secrets ?? []).flatMap((pattern) => toGlobsBelow(pattern, below, names)));
    for (const { verdict, kind, pattern, index, line } of targets) {
      const reason = file.rules?.[index]?.reason;
      const isPath = kind === 'read' || kind === 'write';
      entries.push({
        ...{ verdict, kind, pattern, globs: isPath ? toGlobsBelow(pattern, below, names) : [] },
        reason,
        where: `${path}:${line}`,
      });
    }
  }
  return { entries, secrets, sources };
}
