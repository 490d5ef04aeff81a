import { allowsAccess, decide, RULES } from '../../policy/index.ts';
import { isKlausError, type Access, type EventBody } from '../../protocol/index.ts';
import { toGateContext } from '../calls/gate-context.ts';
import type { ResolvedPath } from '../ports/workspace.ts';
import { openSecretsOf } from '../folders/open-secrets.ts';
import type { Work } from '../loop/work.ts';

/** Maximum bytes of a file in the history. */
const MAX_BYTES = 32 * 1_024;
/** Beginning of the notice about a file that was left out. A replay recognizes it. */
const LEFT_OUT = 'Instructions left out: ';
const SKILL_LEFT_OUT = 'Skill left out: ';

/** The text of an instruction file, or why it is not shown to the model. */
export type InstructionFile = { text: string } | { leftOut: string };

/**
 * Reads an instruction file as a call would: the rules of the gate check every path that leads to the content (links,
 * their targets, other names of the same file). A file that would need an approval is left out.
 *
 * @param path Relative to the workspace; absolute below `root`.
 * @param root Absolute path of a readable folder that contains the workspace.
 * @returns Undefined if there is no such file, or if it cannot be read.
 */
export async function readInstructionFile(
  work: Work,
  path: string,
  root?: string,
): Promise<InstructionFile | undefined> {
  try {
    const workspace = root === undefined ? await work.workspace() : await work.folder(root);
    const found = await workspace.resolve(path);
    const state = await workspace.stat(found.relative);
    if (state?.kind !== 'file') return undefined;
    const reason = await findObjection(work, path, { found, root });
    if (reason !== undefined) return { leftOut: reason };
    const bytes = await workspace.read(found.relative, { maxBytes: Math.max(MAX_BYTES, state.size), exact: true });
    const text = new TextDecoder().decode(bytes.subarray(0, MAX_BYTES));
    return { text: bytes.length > MAX_BYTES ? `${text}\n[… the rest is left out …]` : text };
  } catch (error) {
    if (!isKlausError(error)) throw error;
    return error.code === 'workspace.outside' ? { leftOut: 'it is a link out of the workspace' } : undefined;
  }
}

/** Why the content of a file must not be added to the history; undefined if it may. */
async function findObjection(
  work: Work,
  path: string,
  { found, root }: { found: ResolvedPath; root: string | undefined },
): Promise<string | undefined> {
  const secrets = root === undefined ? work.secrets() : openSecretsOf(work.engine, { workspace: root });
  const { isSecret, names, isShared } = await secrets.identify(found.absolute);
  const own = toGateContext(work);
  const gate = root === undefined ? own : { ...own, workspace: root };
  const named = root === undefined ? path : path.slice(root.length + 1);
  const paths = new Set([named, ...(found.links ?? []), found.relative, ...names]);
  const access = [...paths].map((each): Access => ({ kind: 'fs', path: `${gate.workspace}/${each}`, right: 'r' }));
  const wider = access.find((each) => !allowsAccess(gate.grant, each, gate.now));
  if (wider?.kind === 'fs') return `the grant does not allow to read ${wider.path}`;
  const rules = [...RULES.filter(({ name }) => name !== 'grant'), ...work.engine.rules];
  const facts = { name: 'instructions', effects: ['read' as const], access, altered: false };
  const { verdict, reason } = decide(facts, gate, rules);
  if (verdict !== 'allow') return reason;
  if (isSecret) return `${found.relative} is a secret file`;
  return isShared ? 'it is a hard link to a file outside of the workspace' : undefined;
}

export function toLeftOutNotice(path: string, reason: string, run: string): EventBody {
  const text = `${LEFT_OUT}${path}: ${reason}. Replace it by a regular file to have it read.`;
  return { type: 'notice', run, level: 'warn', text };
}

/** The notice about a skill that the model is not offered. @param reason With the path. */
export function toSkillNotice(reason: string, run: string): EventBody {
  return { type: 'notice', run, level: 'warn', text: `${SKILL_LEFT_OUT}${reason}` };
}

export function isLeftOutNotice(event: EventBody): boolean {
  return event.type === 'notice' && [LEFT_OUT, SKILL_LEFT_OUT].some((start) => event.text.startsWith(start));
}
