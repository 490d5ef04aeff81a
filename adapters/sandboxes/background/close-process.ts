import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { closeGroups } from '../cgroup/resource-group.ts';
import { closeSavedWhilePaused } from '../protection/close-while-paused.ts';
import type { SavedProtection } from '../protection/protected-workspace.ts';
import { readJson } from '../read-text.ts';
import { readIdentity, writeJson } from './process-files.ts';
import { watched } from './watch-process.ts';

const PROTECTION = 'protection.json';

/** Stores the protection of a process, so that another Klaus process can close it. */
export function saveProtection(folder: string, saved: SavedProtection): void {
  writeJson(join(folder, PROTECTION), saved);
}

/** Releases the resources of a process that has ended, and repairs protected places that it changed. Idempotent. */
export async function closeProcess(folder: string): Promise<void> {
  if (await watched.get(folder)?.waitForEnd()) return;
  const saved = readJson<SavedProtection>(join(folder, PROTECTION));
  const groups = readIdentity(folder)?.groups ?? [];
  await closeGroups(groups);
  if (!saved) return;
  const warnings = await closeSavedWhilePaused(saved);
  if (warnings.length > 0) writeJson(join(folder, 'warnings.json'), warnings);
  rmSync(join(folder, PROTECTION), { force: true });
}
