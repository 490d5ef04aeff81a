import { cutText } from '../protocol/text/cut-text.ts';
import type { BoundScript, Decision, Remembered } from '../protocol/index.ts';

/** The parts of a call that an earlier approval may match. */
export interface Question {
  agent: string;
  tool: string;
  /** The evaluated command, if there is one. */
  command?: string;
  /** Files that would change, relative to the workspace. */
  paths?: readonly string[];
  /** The MCP server of the tool. */
  server?: string;
  /** Files that the command runs, by path. */
  scripts?: readonly BoundScript[];
}

export type FoundRemembered =
  | { kind: 'fits'; remembered: Remembered }
  /** An approval is stored for this agent, tool and program, but not for this call. */
  | { kind: 'missed'; why: string }
  | { kind: 'none' };

export function askingRules(decision: Decision): string[] {
  return [...new Set(decision.findings.filter(({ verdict }) => verdict === 'ask').map(({ rule }) => rule))].sort();
}

/** The calls that an approval with a wider scope would cover; undefined if they cannot be named exactly. */
export function toRemembered(question: Question, decision: Decision): Remembered | undefined {
  const { agent, tool, command, paths, server, scripts = [] } = question;
  if (command === undefined && server === undefined && (paths === undefined || paths.length === 0)) return undefined;
  return {
    agent,
    tool,
    rules: askingRules(decision),
    command,
    ...(paths === undefined ? {} : { paths: [...paths].sort() }),
    ...(server === undefined ? {} : { server }),
    ...(scripts.length === 0 ? {} : { scripts: [...scripts] }),
  };
}

/**
 * Checks whether an earlier approval covers this call. It must be of the same agent and tool, for exactly
 * this command with the same content of the scripts that it runs, for all of these files, or for this MCP server, and
 * every rule that asks now must have asked then.
 */
export function findRemembered(all: readonly Remembered[], question: Question, decision: Decision): FoundRemembered {
  const mine = all.filter(({ agent, tool }) => agent === question.agent && tool === question.tool);
  let why: string | undefined;
  for (const remembered of mine.toReversed()) {
    const miss = findMiss(remembered, question, decision);
    if (miss === undefined) return { kind: 'fits', remembered };
    if (miss !== UNRELATED) why ??= miss;
  }
  return why === undefined ? { kind: 'none' } : { kind: 'missed', why };
}

/** An approval of a command that has nothing in common with the one of the call: it explains nothing. */
const UNRELATED = '';

function findMiss(remembered: Remembered, question: Question, decision: Decision): string | undefined {
  const what = remembered.command ?? remembered.paths?.join(', ') ?? remembered.tool;
  const missed = (why: string): string => `the remembered approval of ${shorten(what)} does not fit: ${why}`;
  if (remembered.command !== question.command)
    return programOf(remembered.command) === programOf(question.command) ? missed('the command differs') : UNRELATED;
  if (remembered.server !== question.server) return missed('its MCP server is another one');
  const script = findChanged(remembered.scripts ?? [], question.scripts ?? []);
  if (script !== undefined) return missed(`${script} is not what it was then`);
  const further = question.paths?.find((path) => !remembered.paths?.includes(path));
  if (further !== undefined) return missed(`it does not name ${further}`);
  const rule = askingRules(decision).find((name) => !remembered.rules.includes(name));
  if (rule !== undefined) return missed(`now the rule ${rule} asks too`);
  return undefined;
}

/** The first word of a command. */
function programOf(command: string | undefined): string | undefined {
  return command?.trim().split(/\s/, 1)[0];
}

/** A script of one list that is missing in the other, or has other content there. */
function findChanged(before: readonly BoundScript[], now: readonly BoundScript[]): string | undefined {
  const has = (list: readonly BoundScript[], { path, hash }: BoundScript): boolean =>
    list.some((script) => script.path === path && script.hash === hash);
  return (now.find((script) => !has(before, script)) ?? before.find((script) => !has(now, script)))?.path;
}

/** At most 80 characters, in one line. */
export function shorten(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ');
  return cutText(line, 80);
}
