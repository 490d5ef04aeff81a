import type { Authority, AuthorityOf, Effect, FileRight, Grant } from '../../protocol/index.ts';
import { heldBy, liveAt, toGrant } from './algebra.ts';
import { allowsToolUse } from './allows-tool-use.ts';
import { isNothing } from './authority.ts';
import { type BundleName, fromBundle } from './bundle.ts';
import { toAuthorityText } from './grant-text.ts';
import { toTimeText } from './grant-time.ts';

/** One sentence about a grant, without a period. */
export interface GrantLine {
  /** False for what the grant does not allow. */
  allows: boolean;
  text: string;
}

export interface DescribeGrantOptions {
  /** Absolute real path, which is called "the workspace". */
  workspace: string;
  /** Unix milliseconds. */
  now: number;
  /** All tools. Authority that no allowed tool can use is not listed. Default: every authority is listed. */
  tools?: readonly { name: string; effects: readonly Effect[] }[];
}

/** The kinds of effect that are described, each by the effects of tools with which an agent has them. */
const NEEDS = {
  read: { needs: ['read', 'execute'], refusal: 'Cannot read files' },
  write: { needs: ['write', 'execute'], refusal: 'Cannot change files' },
  execute: { needs: ['execute', 'deploy'], refusal: 'Cannot run commands' },
  network: { needs: ['network', 'execute', 'deploy'], refusal: 'Cannot use the network' },
  spawn: { needs: ['spawn'], refusal: 'Cannot create agents' },
} as const satisfies Partial<Record<Effect, { needs: readonly Effect[]; refusal: string }>>;

type Kind = keyof typeof NEEDS;

/** What a grant allows and what it does not, in plain words. */
export function describeGrant(grant: Grant, { workspace, now, tools }: DescribeGrantOptions): GrantLine[] {
  const live = liveAt(heldBy(grant), now);
  const held = <K extends Authority['kind']>(kind: K) => live.filter((one): one is AuthorityOf<K> => one.kind === kind);
  const usable = tools?.filter((tool) => allowsToolUse(grant, tool, now));
  const isUsable = (kind: Kind): boolean =>
    usable === undefined ||
    usable.some(({ effects }) => effects.some((effect) => (NEEDS[kind].needs as readonly Effect[]).includes(effect)));
  const has: Readonly<Record<Kind, boolean>> = {
    read: held('fs').some(({ rights }) => rights.includes('r')) && isUsable('read'),
    write: held('fs').some(({ rights }) => rights.includes('w')) && isUsable('write'),
    execute: held('exec').length > 0 && isUsable('execute'),
    network: held('net').length > 0 && isUsable('network'),
    spawn: held('spawn').length > 0 && isUsable('spawn'),
  };
  const lines = held('tool').length === 0 ? [] : describeActions(held, { has, workspace });
  return [
    ...[...lines, ...describeLimits(held, grant)].map((text) => ({ allows: true, text })),
    ...(held('tool').length === 0
      ? [{ allows: false, text: 'Can only chat: it has no tools' }]
      : (Object.keys(NEEDS) as Kind[])
          .filter((kind) => !has[kind])
          .map((kind) => ({ allows: false, text: NEEDS[kind].refusal }))),
  ];
}

/** What a capability opens, in plain words. */
export function describeCapability(name: BundleName): string[] {
  const workspace = '/workspace';
  const lines = describeGrant(toGrant(fromBundle(name, workspace)), { workspace, now: 0 });
  return lines.filter(({ allows }) => allows).map(({ text }) => text);
}

type Held = <K extends Authority['kind']>(kind: K) => AuthorityOf<K>[];

function describeActions(
  held: Held,
  { has, workspace }: { has: Readonly<Record<Kind, boolean>>; workspace: string },
): string[] {
  const isUsed: Readonly<Record<FileRight, boolean>> = { r: has.read, w: has.write, x: has.execute };
  const names = held('tool').map(({ name }) => name);
  return [
    ...describeFiles(held('fs'), { isUsed, workspace }),
    ...(has.execute ? describeCommands(held('exec')) : []),
    ...(has.network ? describeHosts(held('net')) : []),
    ...held('secret').map((one) => `Uses the secret ${one.name} at ${one.host}${toUntil(one)}`),
    ...(has.spawn ? held('spawn').flatMap((one) => describeAgents(one, names)) : []),
    ...(names.includes('*') ? [] : [`Uses only the tools ${names.toSorted().join(', ')}`]),
  ];
}

function describeAgents(one: AuthorityOf<'spawn'>, tools: readonly string[]): string[] {
  const mayUse = (name: string): boolean => tools.includes('*') || tools.includes(name);
  const agents = one.count === 1 ? 'one other agent' : `up to ${one.count} other agents`;
  return [
    ...(mayUse('create_agent') ? [`Creates, changes and deletes agents${toUntil(one)}`] : []),
    ...(mayUse('spawn_agent') ? [`Gives tasks to ${agents}${toUntil(one)}`] : []),
  ];
}

/** One line for each folder, with all its rights. */
function describeFiles(
  authorities: readonly AuthorityOf<'fs'>[],
  { isUsed, workspace }: { isUsed: Readonly<Record<FileRight, boolean>>; workspace: string },
): string[] {
  const groups = Map.groupBy(authorities, (one) => JSON.stringify([one.path, one.expiresAt]));
  return [...groups.values()].flatMap((group) => {
    const has = (right: FileRight): boolean => isUsed[right] && group.some(({ rights }) => rights.includes(right));
    const files = [...(has('r') ? ['reads'] : []), ...(has('w') ? ['changes'] : [])].join(' and ');
    const verbs = [...(files === '' ? [] : [`${files} files`]), ...(has('x') ? ['runs programs'] : [])].join(' and ');
    if (verbs === '') return [];
    const text = `${verbs} in ${toPlace(group[0]!.path, workspace)}${toUntil(group[0]!)}`;
    return [text.charAt(0).toUpperCase() + text.slice(1)];
  });
}

function describeCommands(authorities: readonly AuthorityOf<'exec'>[]): string[] {
  const general = authorities.find(({ argv }) => argv === undefined);
  if (general) return [`Runs commands in the sandbox${toUntil(general)}`];
  return authorities.map((one) => `Runs commands that begin with "${one.argv!.join(' ')}"${toUntil(one)}`);
}

function describeHosts(authorities: readonly AuthorityOf<'net'>[]): string[] {
  const isWeb = ({ host, port, expiresAt }: AuthorityOf<'net'>): boolean =>
    host === '*' && (port === 443 || port === 80) && expiresAt === undefined;
  const isAny = authorities.filter(isWeb).length === 2;
  const others = isAny ? authorities.filter((one) => !isWeb(one)) : authorities;
  return [
    ...(isAny ? ['Connects to all websites (ports 80 and 443)'] : []),
    ...others.map((one) => {
      const host = one.host === '*' ? 'all hosts' : one.host;
      return `Connects to ${host}${one.port === 0 ? '' : `, port ${one.port}`}${toUntil(one)}`;
    }),
  ];
}

/** Amounts, models, and what may be delegated. */
function describeLimits(held: Held, { delegable = [] }: Grant): string[] {
  const handed = delegable.filter((one) => !isNothing(one)).map(toAuthorityText);
  return [
    ...held('model').map((one) => `Uses only the models ${one.ids.join(', ')}${toUntil(one)}`),
    ...held('spend').map((one) => `Costs at most $${one.usd}${toUntil(one)}`),
    ...held('turns').map((one) => `Takes at most ${one.count} turns${toUntil(one)}`),
    ...(handed.length === 0 ? [] : [`May delegate to agents that it starts: ${handed.join(' · ')}`]),
  ];
}
function toPlace(path: string, workspace: string): string {
  if (path === workspace) return 'the workspace';
  if (path === '/') return 'all folders';
  return path.startsWith(`${workspace}/`) ? path.slice(workspace.length + 1) : path;
}

function toUntil({ expiresAt }: Authority): string {
  return expiresAt === undefined ? '' : ` until ${toTimeText(expiresAt)}`;
}
