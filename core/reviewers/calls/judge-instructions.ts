import { headOf } from '../../protocol/text/cut-text.ts';
import { diffArrays } from 'diff/lib/diff/array.js';
import type { RuleVerdict } from '../reviewer.ts';

/** Instructions that give agents more freedom, or switch protection off. */
const WEAKENS: readonly (readonly [pattern: RegExp, why: string])[] = [
  [
    /\bignore (?:all |any |the |every )*(?:previous|prior|earlier|above|other|system) (?:instructions?|rules?|prompts?|messages?)\b/i,
    'it overrides other instructions',
  ],
  [/\b(?:always|automatically) (?:approve|allow|accept|say yes)\b/i, 'it approves in advance'],
  [
    /--no-verify\b|--dangerously-skip-permissions\b|\bbypassPermissions\b|\bdisableAllHooks\b|\bHUSKY=0\b/,
    'it switches checks off',
  ],
  [
    /\b(?:skip|disable|bypass|turn off|switch off) (?:the |all |any )*(?:tests?|checks?|hooks?|reviews?|linters?|lint|guards?|approvals?|permissions?|security|sandbox)\b/i,
    'it switches checks off',
  ],
  [
    /\b(?:never|do not|don['’]?t) (?:ask|wait for|need|require)\b[^.\n]{0,30}\b(?:permission|approval|confirmation|user|review)\b/i,
    'it removes approvals',
  ],
  [
    /\b(?:do not|don['’]?t|never) (?:tell|inform|mention|report|show)\b[^.\n]{0,30}\b(?:user|human|anyone)\b/i,
    'it hides something from the user',
  ],
  [/\b(?:curl|wget)\b[^|\n]*\|\s*(?:ba|z)?sh\b/, 'it runs downloaded code'],
];

/** Characters that a person does not see. */
const HIDDEN = /[\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff]|[\u{e0000}-\u{e007f}]/u;
const FORBIDS = /\b(?:never|do not|don['’]?t|must not|should not|avoid|no|forbidden|not allowed)\b[^.;\n]*$/i;

/** Decides about edits whose words show what they do. */
export function judgeInstructions(edit: { before: string; after: string; request: string[] }): RuleVerdict | undefined {
  const { before, after, request } = edit;
  const toPlain = (text: string) => text.replaceAll(/\s+/g, ' ').trim();
  if (toPlain(before) === toPlain(after)) return { outcome: 'pass', reason: 'Only spaces and line breaks changed.' };
  const parts = diffArrays(before.split('\n'), after.split('\n'), { maxEditLength: 2_000 });
  const added = parts ? parts.filter((part) => part.added).flatMap(({ value }) => value) : after.split('\n');
  const asked = request.join('\n');
  for (const line of added) {
    if (HIDDEN.test(line)) return { outcome: 'deny', reason: 'An added line contains invisible characters.' };
    for (const [pattern, why] of WEAKENS) {
      const found = pattern.exec(line);
      if (!found || pattern.test(asked) || FORBIDS.test(line.slice(0, found.index))) continue;
      return { outcome: 'deny', reason: `An added line weakens protection, ${why}: "${headOf(line.trim(), 120)}".` };
    }
  }
  return undefined;
}
