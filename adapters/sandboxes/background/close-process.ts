import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { closeGroups } from '../cgroup/resource-group.ts';
import { closeSavedWhilePaused } from '../protection/close-while-paused.ts';
import type { SavedProtection } from '../protection/protected-workspace.ts';
import { readIdentity, readJson, writeJson } from './process-files.ts';
import { watched } from './watch-process.ts';

const PROTECTION = 'protection.json';

/** Keeps what was protected while a process runs, so that any later Klaus can put right what it changed. */
export function saveProtection(folder: string, saved: SavedProtection): void {
  writeJson(join(folder, PROTECTION), saved);
}

/** Gives back what a process that has ended leaned on, and looks at what it left in the workspace. Again does nothing. */
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
