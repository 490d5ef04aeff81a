/** Names of the main input field of tools, in order of preference. */
const SUBJECTS = ['command', 'path', 'pattern', 'query', 'url', 'message', 'task', 'ref', 'name'] as const;

/** The main input of a call in one line; '' if there is none. */
export function toSubject(input: unknown): string {
  if (typeof input !== 'object' || input === null) return '';
  const fields = input as Record<string, unknown>;
  for (const key of SUBJECTS) {
    const value = fields[key];
    if (typeof value === 'string' && value !== '') return value.split('\n').join(' ⏎ ');
  }
  return typeof fields['patch'] === 'string' ? toPatched(fields['patch']).join(', ') : '';
}

function toPatched(patch: string): string[] {
  const names = [...patch.matchAll(/^(?:\*\*\* (?:Update|Add|Delete) File: |\+\+\+ (?:b\/)?)(.+)$/gm)];
  return [...new Set(names.map((match) => match[1]!.trim()))];
}
