import { createHash } from 'node:crypto';
import { basename, relative } from 'node:path';
import type { StackFrame } from '../contract/index.ts';
import { readOwn } from './read-stack.ts';

/**
 * Equal for errors with the same cause: name, code, shape of the message (without numbers, ids, quoted text and
 * paths), and the functions of the first 5 user frames.
 *
 * @returns 16 hexadecimal digits.
 */
export function toFingerprint(error: unknown, frames: readonly StackFrame[]): string {
  const user = frames.filter(({ isUser }) => isUser);
  const places = (user.length > 0 ? user : frames).slice(0, 5).map(({ filePath, functionName, line }) => {
    const path = relative(process.cwd(), filePath);
    return `${path.startsWith('..') ? basename(filePath) : path}#${functionName ?? line ?? ''}`;
  });
  const message = readOwn(error, 'message') ?? (typeof error === 'object' ? '' : String(error));
  const parts = [
    String(readOwn(error, 'name') ?? typeof error),
    String(readOwn(error, 'code') ?? ''),
    toShape(String(message).slice(0, 1000)),
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
