import { CLAUDE_TOOLS } from '../agents/claude-tools.ts';

/** The tools that entries of `allowed-tools` mean: names of ours and of Claude Code's, with or without a pattern. */
export function toToolNames(
  allowed: readonly string[],
  known: readonly string[],
): { tools: string[]; unknownTools: string[] } {
  const tools = new Set<string>();
  const unknownTools: string[] = [];
  for (const entry of allowed) {
    const name = entry.replace(/\(.*$/s, '');
    const own = Object.hasOwn(CLAUDE_TOOLS, name) ? CLAUDE_TOOLS[name]! : [name];
    const found = own.filter((one) => known.includes(one));
    if (found.length === 0) unknownTools.push(entry);
    for (const one of found) tools.add(one);
  }
  return { tools: [...tools], unknownTools };
}
