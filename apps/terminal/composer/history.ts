import { createHash } from 'node:crypto';
import { appendFileSync, chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Prompts that are kept for each project. */
const MAX_PROMPTS = 1_000;
/** Characters of a prompt that is kept. */
const MAX_CHARS = 10_000;

/** The prompts of a project, the newest last. */
export interface PromptHistory {
  list(): readonly string[];
  add(prompt: string): void;
  /** Prompts that contain all words, the newest first. */
  search(words: string): string[];
}

/**
 * Opens the history of a project. Only its user can read the file. A history that cannot be read is empty; one that
 * cannot be written is kept for this process.
 *
 * @param home State folder. @param project Absolute path.
 */
export function openHistory(home: string, project: string): PromptHistory {
  const folder = join(home, 'history');
  const file = join(folder, `${createHash('sha256').update(project).digest('hex').slice(0, 16)}.ndjson`);
  const prompts = read(file);
  return {
    list: () => prompts,
    add(prompt) {
      if (prompt === '' || prompt.length > MAX_CHARS || prompts.at(-1) === prompt) return;
      prompts.push(prompt);
      try {
        if (!existsSync(folder)) mkdirSync(folder, { recursive: true, mode: 0o700 });
        if (prompts.length > MAX_PROMPTS * 1.2) {
          prompts.splice(0, prompts.length - MAX_PROMPTS);
          writeFileSync(file, prompts.map(toLine).join(''), { mode: 0o600 });
        } else {
          appendFileSync(file, toLine(prompt), { mode: 0o600 });
          chmodSync(file, 0o600);
        }
      } catch {
        // The prompt itself is in the log.
      }
    },
    search(words) {
      const wanted = words.toLowerCase().split(/\s+/);
      const found = prompts.filter((prompt) => wanted.every((word) => prompt.toLowerCase().includes(word)));
      return [...new Set(found.toReversed())];
    },
  };
}

function toLine(prompt: string): string {
  return `${JSON.stringify(prompt)}\n`;
}

function read(file: string): string[] {
  try {
    return readFileSync(file, 'utf8')
      .split('\n')
      .flatMap((line) => {
        if (line === '') return [];
        const prompt = JSON.parse(line) as unknown;
        return typeof prompt === 'string' ? [prompt] : [];
      })
      .slice(-MAX_PROMPTS);
  } catch {
    return [];
  }
}
