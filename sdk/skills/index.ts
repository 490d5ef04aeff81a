/** What user interfaces need of skills. It loads no engine. */
export { splitFrontMatter, toSkillPrompt } from '@klaus/core/skill-text';
export { listSkillFiles, readSkillText, type RefusedSkill, type SkillFile, type SkillPlaces } from './skill-files.ts';
