import type { ProcessStatus } from '@klaus/core/agent';
import type { Authority, EventOf } from '@klaus/core/protocol';
import { toLine } from './printable.ts';

/** Names of input fields that contain the object of a call. */
const SUBJECTS = ['command', 'path', 'agent', 'to', 'pattern', 'query', 'url', 'message', 'ref', 'name'] as const;

/** Characters of the name of a tool. */
const MAX_NAME = 100;

/** One line for a call: the tool's name and its object, such as `read_file src/sum.js`. @param max Characters. */
export function describeCall(name: string, input: unknown, max = 72): string {
  const { tool, subject } = findSubject(name, input);
  return toLine(subject === '' ? tool : `${tool} ${subject}`, max);
}

/** The name of the called tool and its object, each in one line. The object is empty if the call has none. */
export function describeParts(name: string, input: unknown, max: number): { tool: string; subject: string } {
  const { tool, subject } = findSubject(name, input);
  return { tool: toLine(tool, MAX_NAME), subject: toLine(subject, max) };
}

function findSubject(tool: string, input: unknown): { tool: string; subject: string } {
  if (typeof input !== 'object' || input === null) return { tool, subject: '' };
  const fields = input as Record<string, unknown>;
  // The code contains the calls.
  if (tool === 'use_tool' && typeof fields['name'] === 'string') return findSubject(fields['name'], fields['input']);
  const key = SUBJECTS.find((candidate) => typeof fields[candidate] === 'string' && fields[candidate] !== '');
  return { tool, subject: key === undefined ? patchedFiles(fields['patch']) : String(fields[key]) };
}

function patchedFiles(patch: unknown): string {
  if (typeof patch !== 'string') return '';
  const files = [...patch.matchAll(/^(?:\*\*\* (?:Update|Add|Delete) File: |\+\+\+ (?:b\/)?)(.+)$/gm)].map((match) =>
    match[1]!.trim(),
  );
  return [...new Set(files)].join(', ');
}

/** A change of a background process in one line. */
export function describeProcessChange(event: EventOf<'process.changed'>): string {
  const { process: id, state, command, survives, exitCode, reason } = event;
  const what = `background process ${id}`;
  if (state === 'started') return `${what} started${survives ? ', to survive' : ''}: ${command}`;
  if (state === 'exited') return `${what} exited${exitCode === undefined ? '' : ` with code ${exitCode}`}: ${command}`;
  if (state === 'stopped') return `${what} stopped, ${reason ?? 'by the user'}: ${command}`;
  return `${what} is gone, ${reason ?? 'it left no exit code'}: ${command}`;
}

/** The present status of a process in a few words. */
export function describeProcessState({ state, exitCode, reason }: ProcessStatus): string {
  if (state === 'exited') return `exit ${exitCode ?? '?'}`;
  return state === 'stopped' || state === 'lost' ? `${state} (${reason ?? 'unknown'})` : state;
}

/** Authority that a user gave a child session for a limited time, in one line without a full stop. */
export function describeEscalation({ authorities, expiresAt }: EventOf<'grant.escalated'>): string {
  return `More authority until ${new Date(expiresAt).toISOString()}: ${authorities.map(toText).join(' · ')}`;
}

/** As in the notation of grants, which this light module does not load. */
function toText({ kind, expiresAt: _, ...fields }: Authority): string {
  const values = Object.values(fields).map((value) => (Array.isArray(value) ? value.join(' ') : String(value)));
  return values.length === 0 ? kind : `${kind}(${values.join(', ')})`;
}
