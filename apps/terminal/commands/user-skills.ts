import { toHome, toUserHome } from '@klaus/sdk/home';
import { toLine } from '@klaus/sdk/printable';
import { listSkillFiles, readSkillText, splitFrontMatter, toSkillPrompt } from '@klaus/sdk/skills';
import type { TerminalCommand } from './command.ts';
import { readField } from './user-commands.ts';

/**
 * The skills of the user and of the project as commands: `/NAME` lets the model load the skill, by the same call and
 * the same decision as if it had chosen it.
 */
export function readUserSkills(workspace: string): TerminalCommand[] {
  const places = { workspace, home: toUserHome(process.env), state: toHome(process.env, workspace) };
  const found = new Map<string, TerminalCommand>();
  for (const { name: folder, file } of listSkillFiles(places).found) {
    const read = readSkillText(file);
    const header = 'text' in read ? splitFrontMatter(read.text).head : undefined;
    if (header === undefined || readField(header, 'user-invocable') === 'false') continue;
    const name = readField(header, 'name') ?? folder;
    if (!/^[a-z0-9-]{1,64}$/.test(name) || found.has(name)) continue;
    found.set(name, {
      name,
      argument: toLine(readField(header, 'argument-hint') ?? '[ARGUMENTS]', 60),
      // A text of several lines begins with its style.
      summary: toLine(readField(header, 'description')?.replace(/^[>|][-+]?$/, '') || 'skill', 80),
      run: (app, given) => app.submit({ text: toSkillPrompt(name, given), pastes: new Map() }, 'queue'),
    });
  }
  return [...found.values()];
}
