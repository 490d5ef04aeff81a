import { toPrintable } from '@klaus/sdk/printable';
import { openKlaus } from '../../client/open-klaus.ts';
import { createPaint } from '../../output/paint.ts';
import { out } from '../../output/sink.ts';
import type { LeafCommand } from '../../program/cli-command.ts';
import type { Options } from '../../program/options.ts';
import { addProject } from '../agents/definition-options.ts';

export const show: LeafCommand = {
  name: 'show',
  summary: 'print a skill: its text, its files, and the tools that it asks for',
  examples: ['klaus skills show release-notes'],
  server: 'local',
  declare: (declared) =>
    addProject(declared.argument('<name>', 'name of the skill').option('--json', 'one JSON document')),
  async run(name: string, { cwd, json }: Options) {
    await using klaus = await openKlaus({ cwd });
    const skills = klaus.skills();
    const skill = await skills.find(name);
    const files = skills.files(skill);
    const { readSkillText, splitFrontMatter } = await import('@klaus/sdk/skills');
    const read = readSkillText(skill.file);
    const body = 'text' in read ? splitFrontMatter(read.text).body : '';
    if (json) return out.json({ ...skill, files: files.names, body }, 2);
    const rows = [
      ['file', skill.file],
      ['of', skill.place === 'project' ? 'the project (untrusted)' : 'the user'],
      ...skill.hides.map((hidden) => ['hides', hidden]),
      ...(skill.isOffered ? [] : [['offered', 'no: only /NAME calls it']]),
      ...(skill.allowedTools.length === 0 ? [] : [['asks for', skill.allowedTools.join(', ')]]),
      ...skill.unknownTools.map((tool) => ['unknown tool', tool]),
      ...files.names.map((file) => ['has', file]),
      ...(files.isCut ? [['has', 'more files']] : []),
    ];
    const paint = createPaint(out, false);
    const lines = rows.map(([key, value]) => `  ${paint('dim', `${key}:`)} ${toPrintable(value!)}`);
    out.write(
      `${paint('bold', `${name}: ${toPrintable(skill.description)}`)}\n${lines.join('\n')}\n\n${toPrintable(body)}\n`,
    );
  },
};
