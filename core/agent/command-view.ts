import { allowsAccess, toFilesView } from '../policy/index.ts';
import type { ExecRequest } from './ports/sandbox.ts';
import { openedOf } from './state.ts';
import type { Work } from './work.ts';

/** What the grant lets a command of this moment see of files. */
export function toCommandView({
  state,
  engine,
}: Pick<Work, 'state' | 'engine'>): Pick<ExecRequest, 'files' | 'readable'> {
  const { workspace, readable = [] } = openedOf(state);
  const now = engine.clock.now();
  const files = toFilesView(state.grant, { workspace, now });
  const shown = readable.filter((path) => allowsAccess(state.grant, { kind: 'fs', path, right: 'r' }, now));
  return { ...(files ? { files } : {}), ...(shown.length > 0 ? { readable: shown } : {}) };
}
