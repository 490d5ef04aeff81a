import type { Script } from '@klaus/adapters/models';
import { type Engine, readLog, type SessionStore } from '@klaus/core/agent';
import { isRecord } from '@klaus/core/protocol';
import { readSession, type RecordedSession } from './read-session.ts';
import { readStartingFiles } from './starting-files.ts';
import { toTestText } from './test-text.ts';

/** A session as a test that replays it with a script. */
export interface ExportedTest {
  /** Content by path, relative to the test's folder. */
  files: ReadonlyMap<string, Uint8Array>;
  /** What the test omits, or requires; sentences for the user. */
  notes: readonly string[];
}

/** A session as a script and a test that runs it, with the initial files. */
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

/** The model's part of a session, for the scripted model server. */
function toScript(session: RecordedSession): { script: Script; notes: string[] } {
  const notes: string[] = [];
  const plain = (text: string): string => {
    if (!text.includes('{{')) return text;
    notes.push('A text of the model contains {{, which a script would replace: it is written as { {.');
    return text.replaceAll('{{', '{ {');
  };
  const steps: Script['steps'] = session.answers.map(({ turn, text, calls, stop }) => ({
    when: { turn, tools: true },
    reply: {
      ...(text === '' && calls.length > 0 ? {} : { text: plain(text) }),
      ...(calls.length > 0 ? { calls: calls.map(toCall) } : {}),
      ...(stop === (calls.length > 0 ? 'tool_use' : 'end_turn') ? {} : { stop: stop as 'end_turn' }),
    },
  }));
  const named = plain(`${session.title}\n${session.summary}`);
  return { script: { name: 'session', steps: [...steps, { when: { tools: false }, reply: { text: named } }] }, notes };
}

type ScriptCall = NonNullable<Script['steps'][number]['reply']['calls']>[number];

function toCall({ id, name, input }: RecordedSession['answers'][number]['calls'][number]): ScriptCall {
  const text = JSON.stringify(input ?? null);
  // Raw arguments contain no templates.
  if (!isRecord(input) || text.includes('{{')) return { id, name, raw: text };
  return { id, name, input: input as ScriptCall['input'] };
}
