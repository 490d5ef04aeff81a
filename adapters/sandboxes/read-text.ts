import { readFileSync } from 'node:fs';

/** Content of a file; undefined when it is missing or not readable. */
export function readText(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}

/** The value in a file, unchecked; undefined when the file is missing, empty or truncated. */
export function readJson<T>(file: string): T | undefined {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as T;
  } catch {
    return undefined;
  }
}
