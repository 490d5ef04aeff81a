import { join } from 'node:path';
import type { PinStore } from '@klaus/adapters/mcp';
import { z } from 'zod';
import { readStateFile, writeStateFile, type McpPlace, type McpSource } from './mcp-files.ts';

const fileSchema = z.object({
  servers: z
    .array(
      z.object({
        folder: z.string(),
        name: z.string(),
        tools: z.record(z.string(), z.string()),
        /** Names of tools that the user has marked. */
        reading: z.array(z.string()).default([]),
      }),
    )
    .default([]),
});

/**
 * The descriptions and schemas of the tools of a server that the user has accepted, in the state folder. Trust of an
 * entry alone, such as that of an earlier version, has none.
 */
export function openPinStore({ home, folder }: McpPlace, { name, from }: { name: string; from: McpSource }): PinStore {
  const path = join(home, 'mcp-tools.json');
  const place = from === 'user' ? '' : folder;
  const readAll = () => readStateFile(path, fileSchema, { servers: [] }).servers;
  const isThis = (one: { folder: string; name: string }): boolean => one.folder === place && one.name === name;
  return {
    read: () => readAll().find(isThis)?.tools,
    readReading: () => readAll().find(isThis)?.reading ?? [],
    write(tools, reading) {
      const others = readAll().filter((one) => !isThis(one));
      const entry = { folder: place, name, tools: { ...tools }, reading: [...reading] };
      writeStateFile(path, { servers: [...others, entry] }, true);
    },
  };
}
