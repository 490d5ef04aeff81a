import { createHash } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { writeCacheFile } from '@klaus/adapters/system';
import { isRecord } from '@klaus/core/protocol';
import type { Adaptation } from './adaptation.ts';

/** What servers have refused, by the address of the endpoint and the id of the model. */
export interface AdaptationStore {
  read(place: string): readonly Adaptation[];
  write(place: string, adaptations: readonly Adaptation[]): void;
}

/** Milliseconds after which a server is asked again: it may have been updated. */
const MAX_AGE_MS = 30 * 86_400_000;

/** @param folder A cache, one file for each place; see `writeCacheFile`. Default: none, only in memory. */
export function createAdaptationStore(folder?: string): AdaptationStore {
  const known = new Map<string, readonly Adaptation[]>();
  return {
    read: (place) => known.get(place) ?? (folder === undefined ? [] : readFile(toFile(folder, place), place)),
    write(place, adaptations) {
      known.set(place, adaptations);
      if (folder !== undefined) writeCacheFile(toFile(folder, place), { place, adaptations });
    },
  };
}

function toFile(folder: string, place: string): string {
  return join(folder, `${createHash('sha256').update(place).digest('hex').slice(0, 32)}.json`);
}

/** A file that is missing, old or damaged is empty. */
function readFile(file: string, place: string): readonly Adaptation[] {
  try {
    if (Date.now() - statSync(file).mtimeMs > MAX_AGE_MS) return [];
    const content: unknown = JSON.parse(readFileSync(file, 'utf8'));
    if (!isRecord(content) || content['place'] !== place || !Array.isArray(content['adaptations'])) return [];
    return content['adaptations'].filter(isAdaptation);
  } catch {
    return [];
  }
}

function isAdaptation(value: unknown): value is Adaptation {
  if (!isRecord(value) || typeof value['field'] !== 'string') return false;
  return value['instead'] === undefined || typeof value['instead'] === 'string';
}
