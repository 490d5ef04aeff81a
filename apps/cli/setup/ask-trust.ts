import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { toLine } from '@klaus/sdk/printable';
import { openKlaus, toFolder } from '../client/open-klaus.ts';
import { type Options, toGivenServer } from '../program/options.ts';
import { openQuestions } from '../prompt/open-questions.ts';

/**
 * At a start in a terminal in a project with MCP servers of its own: asks once whether sessions use them. They are programs
 * and addresses that came with the project.
 */
export async function askTrust(options: Options): Promise<void> {
  if (toGivenServer(options) !== undefined || options.trustCommand) return;
  const folder = toFolder(options.cwd ?? process.cwd());
  // Most projects have none, and the engine is not loaded for them.
  if (!existsSync(join(folder, '.mcp.json'))) return;
  await using klaus = await openKlaus({ cwd: folder });
  const mcp = klaus.mcp(folder);
  const unknown = (await mcp.list()).filter((each) => each.from === 'project' && !each.isTrusted && !each.isDeclined);
  if (unknown.length === 0) return;
  using questions = await openQuestions('This project has MCP servers of its own');
  const chosen = await questions.selectMany(
    'Which ones may sessions use? Space selects, Enter continues.',
    unknown.map(({ name, entry }) => ({ value: name, label: toLine(name, 100), hint: toLine(describe(entry), 200) })),
  );
  // Without an answer, the next start asks again.
  if (chosen === undefined) return questions.cancel('No server is used.');
  for (const { name, hash } of unknown) {
    if (chosen.includes(name)) await mcp.trust(name, hash);
    else await mcp.decline(name);
  }
  questions.end({
    title: chosen.length === 0 ? 'No server is used' : `Used: ${chosen.map((name) => toLine(name, 100)).join(', ')}`,
    next: '`klaus mcp trust NAME` changes it later',
  });
}

/** The program or the address of an entry. */
function describe(entry: unknown): string {
  const { url, command, args } = (entry ?? {}) as { url?: unknown; command?: unknown; args?: unknown };
  const words = [command, ...(Array.isArray(args) ? args : [])];
  return typeof url === 'string' ? url : words.filter((word) => typeof word === 'string').join(' ');
}
