import type { Command, Event } from '@klaus/sdk';
import type { Draft, SessionStore } from '@klaus/core/agent';
import type { Chance } from '../../undo/chance.ts';

/** A moment at which a process ends: before or after it writes. */
export interface Kill {
  /** Such as `child.opened`, `session.opened`, or `send:child` for a command. */
  at: string;
  when: 'before' | 'after';
  /** Which occurrence in this process, from 1. */
  nth: number;
  /** `leave`: the caller aborts. `crash`: nothing more is written, as after SIGKILL. */
  way: 'leave' | 'crash';
}

/** Places of kills. Those around the start of a child are frequent. */
const PLACES = [
  ...Array<string>(5).fill('child.opened'),
  ...Array<string>(4).fill('session.opened'),
  ...Array<string>(3).fill('send:prompt'),
  'send:child',
  'send:child',
  'send:close',
  'child.finished',
  'child.closed',
  'child.closed',
  'session.closed',
  'session.closed',
  'tool.waiting',
  'tool.waiting',
  'tool.started',
  'tool.finished',
  'turn.started',
  'turn.started',
  'model.attempted',
  'run.started',
  'run.finished',
  'run.finished',
  'any',
  'any',
  'any',
] as const;

export function drawKill(chance: Chance): Kill {
  const at = chance.pick(PLACES);
  return {
    at,
    when: chance.percent(at === 'session.opened' || at.startsWith('send:') ? 60 : 25) ? 'before' : 'after',
    nth: 1 + chance.number(at === 'any' ? 40 : 3),
    way: chance.percent(40) ? 'leave' : 'crash',
  };
}

export function describeKill({ at, when }: Kill): string {
  return `${when} ${at}`;
}

class Killed extends Error {}

/** True for the failure of a write by a process that was killed. */
export function isKilled(error: unknown): boolean {
  return error instanceof Killed;
}

export interface Trap {
  /** True once the moment has come. */
  isSprung(): boolean;
  signal: AbortSignal;
  /** The store works as before. */
  remove(): void;
}

export interface TrapOptions {
  kill: Kill | undefined;
  /** Called at the moment. Default: nothing else happens. */
  die?: () => void;
  /** Called after each append. */
  onAppend?: () => void;
}

/** Ends the use of a store at a moment. */
export function setTrap(given: unknown, { kill, die, onAppend }: TrapOptions): Trap {
  const store = given as SessionStore;
  const original = { ...store };
  const controller = new AbortController();
  let seen = 0;
  let isDead = false;
  const isHit = (name: string): boolean =>
    kill !== undefined && !controller.signal.aborted && (kill.at === 'any' || kill.at === name);
  const spring = (): void => {
    die?.();
    controller.abort();
    if (kill!.way === 'crash') isDead = true;
  };
  const check = (): void => {
    if (isDead) throw new Killed('killed');
  };
  const around = async <T>(names: readonly string[], write: () => Promise<T>): Promise<T> => {
    check();
    const isMoment = names.some(isHit) && ++seen === kill!.nth;
    if (isMoment && kill!.when === 'before') spring();
    check();
    const result = await write();
    if (isMoment && kill!.when === 'after') spring();
    check();
    return result;
  };
  store.append = async (session, drafts, options): Promise<Event[]> => {
    const events = await around(drafts.map(toName), () => original.append(session, drafts, options));
    onAppend?.();
    return events;
  };
  store.send = (session, command: Command) => around([`send:${command.type}`], () => original.send(session, command));
  return {
    isSprung: () => controller.signal.aborted,
    signal: controller.signal,
    remove: () => void Object.assign(store, original),
  };
}

function toName(draft: Draft): string {
  return draft.type === 'session.opened' && !draft.parent ? 'opened by the user' : draft.type;
}
