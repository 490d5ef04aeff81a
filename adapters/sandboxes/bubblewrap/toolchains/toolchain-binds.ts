import { existsSync, readdirSync, readFileSync, readlinkSync, realpathSync, statSync, type Dirent } from 'node:fs';
import { basename, dirname, isAbsolute, join, resolve, sep } from 'node:path';
import { isCredentialFile } from '@klaus/core/policy';
import { contains } from '../../paths.ts';
import { findRoots, isPrograms, isUsualPart } from './toolchain-kinds.ts';
import { isBindable, isPrefix, isSystem, type ToolchainPlaces } from './toolchain-paths.ts';

/** Each is a mount; a folder with more programs between other things is left out. */
const MAX_SINGLE_PROGRAMS = 100;
/** Folders of programs that are looked at, those that links lead to included. */
const MAX_FOLDERS = 400;
/** The system's own folders have no programs that lead out of the system. */
const WITHOUT_LINKS = ['/usr/bin', '/usr/sbin', '/bin', '/sbin', '/usr/games'];

/**
 * Collects what the programs of some folders need: the parts of the toolchains that the folders belong to, and of
 * those that symlinks between the programs lead to. Never a whole folder that also holds something else.
 */
export class ToolchainBinds {
  readonly #places: ToolchainPlaces;
  readonly #found = new Set<string>();
  readonly #seen = new Set<string>();

  constructor(places: ToolchainPlaces) {
    this.#places = places;
  }

  /** Without what lies in another one; sorted. Files as well as folders. */
  get binds(): string[] {
    const all = [...this.#found];
    return all.filter((path) => !all.some((other) => other !== path && contains(other, path))).sort();
  }

  /** Adds a folder of programs. @returns Whether its programs are visible, or some of them. */
  addPrograms(folder: string): boolean {
    if (this.#seen.has(folder)) return this.#isVisible(folder);
    this.#seen.add(folder);
    if (this.#seen.size > MAX_FOLDERS || !isFolder(folder)) return false;
    const real = realpathSync.native(folder);
    if (!this.#isSelfVisible(folder)) {
      if (!this.#isBindable(real)) return false;
      // A link in a place such as /run, which is made for one shell: what it leads to is enough.
      if (!this.#isBindable(folder)) return real !== folder && this.addPrograms(real);
      this.addRoots(folder);
      this.#addFolder(folder, real);
    }
    if (!WITHOUT_LINKS.includes(folder)) this.#addTargets(folder);
    // Programs may know their own place by its real path.
    if (real !== folder) this.addPrograms(real);
    return this.#isVisible(folder);
  }

  /** Adds the parts of the toolchains around a folder. */
  addRoots(folder: string): void {
    for (const { root, parts } of findRoots(folder, (each) => isPrefix(each, this.#places))) {
      for (const part of parts) this.#addPart(root, part, parts);
      const base = readBase(root);
      if (base !== undefined) this.addPrograms(base);
    }
  }

  /** Adds these parts of a folder. A part is relative to it. */
  addParts(root: string, parts: readonly string[]): void {
    for (const part of parts) this.#addPart(root, part, parts);
  }

  /** Adds one file that holds no credentials. */
  addFile(path: string): void {
    if (!existsSync(path) || this.#isSelfVisible(path) || isCredentialFile(path)) return;
    if (this.#isBindable(path) && realpathSync.native(path) === path) this.#found.add(path);
  }

  /** True when a path is visible with all that is below it. */
  showsAll(path: string): boolean {
    return this.#isSelfVisible(path);
  }

  /** True when a path is visible, or a part of what is below it. */
  shows(path: string): boolean {
    return this.#isVisible(path);
  }

  #addPart(root: string, part: string, parts: readonly string[]): void {
    const path = join(root, part);
    if (!existsSync(path) || this.#isSelfVisible(path) || !this.#isBindable(path)) return;
    const real = realpathSync.native(path);
    if (!this.#isBindable(real) || isCredentialFile(real)) return;
    // A link shows no more than a part, of this toolchain or of another one.
    const isOwn = parts.some((each) => each !== '.' && contains(join(realpathSync.native(root), each), real));
    const isPart = basename(real) === basename(path) || isUsualPart(real);
    const isWhole = part === '.' && isPrefix(real, this.#places);
    if (!isOwn && !isWhole && !isSystem(real) && !(isPart && isPrefix(dirname(real), this.#places))) return;
    if (!isPrograms(path)) {
      this.#found.add(path);
      return;
    }
    this.#addFolder(path, real);
    this.#addTargets(path);
  }

  /** A folder of PATH: whole where it holds programs alone, or else its programs one by one. */
  #addFolder(folder: string, real: string): void {
    if (this.#isSelfVisible(folder)) return;
    const entries = list(folder);
    const programs = entries.filter((entry) => isProgram(join(folder, entry.name)));
    const isWhole = isPrograms(real) || programs.length === entries.length;
    if (isWhole && !entries.some((entry) => isPrivate(folder, entry))) {
      this.#found.add(folder);
      return;
    }
    for (const { name } of programs.slice(0, MAX_SINGLE_PROGRAMS)) this.#addProgram(join(folder, name));
  }

  #addProgram(path: string): void {
    if (!isProgram(path) || this.#isSelfVisible(path)) return;
    const real = realpathSync.native(path);
    const isPlain = [path, real].every((each) => this.#isBindable(each) && !isCredentialFile(each));
    if (isPlain && !contains(this.#places.workspace, real)) this.#found.add(path);
  }

  #addTargets(folder: string): void {
    for (const entry of list(folder)) if (entry.isSymbolicLink()) this.#follow(folder, entry.name);
  }

  /** The program that a link leads to, with its own toolchain; one link at a time, so that every one is visible. */
  #follow(folder: string, name: string): void {
    const link = join(folder, name);
    if (!isProgram(link)) return;
    const target = resolve(realpathSync.native(folder), readlinkSync(link));
    for (const path of new Set([target, realpathSync.native(link)])) {
      if (isSystem(path) || contains(this.#places.workspace, path)) continue;
      const parts = path.split(sep);
      const packages = parts.indexOf('node_modules');
      if (packages > 0 && packages < parts.length - 1) this.#addPackages(parts.slice(0, packages + 1).join(sep));
      else if (isPrograms(dirname(path))) this.addPrograms(dirname(path));
      else this.addRoots(dirname(path));
      this.#addProgram(path);
    }
  }

  /** Packages of Node need one another. */
  #addPackages(folder: string): void {
    if (this.#isBindable(folder) && this.#isBindable(realpathSync.native(folder)) && !this.#isSelfVisible(folder))
      this.#found.add(folder);
  }

  #isBindable(path: string): boolean {
    return isSystem(path) || isBindable(path, this.#places);
  }

  #isSelfVisible(path: string): boolean {
    if (isSystem(path) || contains(this.#places.workspace, path)) return true;
    for (const bind of this.#found) if (contains(bind, path)) return true;
    return false;
  }

  #isVisible(path: string): boolean {
    if (this.#isSelfVisible(path)) return true;
    for (const bind of this.#found) if (contains(path, bind)) return true;
    return false;
  }
}

/** The interpreter that a Python virtual environment was made from. @source PEP 405 */
function readBase(root: string): string | undefined {
  try {
    const base = /^home\s*=\s*(.+?)\s*$/m.exec(readFileSync(join(root, 'pyvenv.cfg'), 'utf8'))?.[1];
    return base !== undefined && isAbsolute(base) ? base : undefined;
  } catch {
    return undefined;
  }
}

function isProgram(path: string): boolean {
  try {
    const stat = statSync(path);
    return stat.isFile() && (stat.mode & 0o111) !== 0;
  } catch {
    return false;
  }
}

/** Version control, or a file with credentials. */
function isPrivate(folder: string, { name }: Dirent): boolean {
  return name === '.git' || isCredentialFile(join(folder, name));
}

function list(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return [];
  }
}

function isFolder(path: string): boolean {
  return existsSync(path) && statSync(path).isDirectory();
}
