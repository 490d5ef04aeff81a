import { IdArgument, type LeafCommand } from '../../program/cli-command.ts';
import { addShowOptions } from '../../program/run-options.ts';
import { type AnswerOptions, answerApproval, noteOption } from './answer-approval.ts';

export const command: LeafCommand = {
  name: 'reject',
  summary: 'reject a request and resume the session',
  server: 'both',
  declare: (declared) =>
    addShowOptions(declared.addArgument(new IdArgument('<id>', 'approvals')).addOption(noteOption())),
  run: (id: string, options: AnswerOptions) => answerApproval(id, 'rejected', options),
};
