import { createHash } from 'node:crypto';

/** The id of the session in Claude Code. It is known before the start, so that a crash during it loses nothing. */
export function toSessionUuid(session: string): string {
  return toUuid(digest(`session ${session}`));
}

/** The id of the prompt of a turn. */
export function toPromptUuid(session: string, turn: number): string {
  return toUuid(toPromptStem(session) + turn.toString(16).padStart(8, '0'));
}

/** True for the prompt of any turn of the session. */
export function isPromptUuid(session: string, uuid: string): boolean {
  const stem = toUuid(toPromptStem(session) + '0'.repeat(8));
  return uuid.slice(0, -8) === stem.slice(0, -8);
}

function toPromptStem(session: string): string {
  return digest(`prompts ${session}`).slice(0, 24);
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 32);
}

/** 32 hexadecimal digits as a UUID of version 8: its content is application-defined. */
function toUuid(digits: string): string {
  const marked = `${digits.slice(0, 12)}8${digits.slice(13, 16)}8${digits.slice(17)}`;
  return [marked.slice(0, 8), marked.slice(8, 12), marked.slice(12, 16), marked.slice(16, 20), marked.slice(20)].join(
    '-',
  );
}
