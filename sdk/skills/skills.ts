import { headOf } from '@klaus/core/cut-text';
import type { BrokenSkill, Skill, SkillList, Skills } from '@klaus/core/agent';
import { isKlausError, KlausError, toNearest } from '@klaus/core/protocol';
import { readSkill } from './read-skill.ts';
import {
  findSkillFolders,
  listFilesOf,
  listSkillFiles,
  readSkillText,
  type RefusedSkill,
  type SkillPlaces,
} from './skill-files.ts';

/** @param tools Names of all tools. */
export function openSkills(places: SkillPlaces, tools: () => readonly string[]): Skills {
  const list = (): Promise<SkillList> => listSkills(places, tools());
  return {
    exist: () => listSkillFiles(places).found.length > 0,
    folders: () => findSkillFolders(places),
    list,
    async find(name) {
      const { skills, broken } = await list();
      const known = skills.find((skill) => skill.name === name);
      if (known) return known;
      throw toUnknown(name, { skills, broken });
    },
    files: ({ folder }) => listFilesOf(folder),
  };
}

async function listSkills(places: SkillPlaces, tools: readonly string[]): Promise<SkillList> {
  const { found, refused } = listSkillFiles(places);
  const skills = new Map<string, Skill & { hides: string[] }>();
  const broken: BrokenSkill[] = refused.map(toBroken);
  for (const at of found) {
    const read = readSkillText(at.file);
    if ('reason' in read) {
      broken.push(toBroken({ file: at.file, ...read }));
      continue;
    }
    try {
      const skill = await readSkill(read.text, at, tools);
      const winner = skills.get(skill.name);
      if (winner) winner.hides.push(skill.file);
      else skills.set(skill.name, { ...skill, hides: [] });
    } catch (error) {
      if (!isKlausError(error)) throw error;
      broken.push({ file: at.file, error });
    }
  }
  return { skills: [...skills.values()].toSorted((a, b) => (a.name < b.name ? -1 : 1)), broken };
}

function toBroken({ file, reason }: RefusedSkill): BrokenSkill {
  return { file, error: new KlausError('config', `${file}:1: ${reason}`) };
}

function toUnknown(name: string, { skills, broken }: SkillList): KlausError {
  const own = broken.find(({ file }) => file.split('/').includes(name));
  const nearest = toNearest(
    name,
    skills.map((skill) => skill.name),
  );
  const hint = own?.error.message ?? (nearest === undefined ? 'klaus skills lists them.' : `Did you mean ${nearest}?`);
  return new KlausError('usage', `There is no skill ${JSON.stringify(headOf(name, 64))}.`, { hint });
}
