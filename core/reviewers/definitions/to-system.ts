import { DATA_NOTICE } from '../quote-data.ts';

/** The system prompt of a reviewer: its role, its rules, and the form of the answer. */
export function toSystem(words: { pass: string; deny: string }, role: string, rules: readonly string[]): string {
  return [
    role,
    DATA_NOTICE,
    `Rules:\n${rules.map((rule) => `- ${rule}`).join('\n')}`,
    `Answer only with JSON: {"verdict": "${words.pass}" or "${words.deny}", "reason": "one or two sentences", ` +
      '"findings": [{"file": "path", "line": 1, "text": "what is wrong"}]}. "findings" is optional.',
  ].join('\n\n');
}
