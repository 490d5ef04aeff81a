import { allowsAccess, toFilesView } from '../../policy/index.ts';
import type { ExecRequest } from '../ports/sandbox.ts';
import { openedOf } from '../state/state.ts';
import type { Work } from '../loop/work.ts';

/** What the grant lets a command of this moment see of files. */
export function toCommandView({
  state,
  engine,
}: Pick<Work, 'state' | 'engine'>): Pick<ExecRequest, 'files' | 'readable' | 'writable'> {
  const { workspace, readable = [], writable = [] } = openedOf(state);
  const now = engine.clock.now();
  const files = toFilesView(state.grant, { workspace, now });
  const allows = (path: string, right: 'r' | 'w'): boolean =>
    allowsAccess(state.grant, { kind: 'fs', path, right }, now);
  const shown = readable.filter((path) => allows(path, 'r'));
  const open = writable.filter((path) => shown.includes(path) && allows(path, 'w'));
  return {
    ...(files ? { files } : {}),
    ...(shown.length > 0 ? { readable: shown } : {}),
    ...(open.length > 0 ? { writable: open } : {}),
  };
}
