import type { LeafCommand } from '../../program/cli-command.ts';
import type { Options } from '../../program/options.ts';
import { addShowOptions } from '../../program/run-options.ts';
import { addAnswerOptions, answerApproval } from './approve.ts';

export const command: LeafCommand = {
  name: 'reject',
  summary: 'reject a request and resume the session',
  examples: ['klaus reject 01J --note "use the helper in src/text.ts"'],
  server: 'both',
  declare: (declared) => addShowOptions(addAnswerOptions(declared)),
  run: (id: string | undefined, options: Options) => answerApproval(id, 'rejected', options),
};
