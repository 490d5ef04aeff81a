import type { CommandGroup } from '../../program/cli-command.ts';
import { list } from './list.ts';
import { show } from './show.ts';

export const command: CommandGroup = {
  name: 'skills',
  summary: 'list and show skills',
  examples: ['klaus skills', 'klaus skills show release-notes'],
  description:
    'A skill is a folder with a SKILL.md: instructions for one kind of task, which an agent loads when it needs them. They are in .klaus/skills and .claude/skills, of the project and of your home folder.',
  commands: [list, show],
};
