import type { Text } from '../en.ts';

type Reasons = Text['reasons'];
/** A text of the catalogue: fixed, or made from the first group of the pattern. */
type Name = keyof Reasons;

/** The reasons of the gate and of the ends of runs as the engine writes them. */
const PATTERNS: readonly (readonly [RegExp, Name])[] = [
  [/^mode plan is read only$/, 'modePlan'],
  [/^mode ask asks before every(?:thing but reading| change)$/, 'modeAsk'],
  [/^mode edits asks before /, 'modeEdits'],
  [/^mode edits lets edits in the workspace pass$/, 'editsPass'],
  [/^mode auto lets (?:pass what grant and sandbox allow|edits in the workspace pass)$/, 'autoPass'],
  [/^covered by the grant$/, 'covered'],
  [/^wider than the grant: (.+)$/s, 'wider'],
  [/^it only reads$/, 'reads'],
  [/^the user entered it$/, 'entered'],
  [/^approved by the user(?: in part)?$/, 'approved'],
  [/^rejected by the user$/, 'rejected'],
  [/^rejected by the user: (.+)$/s, 'rejectedBecause'],
  [/^no answer came in time$/, 'noAnswer'],
  [/^every file change needs an approval \(AGENT_REQUIRE_PATCH_APPROVAL\)$/, 'patchApproval'],
  [/^the session is isolated[:,] /, 'isolated'],
  [/^the user decides about a plan$/, 'plan'],
  [/^A running tool waits for the answer\. It goes to the tool\.$/, 'toolWaits'],
  [/^(.+) is a secret file$/s, 'secretFile'],
  [/^(.+) is outside the workspace$/s, 'outside'],
  [/^(.+) is read-only by its mode$/s, 'readOnly'],
  [/^(\S+) was denied and no other call replaced it\.$/, 'denied'],
  [/^The command was denied\.$/, 'commandDenied'],
  [/^The limit of .+ was not raised\.$/, 'limitKept'],
  [/^The user stopped the run\b/, 'cancelled'],
  [/^The outcome of the command is unknown\.$/, 'unknownOutcome'],
  [/^The model refused to continue\.$/, 'refused'],
  [/^The model paused too often in a row\.$/, 'pausedTooOften'],
  [/^The answer was cut off too often in a row\.$/, 'cutTooOften'],
  [/^The model ended without an answer\.$/, 'noAnswerOfModel'],
  [/^The context window is full and nothing more can be compacted\.$/, 'contextFull'],
  [/^A check still fails: (.+)\.$/s, 'checkStillFails'],
  [/^The last check failed: (.+)\.$/s, 'checkFailed'],
  [/^The model failed: (.+)$/s, 'modelFailed'],
];

/** A reason of the engine as a sentence in the language of the page. An unknown one stays as it is. */
export function toReasonText(reason: string, { reasons }: Pick<Text, 'reasons'>): string {
  for (const [pattern, name] of PATTERNS) {
    const match = pattern.exec(reason);
    const words = match && reasons[name];
    if (words) return typeof words === 'string' ? words : words(match[1]!);
  }
  const sentence = reason.charAt(0).toUpperCase() + reason.slice(1);
  return /[.!?]$/.test(sentence) || sentence === '' ? sentence : `${sentence}.`;
}
