import type { GateContext } from '../../policy/index.ts';
import { toCommandView } from './command-view.ts';
import { openedOf } from '../state/state.ts';
import type { Tool } from '../ports/tool.ts';
import type { Work } from '../loop/work.ts';

/** Name of the agent that has no other. */
const BUILT_IN = 'klaus';

/** What the gate knows of the session at this moment. */
export function toGateContext({ state, engine }: Pick<Work, 'state' | 'engine'>): GateContext {
  const opened = openedOf(state);
  const { readable, writable } = toCommandView({ state, engine });
  return {
    grant: state.grant,
    mode: state.mode,
    patchApproval: opened.patchApproval,
    workspace: opened.workspace,
    ...(readable ? { readable } : {}),
    ...(writable ? { writable } : {}),
    home: engine.home,
    now: engine.clock.now(),
    isolate: opened.isolate === true,
    isOffline: opened.sandbox !== 'host',
    secretPatterns: engine.settings.secretPatterns,
  };
}

/** The agent whose session this is: what was approved for one agent holds for no other. */
export function agentOf({ state }: Work): string {
  const opened = openedOf(state);
  const name = opened.agent ?? BUILT_IN;
  return opened.parent ? `${name} below ${opened.parent.session}` : name;
}

/** True for a call whose changes are looked at before they are kept: it runs on a layer. */
export function isReviewed(work: Work, tool: Tool<unknown>): boolean {
  if (!tool.effects.includes('execute') || tool.inPlace) return false;
  const opened = openedOf(work.state);
  return opened.isolate === true || opened.patchApproval || work.state.mode === 'ask';
}
