import { readFileSync } from 'node:fs';
import { readForeignFileSync } from '@klaus/adapters/system';

/** Bytes. */
const MAX = 64 * 1_024 * 1_024;

/** Content of a file; undefined when it is missing, not readable, or no regular file. */
export function readText(file: string): string | undefined {
  try {
    return readForeignFileSync(file, { max: MAX }).text;
  } catch {
    return undefined;
  }
}

/** Content of a file of the kernel, such as below `/proc`, whose size is not known; undefined when it is missing. */
export function readKernelText(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}

/** The value in a file, unchecked; undefined when the file is missing, empty or truncated. */
export function readJson<T>(file: string): T | undefined {
  try {
    return JSON.parse(readText(file) ?? '') as T;
  } catch {
    return undefined;
  }
}
