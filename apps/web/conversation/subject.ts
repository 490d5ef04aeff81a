/** Names that tools give to the thing they work on, in the order in which they say most. */
const SUBJECTS = ['command', 'path', 'pattern', 'query', 'url', 'message', 'ref', 'name'] as const;

/** What a call works on, in one line; '' when its input does not say. */
export function toSubject(input: unknown): string {
  if (typeof input !== 'object' || input === null) return '';
  const fields = input as Record<string, unknown>;
  for (const key of SUBJECTS) {
    const value = fields[key];
    if (typeof value === 'string' && value !== '') return value.split('\n').join(' ⏎ ');
  }
  return typeof fields['patch'] === 'string' ? toPatched(fields['patch']).join(', ') : '';
}

/** Files that a patch names. */
function toPatched(patch: string): string[] {
  const names = [...patch.matchAll(/^(?:\*\*\* (?:Update|Add|Delete) File: |\+\+\+ (?:b\/)?)(.+)$/gm)];
  return [...new Set(names.map((match) => match[1]!.trim()))];
}

/** True for a tool whose output is a program's, and is drawn as a terminal would. */
export function isCommand(input: unknown): input is { command: string } {
  return typeof input === 'object' && input !== null && typeof (input as { command?: unknown }).command === 'string';
}
