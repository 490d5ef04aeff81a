import { openKlaus } from '../../session/open-klaus.ts';
import { readStdin, toPromptParts } from '../../prompt/prompt-input.ts';
import type { RunOptions } from '../../program/run-options.ts';
import { toGivenServer } from '../../program/server-option.ts';
import { createOutput } from '../../output/show-output.ts';
import { lastSeq, sendPrompt } from './run.ts';

/** `klaus steer ID "text"`: speaks into a run, which sees it at its next model call. */
export async function steer(id: string, words: readonly string[], options: RunOptions): Promise<number> {
  if (toGivenServer(options) !== undefined) return (await import('../../remote/run.ts')).steerAt(id, words, options);
  const output = createOutput(options);
  const stdin = await readStdin();
  await using klaus = await openKlaus({ settings: { onAsk: options.onAsk }, onNotice: (text) => output.note(text) });
  const parts = toPromptParts({ words, stdin, maxChars: klaus.configuration.get('maxPromptChars') });
  const session = await klaus.session(id);
  return await sendPrompt({
    klaus,
    session,
    parts,
    options,
    output,
    after: await lastSeq(klaus, session),
    delivery: 'steer',
  });
}
