/** What user interfaces need of skills. It loads no engine. */
export { splitFrontMatter, toSkillPrompt } from '@klaus/core/skill-text';
export { readFrontMatter } from './read-front-matter.ts';
export { listSkillFiles, readSkillText, type RefusedSkill, type SkillFile, type SkillPlaces } from './skill-files.ts';
