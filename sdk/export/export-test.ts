import { readLog, type Engine, type SessionStore } from '@klaus/core/agent';
import type { ExportedTest } from './exported-test.ts';
import { readSession } from './read-session.ts';
import { readStartingFiles } from './starting-files.ts';
import { toScript } from './to-script.ts';
import { toTestText } from './test-text.ts';

/** A session as a script and a test that plays it, with the files that it began with. */
export async function exportTest(
  { engine, store }: { engine: Engine; store: SessionStore },
  id: string,
): Promise<ExportedTest> {
  const session = readSession(await readLog(store, id));
  const redactor = engine.createRedactor(id);
  const start = await readStartingFiles(engine, session, redactor);
  const { script, notes } = toScript(session);
  const all = [...start.notes, ...notes];
  const { stringify } = await import('yaml');
  const encoder = new TextEncoder();
  const files = new Map<string, Uint8Array>();
  files.set('script.yaml', encoder.encode(`# The model's part of a recorded session.\n${stringify(script)}`));
  files.set('session.test.mjs', encoder.encode(toTestText(session, start, all)));
  for (const [path, content] of start.files) files.set(`workspace/${path}`, content);
  return { files, notes: all };
}
