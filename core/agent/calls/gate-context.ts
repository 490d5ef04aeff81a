import { allowsAccess, toFilesView, withComparison, type GateContext } from '../../policy/index.ts';
import { openedOf, type CallState } from '../state/state.ts';
import type { ExecRequest } from '../ports/sandbox.ts';
import type { Tool } from '../ports/tool.ts';
import type { Work } from '../loop/work.ts';
import { toTaint } from './taint.ts';

/** Name of the default agent. */
const BUILT_IN = 'klaus';

type Authorized = Pick<Work, 'state' | 'engine' | 'authority'>;

/** The files that the present grant allows a command to read and write. */
export function toCommandView({
  state,
  engine,
  authority,
}: Authorized): Pick<ExecRequest, 'files' | 'readable' | 'writable'> {
  const { workspace, readable = [], writable = [] } = openedOf(state);
  const now = engine.clock.now();
  const grant = authority.grant();
  const files = toFilesView(grant, { workspace, now });
  const allows = (path: string, right: 'r' | 'w'): boolean => allowsAccess(grant, { kind: 'fs', path, right }, now);
  const shown = readable.filter((path) => allows(path, 'r'));
  const open = writable.filter((path) => shown.includes(path) && allows(path, 'w'));
  return {
    ...(files ? { files } : {}),
    ...(shown.length > 0 ? { readable: shown } : {}),
    ...(open.length > 0 ? { writable: open } : {}),
  };
}

export function toGateContext({ state, engine, authority }: Authorized): GateContext {
  const opened = openedOf(state);
  const { readable, writable } = toCommandView({ state, engine, authority });
  const names = engine.compareNames([opened.workspace, ...(readable ?? [])]);
  return {
    grant: authority.grant(),
    mode: authority.mode(),
    patchApproval: opened.patchApproval,
    workspace: opened.workspace,
    readable,
    writable,
    home: engine.home,
    linkedState: engine.linkedState?.(),
    now: engine.clock.now(),
    isolate: opened.isolate === true,
    isOffline: opened.sandbox !== 'host',
    secretPatterns: engine.settings.secretPatterns.map((pattern) => withComparison(pattern, names)),
    names,
    taint: toTaint(state),
  };
}

/** The agent of the session: an approval for one agent does not apply to another. */
export function agentOf({ state }: Work): string {
  const opened = openedOf(state);
  const name = opened.agent ?? BUILT_IN;
  return opened.parent ? `${name} below ${opened.parent.session}` : name;
}

/** True for a call whose changes are reviewed before they are applied: it runs on a layer. */
export function isReviewed(work: Work, tool: Tool<unknown>, by?: CallState['by']): boolean {
  if (!tool.effects.includes('execute') || tool.inPlace) return false;
  const opened = openedOf(work.state);
  return opened.isolate === true || opened.patchApproval || (work.state.mode === 'ask' && by !== 'user');
}
