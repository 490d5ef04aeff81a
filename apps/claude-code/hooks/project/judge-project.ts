import { isAccepted } from '../allowed-calls.ts';
import { toKey } from '../call-key.ts';
import type { HookContext } from '../hook-context.ts';
import type { LastingFinding } from '../expansion/judge-instructions.ts';
import { readProjectPrograms } from './project-programs.ts';

export interface ProjectFinding extends LastingFinding {
  /** True if a program could answer the question about it in the place of the user. */
  isAnswered: boolean;
  /** Variables by which requests to the model would be sent elsewhere. */
  redirects: readonly string[];
}

/** What the project starts or loads unseen, until the user allows it. Undefined: nothing, or the user knows it. */
export async function judgeProject(context: HookContext): Promise<ProjectFinding | undefined> {
  const programs = readProjectPrograms({ root: context.root, home: context.klaus.home });
  if (programs === undefined) return undefined;
  const key = toKey([context.root, 'project', programs.text]);
  if (await isAccepted(context, key)) return undefined;
  const { isAnswered, redirects } = programs;
  const reason = `Claude Code starts or loads in this project, without a call that the guard can judge: ${programs.found.join('; ')}`;
  return { verdict: 'ask', rule: 'project', reason, key, isAnswered, redirects };
}

/** How the user allows it. @param id Of the decision. */
export function toProjectHint(id: number): string {
  return `If you know these programs, allow them until they change, in a terminal: klaus guard allow ${id}`;
}
