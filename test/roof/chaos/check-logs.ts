import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Event } from '@klaus/sdk';
import { expect } from 'vitest';
import { ofType } from '../../fixtures/engine.ts';
import type { Sent } from './people.ts';
import type { ChaosSession } from './scene.ts';

/** Every event is there, every call and every approval has one end, and every run is done. */
export function checkLog(events: readonly Event[], { id, kind }: Pick<ChaosSession, 'id' | 'kind'>): void {
  expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1));
  const started = ofType(events, 'tool.started').map(({ call }) => call);
  const finished = countBy(ofType(events, 'tool.finished').map(({ call }) => call));
  expect([...finished].filter(([, count]) => count !== 1)).toEqual([]);
  expect(started.filter((call) => !finished.has(call))).toEqual([]);
  const commands = ofType(events, 'tool.started').flatMap(({ name, call }) => (name === 'run_command' ? [call] : []));
  expect(new Set(commands).size, id).toBe(commands.length);
  const asked = ofType(events, 'approval.asked').map(({ approval }) => approval);
  const answered = ofType(events, 'approval.answered').map(({ approval }) => approval);
  expect(answered.toSorted(), id).toEqual(asked.toSorted());
  expect(new Set(asked).size).toBe(asked.length);
  const outcomes = ofType(events, 'run.finished').map(({ outcome }) => outcome);
  // The run of an agent of another program reports that it was killed, and other runs that a call was rejected.
  const isRejected = ofType(events, 'approval.answered').some(({ answer }) => answer === 'rejected');
  const allowed = isRejected ? ['done', 'denied'] : ['done'];
  if (kind !== 'program')
    expect(
      outcomes.filter((outcome) => !allowed.includes(outcome)),
      id,
    ).toEqual([]);
  expect(outcomes.at(-1), id).toBe('done');
  expect(ofType(events, 'run.started')).toHaveLength(outcomes.length);
}

/** A file that needed an approval is there if the call that writes it had one and has succeeded. */
export function checkAnswers(events: readonly Event[], exists: (path: string) => boolean): void {
  const answers = new Map(ofType(events, 'approval.answered').map(({ approval, answer }) => [approval, answer]));
  const inputs = toInputs(events);
  for (const { approval, subject } of ofType(events, 'approval.asked')) {
    if (subject.kind !== 'call' || subject.name !== 'write_file') continue;
    const { path } = inputs.get(subject.call) as { path: string };
    const outcome = ofType(events, 'tool.finished').find(({ call }) => call === subject.call)?.outcome;
    if (answers.get(approval) === 'rejected') expect([path, outcome, exists(path)]).toEqual([path, 'denied', false]);
    else if (outcome === 'ok') expect(exists(path), path).toBe(true);
  }
}

/** Each message that was reported as sent is in the log once, and none of them twice. */
export function checkMessages(events: readonly Event[], sent: readonly Sent[]): void {
  const texts = ofType(events, 'message.added').flatMap(({ message }) =>
    message.role === 'user' ? message.parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])) : [],
  );
  for (const { text, isReported } of sent) {
    const count = texts.filter((each) => each === text).length;
    if (isReported) expect(count, text).toBe(1);
    else expect(count, text).toBeLessThan(2);
  }
}

/** What a client has seen is in the log. */
export function checkPrinted(events: readonly Event[], printed: readonly string[]): void {
  for (const line of printed) {
    const event = JSON.parse(line) as Event;
    expect(event).toEqual(events[event.seq - 1]);
  }
}

/** No effect twice, and each that a call reports is there. */
export function checkEffects(events: readonly Event[], lines: readonly string[]): void {
  expect(new Set(lines).size, String(lines)).toBe(lines.length);
  const inputs = toInputs(events);
  for (const { call, outcome } of ofType(events, 'tool.finished')) {
    const { command = '' } = (inputs.get(call) ?? {}) as { command?: string };
    const line = /echo (\S+) >>/.exec(command)?.[1];
    if (outcome === 'ok' && line !== undefined) expect(lines).toContain(line);
  }
}

/** The inputs of all calls of the model. */
function toInputs(events: readonly Event[]): Map<string, unknown> {
  const parts = ofType(events, 'message.added').flatMap(({ message }) => message.parts);
  return new Map(parts.flatMap((part) => (part.type === 'call' ? [[part.id, part.input]] : [])));
}

export const existsIn =
  (folder: string) =>
  (path: string): boolean =>
    existsSync(join(folder, path));

function countBy(ids: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const id of ids) counts.set(id, (counts.get(id) ?? 0) + 1);
  return counts;
}
