import { KlausError, type EventBody, headOf } from '../../protocol/index.ts';
import type { Work } from '../loop/work.ts';
import type { ChildReport, Children } from '../ports/children.ts';
import { openChildrenOf, openedOf, runOf, type ChildState } from '../state/state.ts';
import { readChild, toClosed } from './child-report.ts';
import { closeChild } from './close-child.ts';
import { planChild } from './plan-child.ts';

/** Maximum characters of the title of a child session. */
const MAX_TITLE = 80;

/** The child sessions as a call uses them. @param call Its id. */
export function createChildren(work: Work, call: string): Children {
  const { engine, state } = work;
  const ofCall = (): ChildState | undefined => [...state.children.values()].find((each) => each.call === call);
  const read = (child: ChildState): Promise<ChildReport> => readChild(engine, child);
  const find = (to: string): ChildState => findChild(state.children, to);
  return {
    list: () => Promise.all([...state.children.values()].map(read)),
    plan: (request) => planChild(work, request),
    isNewWorker(agent) {
      if (!openedOf(state).workers?.some((worker) => worker.agent === agent)) return false;
      return !openChildrenOf(state).some((child) => child.agent === agent);
    },
    planned() {
      const child = ofCall();
      if (!child) return undefined;
      const { id, agent, definition, edge, grant, limits } = child;
      return { id, agent, definition, edge, wanted: grant, limits };
    },
    async start({ id }, task) {
      const child = state.children.get(id);
      if (!child || child.isClosed) throw new KlausError('usage', `The child session ${id} is closed.`);
      try {
        await openChild(work, child, task);
      } catch (error) {
        await work.append(await closeChild(work, child));
        throw error;
      }
      await sendTask(work, { child: id, id, text: task });
    },
    async send(to, message) {
      const child = find(to);
      const report = await read(child);
      if (report.state === 'closed') {
        throw new KlausError('usage', `${child.agent} (${child.id}) is closed.`, {
          hint: 'Start another agent with spawn_agent.',
        });
      }
      await sendTask(work, { child: child.id, id: `${child.id}-${call}`, text: message });
      return report;
    },
    async wait({ children, any = false, keep = false }) {
      const all = children ? [...new Set(children.map(find))] : openChildrenOf(state);
      const reports = await Promise.all(all.map(read));
      const ended = reports.filter((report) => report.state !== 'working');
      const pending = reports.filter((report) => report.state === 'working').map(({ id }) => id);
      if (pending.length > 0 && !(any && ended.length > 0)) {
        for (const id of pending) work.wakeChild(id);
        return { ended: [], pending, closed: [] };
      }
      const closed: EventBody[] = [];
      for (const report of ended) {
        const child = state.children.get(report.id)!;
        if (child.isClosed) continue;
        if (report.state === 'closed') closed.push(toClosed(report));
        else if (!keep) closed.push(...(await closeChild(work, child)));
      }
      return { ended, pending: [], closed };
    },
  };
}

/** Opens the session of a recorded child. */
export function openChild(work: Work, child: ChildState, task: string): Promise<void> {
  const { engine, session, state } = work;
  const { id, call, agent, definition, grant, limits } = child;
  const [line = ''] = task.trim().split('\n');
  return engine.openChild({
    ...{ id, agent, definition, grant, limits },
    parent: { session, call },
    opened: openedOf(state),
    model: state.model,
    mode: work.authority.mode(),
    title: headOf(work.redactor.redact(`${agent}: ${line}`), MAX_TITLE),
  });
}

/** Sends a task or a message. The id makes it have one effect. */
async function sendTask(work: Work, { child, id, text }: { child: string; id: string; text: string }): Promise<void> {
  const { onAsk, waitForModelMs } = runOf(work.state);
  const parts = [{ type: 'text' as const, text: work.redactor.redact(text) }];
  const tainted = work.state.taint ? { tainted: true as const } : {};
  const more = { ...(waitForModelMs > 0 ? { waitForModelMs } : {}), ...tainted };
  await work.engine.store.send(child, { type: 'prompt', id, parts, onAsk, delivery: 'steer', ...more });
  work.wakeChild(child);
}

/** @throws KlausError `usage` if no child, or more than one, matches. */
function findChild(children: ReadonlyMap<string, ChildState>, to: string): ChildState {
  const all = [...children.values()];
  const found = children.get(to);
  if (found) return found;
  const open = all.filter((child) => !child.isClosed && child.agent === to);
  const matching = open.length > 0 ? open : all.filter(({ id }) => to !== '' && id.startsWith(to));
  if (matching.length === 1) return matching[0]!;
  const hint =
    all.length === 0
      ? 'This session has started no agents. spawn_agent starts one.'
      : `Its agents: ${all.map(({ id, agent }) => `${agent} (${id})`).join(', ')}.`;
  const message = matching.length === 0 ? `This session has no agent ${to}.` : `${to} names more than one agent.`;
  throw new KlausError('usage', message, { hint });
}
