import { readChild } from '../children/child-report.ts';
import type { ToolFinished } from '../calls/judged-call.ts';
import type { EventOf } from '../../protocol/index.ts';
import type { Work } from '../loop/work.ts';
import type { AgentCall } from '../ports/runner.ts';
import { openedOf } from '../state/state.ts';
import { hasNetwork } from './agent-process.ts';
import { toForeignResult } from './agent-tool.ts';

/** Marks the result of a call of an agent that another program drives, if its text is of others. */
export async function toSource(
  work: Work,
  { id, call, output }: { id: string; call: AgentCall; output: string },
): Promise<Pick<ToolFinished, 'untrusted'>> {
  const child = call.kind === 'delegate' && [...work.state.children.values()].find((each) => each.call === id);
  if (child) {
    // An agent that it started has read something untrusted.
    const { untrusted } = await readChild(work.engine, child);
    return untrusted ? { untrusted } : {};
  }
  const { workspace } = openedOf(work.state);
  return toForeignResult(call, output, { redactor: work.redactor, workspace, hasNetwork: hasNetwork(work) });
}

/** What a call that an agent of another program begins can receive from others, for the case that it has no result. */
export function toReceivable(work: Work, call: AgentCall): Pick<EventOf<'tool.started'>, 'receives'> {
  const { workspace } = openedOf(work.state);
  const { untrusted } = toForeignResult(call, '', { redactor: work.redactor, workspace, hasNetwork: hasNetwork(work) });
  return untrusted ? { receives: untrusted.source } : {};
}
