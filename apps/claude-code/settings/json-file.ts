import { existsSync, lstatSync, mkdirSync, realpathSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { KlausError } from '@klaus/sdk';
import { readForeignFileSync } from '@klaus/sdk/foreign-file';
import { isRecord } from '@klaus/sdk/is-record';
import { parse, type ParseError, printParseErrorCode } from 'jsonc-parser';

/** A settings file of Claude Code: JSON that may have comments. */
export interface JsonFile {
  /** Empty for a file that does not exist. */
  text: string;
  object: Record<string, unknown>;
}

/** @throws KlausError `config` for a file that cannot be read, or is no object. */
export function readJsonFile(file: string): JsonFile {
  const text = readText(file);
  const errors: ParseError[] = [];
  const object: unknown = text.trim() === '' ? {} : parse(text, errors, { allowTrailingComma: true });
  const [error] = errors;
  if (error) {
    const line = text.slice(0, error.offset).split('\n').length;
    throw toInvalid(file, `${printParseErrorCode(error.error)} in line ${line}`);
  }
  if (!isRecord(object)) throw toInvalid(file, 'it is no object');
  return { text, object };
}

export function toInvalid(file: string, what: string): KlausError {
  return new KlausError('config', `${file} is invalid: ${what}.`, { hint: 'Correct it; nothing was changed.' });
}

function readText(file: string): string {
  try {
    return withoutMark(readForeignFileSync(file).text);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return '';
    throw new KlausError('config', `${file} cannot be read: ${(error as Error).message}.`, { cause: error });
  }
}

/** Editors of Windows write a byte order mark. */
const MARK = '\uFEFF';

function withoutMark(text: string): string {
  return text.startsWith(MARK) ? text.slice(MARK.length) : text;
}

/** Replaces the file in one step. A symbolic link remains one, and the mode and a byte order mark stay. @param newMode Of a new file. */
export function writeJsonFile(file: string, text: string, newMode = 0o600): void {
  mkdirSync(dirname(file), { recursive: true });
  const isLink = lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink() === true;
  const target = isLink ? realpathSync(file) : file;
  const mode = statSync(target, { throwIfNoEntry: false })?.mode ?? newMode;
  const part = `${target}.klaus-${process.pid}`;
  const mark = existsSync(target) && readForeignFileSync(target).text.startsWith(MARK) ? MARK : '';
  writeFileSync(part, `${mark}${text}`, { mode });
  renameSync(part, target);
}
