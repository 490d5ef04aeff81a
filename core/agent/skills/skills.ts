import type { KlausError } from '../../protocol/index.ts';

/** The tool that loads a skill. */
export const USE_SKILL = 'use_skill';

/** A folder with a SKILL.md: instructions for one kind of task, which the model loads when it needs them. */
export interface Skill {
  name: string;
  /** What it does and when to use it. */
  description: string;
  /** Absolute real path of its folder. */
  folder: string;
  /** Absolute real path of its SKILL.md, which is in the folder. */
  file: string;
  /** `project`: an untrusted text of the workspace. `user`: of the user's own folders. */
  place: 'project' | 'user';
  /** What `allowed-tools` requests, as written, such as `Bash(git *)`. It gives nothing. */
  allowedTools: readonly string[];
  /** The tools here that those names mean. */
  tools: readonly string[];
  /** Names in `allowedTools` that no tool has. */
  unknownTools: readonly string[];
  /** False: only the user calls it, as `/NAME`; the model is not offered it. */
  isOffered: boolean;
  /** Files of the same name in later folders, which this one hides. */
  hides: readonly string[];
}

/** A folder that looks like a skill and is none. */
export interface BrokenSkill {
  /** The SKILL.md, or the folder. */
  file: string;
  /** With line and reason. */
  error: KlausError;
}

export interface SkillList {
  /** By name. */
  skills: readonly Skill[];
  broken: readonly BrokenSkill[];
}

/** Names of files that belong to a skill, relative to its folder. */
export interface SkillFiles {
  names: readonly string[];
  /** True if there are more. */
  isCut: boolean;
}

/** The skills of one workspace and of the user. */
export interface Skills {
  /** True if a folder contains a SKILL.md. Fast: reads no file. */
  exist(): boolean;
  /** Folders outside of the workspace with skills of the user, as absolute real paths. */
  folders(): string[];
  list(): Promise<SkillList>;
  /** @throws KlausError `usage` with the nearest name, and the reason for a broken one. */
  find(name: string): Promise<Skill>;
  /** Scripts and texts beside the SKILL.md. Links that lead out of the folder are left out. */
  files(skill: Skill): SkillFiles;
}
