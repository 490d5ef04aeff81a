import type { EventBody } from '../../protocol/index.ts';
import type { Work } from '../loop/work.ts';
import { loadState } from '../state/load-state.ts';
import { readChild, toClosed } from './child-report.ts';
import { closeChild } from './close-child.ts';

/** The events for the end of a child's run, or for its closing, according to its log. */
export async function readChildEnd(work: Work, id: string): Promise<EventBody[]> {
  const child = work.state.children.get(id);
  if (!child || child.isClosed) return [];
  const report = await readChild(work.engine, child);
  const { agent, usage, usd, turns, toolCalls, minutes } = report;
  const { lastRun } = await loadState(work.engine, id);
  const bodies: EventBody[] = [];
  if (lastRun && report.state !== 'working' && lastRun.run !== child.finished?.run) {
    const { run: finished, outcome } = lastRun;
    bodies.push({ type: 'child.finished', child: id, agent, finished, outcome, usage, usd, turns, toolCalls, minutes });
  }
  if (report.state === 'closed') return [...bodies, toClosed(report)];
  // Without its run, nothing needs the child any more.
  if (work.state.run?.id === child.run) return bodies;
  return [...bodies, ...(await closeChild(work, child))];
}
