import { Option } from 'commander';
import { IdArgument, type LeafCommand } from '../../program/cli-command.ts';
import { repeatable, toHunkFile, toList } from '../../program/option-values.ts';
import { addShowOptions } from '../../program/run-options.ts';
import { type AnswerOptions, answerApproval, noteOption } from './answer-approval.ts';

export const command: LeafCommand = {
  name: 'approve',
  summary: 'approve a request and resume the session',
  server: 'both',
  declare: (declared) =>
    addShowOptions(
      declared
        .addArgument(new IdArgument('<id>', 'approvals'))
        .addOption(noteOption())
        .option('--hunks <ids>', 'only these hunks, separated by commas; klaus approvals lists their ids', toList)
        .option('--reject-hunks <ids>', 'all hunks except these', toList)
        .option(
          '--edit <id=file>',
          'replace the lines of a hunk by those of this file; repeatable',
          repeatable(toHunkFile),
        )
        .addOption(
          new Option('--scope <scope>', 'how long the approval is valid, for this agent only').choices([
            'once',
            'session',
            'project',
          ]),
        ),
    ),
  run: (id: string, options: AnswerOptions) => answerApproval(id, 'approved', options),
};
