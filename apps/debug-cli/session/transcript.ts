import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Session } from '@klaus/sdk';
import { toMarkdown, toTranscript } from '@klaus/sdk/transcript';

/**
 * Writes the transcript of a session as Markdown, without secrets, readable only for the user.
 *
 * @returns The file.
 */
export async function writeTranscript(session: Session, folder: string): Promise<string> {
  const entries = [...toTranscript(await Array.fromAsync(session.events()))];
  const file = join(folder, `${session.id}.md`);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  writeFileSync(file, entries.map((entry) => `${toMarkdown(entry)}\n`).join(''), { mode: 0o600 });
  return file;
}
