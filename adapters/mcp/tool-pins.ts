import type { Tool as ServerTool } from '@modelcontextprotocol/client';
import { createTwoFilesPatch } from 'diff';

/** What the tools of a server said about themselves, by their names. */
export type PinnedTools = Readonly<Record<string, string>>;

/** Where the descriptions that the user has seen and accepted are stored. */
export interface PinStore {
  /** Undefined: the user has accepted none of the server. */
  read(): PinnedTools | undefined;
  /** Names of tools that the user has marked as ones that only read. */
  readReading(): readonly string[];
  write(tools: PinnedTools, reading: readonly string[]): void;
}

/** Descriptions and schemas of tools as text, in which equal ones are equal. */
export function toPinned(tools: readonly ServerTool[]): PinnedTools {
  return Object.fromEntries(tools.map((tool) => [tool.name, toText(tool)]));
}

function toText({ name, title, description, inputSchema, outputSchema, annotations }: ServerTool): string {
  return JSON.stringify(sort({ name, title, description, inputSchema, outputSchema, annotations }), undefined, 1);
}

/** The names of tools that are not as they were. A tool that the server has no more is none of them. */
export function findChanged(pinned: PinnedTools, present: PinnedTools): string[] {
  return Object.keys(present).filter((name) => !Object.hasOwn(pinned, name) || pinned[name] !== present[name]);
}

/** The changes as a diff for the user. */
export function toPinDiff(pinned: PinnedTools, present: PinnedTools, names: readonly string[]): string {
  return names
    .map((name) => {
      const before = Object.hasOwn(pinned, name) ? pinned[name]! : '';
      return createTwoFilesPatch(name, name, `${before}\n`, `${present[name]}\n`, 'before', 'now', { context: 2 });
    })
    .join('\n');
}

function sort(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sort);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([key, each]) => [key, sort(each)]));
}
