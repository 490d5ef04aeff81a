import { headOf } from '@klaus/core/cut-text';
import { PRESENT_PLAN } from '@klaus/core/agent';
import { z } from 'zod';
import { defineBuiltinTool } from '../builtin-tool.ts';
import { toolFailed } from '../tool-failed.ts';

const MAX_PLAN = 50_000;
const MAX_TITLE = 80;

/** Asks the user to edit and accept a plan. It reaches nothing outside of the session. */
export const presentPlan = defineBuiltinTool({
  name: PRESENT_PLAN,
  description:
    'Present a plan in Markdown, which the user edits and accepts: what to change in which files, how to check it. Returns the accepted plan; then start.',
  input: z.object({ plan: z.string() }),
  deferred: true,
  effects: [],
  resume: 'repeat',
  // The model must not start with a part of the plan.
  cut: (text) => text,
  example: {
    asks: true,
    input: { plan: '# Fix the sum\n\n1. Change `src/sum.js`.\n2. Run the tests.\n' },
    output: 'The user accepted the plan',
  },
  async prepare({ plan }) {
    if (plan.trim() === '') throw toolFailed('The plan is empty.');
    if (plan.length > MAX_PLAN)
      throw toolFailed(`The plan has ${plan.length} characters; at most ${MAX_PLAN} are allowed.`);
    return { title: `plan: ${toHeading(plan)}`, access: [], plan };
  },
  async run({ plan }, _, intent) {
    const accepted = intent.plan ?? plan;
    const what = accepted === plan ? 'The user accepted the plan' : 'The user edited the plan and accepted this';
    return { text: `${what}. Start now; changes are allowed as far as the present mode permits.\n\n${accepted}` };
  },
});

/** The first line with text, without its Markdown marks. */
function toHeading(plan: string): string {
  const line = plan.split('\n').find((each) => /\p{L}|\p{N}/u.test(each)) ?? '';
  return headOf(line.replace(/^[#>*\-\s]+/, '').trim(), MAX_TITLE);
}
