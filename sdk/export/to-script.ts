import type { Script } from '@klaus/adapters/models';
import type { RecordedSession } from './read-session.ts';

/** The model's part of a session, for the scripted model server. */
export function toScript(session: RecordedSession): { script: Script; notes: string[] } {
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
  const isObject = typeof input === 'object' && input !== null && !Array.isArray(input);
  // Raw arguments contain no templates.
  if (!isObject || text.includes('{{')) return { id, name, raw: text };
  return { id, name, input: input as ScriptCall['input'] };
}
