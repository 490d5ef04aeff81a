/** `mcp__SERVER__TOOL`, with `_` for characters that names of tools cannot have. */
export function toToolName(server: string, tool: string): string {
  return `mcp__${server}__${tool.replaceAll(/[^\w.-]/g, '_').slice(0, 100)}`;
}
