import { closeSync, constants, fstatSync, openSync, readdirSync, readFileSync, realpathSync } from 'node:fs';
import { basename, join, relative } from 'node:path';
import { MAX_SKILL_BYTES } from '@klaus/core/skill-text';
import { orUndefined } from '../or-undefined.ts';

const FILE = 'SKILL.md';
/** Maximum skills of one folder of skills. */
const MAX_SKILLS = 200;
/** Maximum names that are listed for one skill, and how deep its folders are searched. */
const MAX_FILES = 50;
const MAX_DEPTH = 4;

/** Where skills are searched. */
export interface SkillPlaces {
  /** Absolute path. */
  workspace: string;
  /** The home folder of the user. */
  home: string;
  /** Klaus's own folder, by default `~/.klaus`. */
  state: string;
}

/** A folder with a SKILL.md that has not been read. */
export interface SkillFile {
  /** Name of the folder, as it is listed. */
  name: string;
  /** Absolute real path. */
  folder: string;
  /** Absolute real path of the SKILL.md. */
  file: string;
  place: 'project' | 'user';
}

/** A folder that looks like a skill and is none. */
export interface RefusedSkill {
  file: string;
  reason: string;
}

/** A folder of skills. */
interface SkillFolder {
  /** Absolute path, as it is searched. */
  path: string;
  place: 'project' | 'user';
}

/** Folders of skills. The first one wins a name, so that no project replaces a skill of the user. */
function toSkillFolders({ workspace, home, state }: SkillPlaces): SkillFolder[] {
  return [
    { path: join(state, 'skills'), place: 'user' },
    { path: join(home, '.claude/skills'), place: 'user' },
    { path: join(workspace, '.klaus/skills'), place: 'project' },
    { path: join(workspace, '.claude/skills'), place: 'project' },
  ];
}

/**
 * The skills of all folders, without reading them. A folder of the user can be a link to anywhere; one of the project
 * cannot lead out of the workspace, and no SKILL.md out of its folder.
 */
export function listSkillFiles(places: SkillPlaces): { found: SkillFile[]; refused: RefusedSkill[] } {
  const found: SkillFile[] = [];
  const refused: RefusedSkill[] = [];
  const seen = new Set<string>();
  const workspace = toReal(places.workspace) ?? places.workspace;
  for (const { path, place } of toSkillFolders(places)) {
    for (const name of listNames(path)) {
      const skill = toSkillFile(join(path, name), place, workspace);
      if (skill && 'reason' in skill) refused.push(skill);
      // A workspace can be the home folder, and folders can be links to each other.
      else if (skill && !seen.has(skill.file)) {
        seen.add(skill.file);
        found.push(skill);
      }
    }
  }
  return { found, refused };
}

/**
 * The folders outside of the workspace that contain skills of the user, as absolute real paths: a session that may use
 * them can read them, and its commands can run their scripts.
 */
export function findSkillFolders(places: SkillPlaces): string[] {
  const folders = new Set<string>();
  const { found } = listSkillFiles(places);
  const roots = toSkillFolders(places).flatMap(({ path }) => toReal(path) ?? []);
  for (const { folder, place } of found) {
    if (place !== 'user' || isIn(folder, places.workspace)) continue;
    folders.add(roots.find((root) => isIn(folder, root)) ?? folder);
  }
  return [...folders];
}

/** The text of a file, or why it is none: a folder, a device, a file that is too large. */
export function readSkillText(file: string): { text: string } | { reason: string } {
  // A named pipe would block the open.
  const flags = constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW;
  const descriptor = orUndefined(() => openSync(file, flags));
  if (descriptor === undefined) return { reason: 'the file cannot be opened' };
  try {
    const stat = fstatSync(descriptor);
    if (!stat.isFile()) return { reason: 'this is not a file' };
    if (stat.size > MAX_SKILL_BYTES) return { reason: `a skill has at most ${MAX_SKILL_BYTES / 1_024} KiB` };
    return { text: readFileSync(descriptor, 'utf8') };
  } finally {
    closeSync(descriptor);
  }
}

/** Names of the files beside the SKILL.md, without hidden ones and links that lead out of the folder. */
export function listFilesOf(folder: string): { names: string[]; isCut: boolean } {
  const names: string[] = [];
  let isCut = false;
  const walk = (at: string, depth: number): void => {
    const entries = orUndefined(() => readdirSync(at, { withFileTypes: true })) ?? [];
    for (const entry of entries.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
      const path = join(at, entry.name);
      if (entry.name.startsWith('.') || entry.name === 'node_modules' || path === join(folder, FILE)) continue;
      if (entry.isDirectory()) {
        if (depth < MAX_DEPTH) walk(path, depth + 1);
        else isCut = true;
        continue;
      }
      const real = toReal(path);
      if (real === undefined || !isIn(real, folder)) continue;
      if (names.length === MAX_FILES) isCut = true;
      if (isCut) return;
      names.push(relative(folder, path));
    }
  };
  walk(folder, 1);
  return { names, isCut };
}

/** Undefined for a folder without a SKILL.md. */
function toSkillFile(path: string, place: SkillFile['place'], workspace: string): SkillFile | RefusedSkill | undefined {
  const folder = toReal(path);
  const file = folder === undefined ? undefined : toReal(join(folder, FILE));
  if (folder === undefined || file === undefined) return undefined;
  if (place === 'project' && !isIn(folder, workspace))
    return { file: path, reason: 'it is a link out of the workspace' };
  if (!isIn(file, folder)) return { file: join(path, FILE), reason: 'it is a link out of the folder of the skill' };
  return { name: basename(path), folder, file, place };
}

function listNames(folder: string): string[] {
  const names = orUndefined(() => readdirSync(folder)) ?? [];
  return names
    .filter((name) => !name.startsWith('.'))
    .toSorted()
    .slice(0, MAX_SKILLS);
}

function toReal(path: string): string | undefined {
  return orUndefined(() => realpathSync.native(path));
}

function isIn(path: string, folder: string): boolean {
  return path === folder || path.startsWith(`${folder}/`);
}
