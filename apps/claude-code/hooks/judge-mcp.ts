import { homedir } from 'node:os';
import { resolve } from 'node:path';
import { isBelow } from '@klaus/sdk/guard';
import { isRecord } from '@klaus/sdk/is-record';
import type { ClaudeCall } from './claude-tool.ts';
import { allow, type GuardFinding, type JudgeCall, type JudgeContext } from './judge-context.ts';

const READS = /^mcp__.+__(?:get|list|read|search|find|query|fetch|show|describe|view|lookup|count|check)(?![a-z])/i;

/** The tools of `klaus mcp` in the plugin of Klaus. */
const OWN = /^mcp__plugin_klaus_klaus__(?:check|confirm|commit|push|validate_intent|list_repos)$/;

const MAX_PATH = 1_000;

/** The finding about a server alone, which a reviewer can replace. */
export const MCP_RULE = 'mcp';

/**
 * Judges a call of an MCP server. What a server does with its arguments is not known; a path among them is judged like one
 * of a call that reads or writes it, and no reviewer replaces this finding.
 *
 * @param judge Judges that call.
 */
export async function judgeMcp(
  { tool, input }: Extract<ClaudeCall, { kind: 'mcp' }>,
  context: JudgeContext,
  judge: JudgeCall,
): Promise<GuardFinding> {
  const { mcp } = context;
  if (OWN.test(tool)) return allow(MCP_RULE, 'the gate of Klaus judges what this tool does');
  if (mcp === 'trust') return allow(MCP_RULE, 'the tools of MCP servers are trusted (guard.mcp)');
  const isRead = READS.test(tool);
  for (const path of listPathArguments(input, context)) {
    const found = await judge(isRead ? { kind: 'read', path, reads: 'file' } : { kind: 'write', path }, context);
    if (found.verdict !== 'allow' && found.rule !== 'prepare') return found;
  }
  if (mcp === 'readonly' && isRead) return allow(MCP_RULE, 'by its name, it only reads');
  return {
    verdict: 'ask',
    rule: MCP_RULE,
    reason: `${tool} belongs to an MCP server, which the guard cannot see into`,
  };
}

/** Absolute paths among the texts of an input: those in the project, in the home folder of the user, and in the state folder. */
function listPathArguments(input: unknown, context: JudgeContext): string[] {
  const { root, klaus } = context;
  if (Array.isArray(input)) return input.flatMap((each) => listPathArguments(each, context));
  if (isRecord(input)) return Object.values(input).flatMap((each) => listPathArguments(each, context));
  if (typeof input !== 'string' || input === '' || input.length > MAX_PATH || /[\n\0]/.test(input)) return [];
  const plain = input.replace(/^file:\/\//, '').replace(/^~(?=\/|$)/, () => homedir());
  if (/^\w[\w+.-]*:\/\//.test(plain)) return [];
  const path = resolve(root, plain);
  return path !== root && [root, homedir(), klaus.home].some((folder) => isBelow(path, folder)) ? [path] : [];
}
