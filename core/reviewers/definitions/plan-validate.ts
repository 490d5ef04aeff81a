import { z } from 'zod';
import { changedFileSchema } from '../changes/changed-file.ts';
import { quoteData } from '../quote-data.ts';
import { defineReviewer } from '../reviewer.ts';
import { showChanges } from '../changes/show-changes.ts';
import { judgePlan, judgePlanText } from '../scope/judge-plan.ts';
import { toSystem } from './to-system.ts';

const words = { pass: 'OK', deny: 'DRIFT' };

/** Does a plan follow the request, and do the changes follow the plan? */
export const planValidate = defineReviewer({
  name: 'plan-validate',
  tier: 'sonnet',
  version: 1,
  words,
  input: z.object({
    /** The user's own messages, oldest first. */
    request: z.array(z.string()).default([]),
    /** The plan, Markdown. If a plan file is written: its new text. */
    plan: z.string(),
    /** The plan before this edit, if a plan file is edited. */
    previous: z.string().optional(),
    /** What was or would be changed; absent if the plan itself is reviewed. */
    changes: z.array(changedFileSchema).optional(),
    /** True if the work on the plan is reported as complete: every step must be there. Default false. */
    complete: z.boolean().default(false),
  }),
  decide({ request, plan, previous, changes, complete }) {
    if (changes === undefined) return judgePlanText({ request, plan, previous });
    return judgePlan({ request, plan, changes, complete });
  },
  ask: ({ request, plan, previous, changes, complete }) => ({
    system: toSystem(
      words,
      'You compare the plan of a coding agent with the request of its user and with its changes.',
      [
        'DRIFT if the plan does something that the user did not ask for and that the request does not need, or omits a part of the request.',
        'DRIFT if the changes touch what the plan does not name and its steps do not need.',
        ...(complete ? ['The work is reported as complete: DRIFT if a step of the plan is missing.'] : []),
        'Tests, imports and types that a step obviously needs belong to the step.',
      ],
    ),
    prompt: [
      quoteData("The user's messages, oldest first", request.join('\n---\n')),
      quoteData('The plan', plan),
      ...(previous === undefined ? [] : [quoteData('The plan before this edit', previous)]),
      ...(changes === undefined ? [] : [quoteData('The changes', showChanges(changes))]),
    ].join('\n\n'),
  }),
});
