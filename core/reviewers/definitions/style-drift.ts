import { z } from 'zod';
import { changedFileSchema } from '../changes/changed-file.ts';
import { showChanges } from '../changes/show-changes.ts';
import { quoteData } from '../quote-data.ts';
import { defineReviewer } from '../reviewer.ts';
import { judgeStyle } from '../style/judge-style.ts';
import { toSystem } from './to-system.ts';

const words = { pass: 'OK', deny: 'DRIFT' };

/** Does a change alter the style of existing code without a request? */
export const styleDrift = defineReviewer({
  name: 'style-drift',
  tier: 'haiku',
  version: 2,
  words,
  input: z.object({
    /** The user's own messages, oldest first. */
    request: z.array(z.string()),
    changes: z.array(changedFileSchema).min(1),
  }),
  decide: ({ request, changes }) => judgeStyle(request, changes),
  ask: ({ request, changes }) => ({
    system: toSystem(words, 'You find changes of style that the user did not ask for in an edit of a coding agent.', [
      'DRIFT if existing code changes only in its style: quotes, semicolons, formatting, order of imports, names, comments, type annotations.',
      'OK if the user asked for that change, or if each changed line is needed for the requested behaviour.',
      'The style of code that is new, or rewritten for the request, is OK.',
    ]),
    prompt: [
      quoteData("The user's messages, oldest first", request.join('\n---\n')),
      quoteData('The changes', showChanges(changes)),
    ].join('\n\n'),
  }),
});
