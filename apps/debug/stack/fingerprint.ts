import { createHash } from 'node:crypto';
import { basename, relative } from 'node:path';
import { isUserFile, parseStack } from './parse-stack.ts';
import { readStack, readText } from './read-stack.ts';
import { toPrintedOriginal } from './source-map.ts';
import { isObject } from './is-object.ts';

/**
 * Equal for errors with the same cause: name, code, shape of the message (without numbers, ids, quoted text and
 * paths), and the functions of the first 5 user frames of its stack. The same with and without captured variables.
 *
 * @returns 16 hexadecimal digits.
 */
export function toFingerprint(error: unknown): string {
  const frames = parseStack(readStack(error) ?? '').map((frame) => toPrintedOriginal(frame));
  const user = frames.filter(({ filePath }) => isUserFile(filePath));
  const places = (user.length > 0 ? user : frames).slice(0, 5).map(({ filePath, functionName, line }) => {
    const path = relative(process.cwd(), filePath);
    return `${path.startsWith('..') ? basename(filePath) : path}#${functionName ?? line ?? ''}`;
  });
  const message = readText(error, 'message') ?? (isObject(error) ? '' : String(error));
  const parts = [
    readText(error, 'name') ?? typeof error,
    readText(error, 'code') ?? '',
    toShape(message.slice(0, 1000)),
    ...places,
  ];
  return createHash('sha256').update(parts.join('\n')).digest('hex').slice(0, 16);
}

function toShape(message: string): string {
  return message
    .replaceAll(/(["'`]).*?\1/g, '""')
    .replaceAll(/(?:[a-z]+:\/\/|\.{0,2}\/)[^\s:,)]+/gi, 'PATH')
    .replaceAll(/\b[\da-f]{8,}(?:-[\da-f]{4,})*\b/gi, 'ID')
    .replaceAll(/\d+/g, '0');
}
