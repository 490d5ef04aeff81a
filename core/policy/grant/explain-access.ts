import type { Access, Authority, Effect, Grant } from '../../protocol/index.ts';
import { isBelow } from '../path.ts';
import { shorten } from '../remembered.ts';
import { coversTool, describeAccess, findCover } from './access.ts';
import { heldBy, liveAt } from './algebra.ts';
import { isNothing } from './authority.ts';
import { toAuthorityText } from './grant-text.ts';
import { toTimeText } from './grant-time.ts';
import { toPlainCommands } from './plain-commands.ts';

export interface ExplainedCall {
  name: string;
  effects: readonly Effect[];
  access: readonly Access[];
}

/** Whether a grant covers one access of a call. */
export interface AccessExplanation {
  /** The need in words: `write /srv/app/a.ts`. */
  what: string;
  covered: boolean;
  /** The authorities that cover it. */
  by: Authority[];
  /** The closest authority that does not cover it, with the reason. */
  nearest?: { authority: Authority; why: string };
  /** The least authority that would allow it. Absent when it is covered. */
  needs?: Authority[];
}

/** For each access of a call: the authority that covers it, or the closest one and the one that would. */
export function explainAccess(grant: Grant, call: ExplainedCall, now: number): AccessExplanation[] {
  const all = heldBy(grant).filter((one) => !isNothing(one));
  const live = liveAt(all, now);
  const rows = [explainTool(all, live, call.name)];
  if (call.effects.includes('spawn')) rows.push(explainSpawn(all, live));
  const different = new Map(call.access.map((access) => [JSON.stringify(access), access]));
  for (const access of different.values()) rows.push(explainOne(all, live, access));
  return rows;
}

function explainTool(all: readonly Authority[], live: readonly Authority[], name: string): AccessExplanation {
  const what = `call the tool ${name}`;
  const by = live.find((one) => coversTool(one, name));
  if (by) return { what, covered: true, by: [by] };
  const other = live.find((one) => one.kind === 'tool');
  const nearest = other && { authority: other, why: 'it names another tool' };
  const expired = findExpired(all, live, (one) => coversTool(one, name));
  return uncovered(what, [{ kind: 'tool', name }], expired ?? nearest);
}

function explainSpawn(all: readonly Authority[], live: readonly Authority[]): AccessExplanation {
  const what = 'create an agent';
  const by = live.find((one) => one.kind === 'spawn');
  if (by) return { what, covered: true, by: [by] };
  return uncovered(
    what,
    [{ kind: 'spawn', depth: 1, count: 1 }],
    findExpired(all, live, (one) => one.kind === 'spawn'),
  );
}

function explainOne(all: readonly Authority[], live: readonly Authority[], access: Access): AccessExplanation {
  const what = access.kind === 'exec' ? `run ${shorten(access.command.trim())}` : describeAccess(access);
  const by = findCover(live, access);
  if (by) return { what, covered: true, by };
  const expired = findExpired(all, live, (one) => findCover([one], access) !== undefined);
  return uncovered(what, toNeeds(access), expired ?? findNearest(live, access));
}

type Near = NonNullable<AccessExplanation['nearest']>;

function uncovered(what: string, needs: Authority[], nearest: Near | undefined): AccessExplanation {
  return { what, covered: false, by: [], nearest, needs };
}

function findExpired(
  all: readonly Authority[],
  live: readonly Authority[],
  wouldDo: (authority: Authority) => boolean,
): Near | undefined {
  const authority = all.find((one) => !live.includes(one) && wouldDo(one));
  return authority && { authority, why: `it expired at ${toTimeText(authority.expiresAt!)}` };
}

function findNearest(live: readonly Authority[], access: Access): Near | undefined {
  switch (access.kind) {
    case 'fs':
      return findNearestFiles(live, access);
    case 'net': {
      const held = live.filter((one) => one.kind === 'net');
      const sameHost = held.find((one) => one.host === access.host || one.host === '*');
      if (sameHost) {
        const why = access.port === 0 ? 'this needs every port' : `it is for port ${sameHost.port}`;
        return { authority: sameHost, why };
      }
      return (
        held[0] && { authority: held[0], why: access.host === '*' ? 'this needs any host' : 'it is for another host' }
      );
    }
    case 'secret': {
      const held = live.find((one) => one.kind === 'secret');
      return (
        held && { authority: held, why: `it is ${held.name === access.name ? 'for another host' : 'another secret'}` }
      );
    }
    case 'exec': {
      const held = live.find((one) => one.kind === 'exec');
      if (!held) return undefined;
      const isUnderstood = toPlainCommands(access.command) !== undefined;
      const why = isUnderstood
        ? 'it is for another command'
        : 'it names a command, and this line is more than plain words';
      return { authority: held, why };
    }
  }
}

function findNearestFiles(live: readonly Authority[], access: Extract<Access, { kind: 'fs' }>): Near | undefined {
  const held = live.filter((one) => one.kind === 'fs');
  const above = held.find((one) => isBelow(access.path, one.path));
  if (above) return { authority: above, why: `it lacks ${access.right}` };
  const common = (path: string): number => {
    const parts = path.split('/');
    const differs = access.path.split('/').findIndex((part, index) => part !== parts[index]);
    return differs < 0 ? parts.length : differs;
  };
  const nearest = held.toSorted((a, b) => common(b.path) - common(a.path))[0];
  return nearest && { authority: nearest, why: 'it is for another path' };
}

function toNeeds(access: Access): Authority[] {
  switch (access.kind) {
    case 'fs':
      return [{ kind: 'fs', path: access.path, rights: access.right }];
    case 'net':
    case 'secret':
      return [{ ...access }];
    case 'exec': {
      const commands = toPlainCommands(access.command);
      return commands?.map((argv): Authority => ({ kind: 'exec', argv: [...argv] })) ?? [{ kind: 'exec' }];
    }
  }
}

/** The needs as the text for `--grant` that would allow them. */
export function toNeedsText(rows: readonly AccessExplanation[]): string {
  return rows
    .flatMap((row) => row.needs ?? [])
    .map(toAuthorityText)
    .join(' · ');
}
