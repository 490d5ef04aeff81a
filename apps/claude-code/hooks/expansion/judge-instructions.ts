import { isAccepted } from '../allowed-calls.ts';
import { toKey } from '../call-key.ts';
import type { ClaudeCall } from '../claude-tool.ts';
import type { HookContext } from '../hook-context.ts';
import { judgeRead } from '../judge-call.ts';
import type { GuardFinding, JudgeContext } from '../judge-context.ts';
import { findMemory, findMemoryOf, judgeMemory } from './judge-memory.ts';

/** A finding that holds until its files change, or the user allows it. */
export interface LastingFinding extends GuardFinding {
  /** What `klaus guard allow` allows. */
  key: string;
}

/**
 * Judges the secret files that instructions would put into the conversation. Claude Code loads those of a folder when a
 * call, also a command, comes to it. Undefined: none, or the user knows it.
 *
 * @param call Undefined at a prompt, where the files are searched again.
 */
export async function judgeInstructions(
  context: HookContext,
  judging: JudgeContext,
  call?: ClaudeCall,
): Promise<LastingFinding | undefined> {
  if (call !== undefined && call.kind !== 'read' && call.kind !== 'write' && call.kind !== 'command') return undefined;
  const { memory, root } = context;
  if (call === undefined || memory.files === undefined) memory.files = findMemory(judging);
  const near = call === undefined || call.kind === 'command' ? [] : findMemoryOf(call.path, { root });
  const findings = await judgeMemory([...memory.files, ...near], judging, (read, at) =>
    read.kind === 'read' ? judgeRead(read, at) : Promise.reject(new Error(`${read.kind} is no read`)),
  );
  for (const finding of findings) {
    const key = toKey([root, 'instructions', finding.reason]);
    if (!(await isAccepted(context, key))) return { ...finding, rule: 'instructions', key };
  }
  return undefined;
}
