import { existsSync, readdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import type { RunnerEntry, RunnerHost, RunnerRequest } from '@klaus/core/agent';
import { readForeignFileSync } from '../../system/index.ts';
import { startAgentProcess } from '../process/agent-process.ts';
import { isPromptUuid } from './preset-ids.ts';
import { type ModelUsage, readTranscriptLine, toBlockText } from './wire.ts';

/** Bytes of a transcript that are read at most. */
const MAX_TRANSCRIPT = 256 * 1_024 * 1_024;

/** What Claude Code recorded about a session. */
export interface Transcript {
  entries: readonly RunnerEntry[];
  /** The sums with which it continues counting. Absent in older versions, which count from zero. */
  costs?: { usd: number; models: ModelUsage };
}

/** `$1` is the id of the session. Nothing is printed if there is no transcript. */
const PRINT = 'cat "${CLAUDE_CONFIG_DIR:-$HOME/.claude}"/projects/*/"$1".jsonl 2>/dev/null || true';

/** Reads the transcript of a session in the home folder of the program; undefined if there is none. */
export async function readTranscript(
  host: Pick<RunnerHost, 'exec'>,
  request: RunnerRequest,
  id: string,
): Promise<Transcript | undefined> {
  const text = request.isSandboxed ? await printTranscript(host, request, id) : readOwn(request.home, id);
  return text === '' ? undefined : toTranscript(text, request.session);
}

async function printTranscript(host: Pick<RunnerHost, 'exec'>, request: RunnerRequest, id: string): Promise<string> {
  const command = ['/bin/sh', '-c', PRINT, 'klaus', id];
  const { output, input } = startAgentProcess(host, { ...request, command });
  await input.close();
  return await new Response(output).text();
}

/** Without a sandbox, it is in the home folder of the user, or in the named one. */
function readOwn(home: string | undefined, id: string): string {
  const config = process.env['CLAUDE_CONFIG_DIR'] ?? join(home ?? homedir(), '.claude');
  const projects = join(config, 'projects');
  if (!existsSync(projects)) return '';
  const files = readdirSync(projects).map((project) => join(projects, project, `${id}.jsonl`));
  return files
    .filter((file) => existsSync(file))
    .map((file) => readForeignFileSync(file, { max: MAX_TRANSCRIPT }).text)
    .join('');
}

export function toTranscript(text: string, session: string): Transcript {
  const entries: RunnerEntry[] = [];
  const names = new Map<string, string>();
  let costs: Transcript['costs'];
  for (const line of text.split('\n')) {
    const entry = readTranscriptLine(line);
    if (entry?.totalCostUSD !== undefined) costs = { usd: entry.totalCostUSD, models: entry.modelUsage ?? {} };
    if (!entry?.uuid || !entry.message || entry.isSidechain || entry.isMeta || entry.isCompactSummary) continue;
    if (isPromptUuid(session, entry.uuid)) continue;
    const role = entry.type === 'assistant' ? 'assistant' : 'user';
    for (const block of entry.message.content) {
      if (block.type === 'text' && block.text) entries.push({ id: entry.uuid, role, text: block.text });
      if (block.type === 'tool_use' && block.id) {
        names.set(block.id, block.name ?? 'tool');
        const said = `${block.name}: ${JSON.stringify(block.input ?? {})}`;
        entries.push({ id: entry.uuid, role, text: said, call: block.id });
      }
      if (block.type === 'tool_result' && block.tool_use_id) {
        const said = `Result of ${names.get(block.tool_use_id) ?? 'tool'}: ${toBlockText(block.content)}`;
        entries.push({ id: entry.uuid, role, text: said, call: block.tool_use_id });
      }
    }
  }
  return { entries, costs };
}
