import { existsSync, readlinkSync, realpathSync, statSync, type Dirent } from 'node:fs';
import { basename, dirname, isAbsolute, join, resolve, sep } from 'node:path';
import { isCredentialFile } from '@klaus/core/policy';
import { contains } from '../../paths.ts';
import { findRoots, isPrograms, isUsualPart } from './toolchain-kinds.ts';
import { isBindable, isPrefix, isSystem, type ToolchainPaths } from './toolchain-paths.ts';
import { listEntries } from '@klaus/adapters/system';
import { readText } from '../../read-text.ts';

/** Each program is a mount. The programs of a mixed folder beyond this limit are left out. */
const MAX_SINGLE_PROGRAMS = 100;
/** Folders of programs that are searched, including targets of links. */
const MAX_FOLDERS = 400;
/** Folders of the system, whose links do not leave the system. */
const WITHOUT_LINKS = ['/usr/bin', '/usr/sbin', '/bin', '/sbin', '/usr/games'];

/**
 * Collects the paths that the programs in some folders need: parts of the toolchains that the folders belong to, and of
 * those to which symlinks among the programs point. A folder that also contains other files is never added completely.
 */
export class ToolchainBinds {
  readonly #places: ToolchainPaths;
  readonly #found = new Set<string>();
  readonly #seen = new Set<string>();

  constructor(places: ToolchainPaths) {
    this.#places = places;
  }

  /** Files and folders, sorted, without those that lie in another one. */
  get binds(): string[] {
    const all = [...this.#found];
    return all.filter((path) => !all.some((other) => other !== path && contains(other, path))).sort();
  }

  /** Adds a folder of programs. @returns True if at least some of its programs are visible. */
  addPrograms(folder: string): boolean {
    if (this.#seen.has(folder)) return this.shows(folder);
    this.#seen.add(folder);
    if (this.#seen.size > MAX_FOLDERS || !isFolder(folder)) return false;
    const real = realpathSync.native(folder);
    if (!this.showsAll(folder)) {
      if (!this.#isBindable(real)) return false;
      // A temporary link for one shell, for example in /run: its target is enough.
      if (!this.#isBindable(folder)) return real !== folder && this.addPrograms(real);
      this.addRoots(folder);
      this.#addFolder(folder, real);
    }
    if (!WITHOUT_LINKS.includes(folder)) this.#addTargets(folder);
    // Programs may use the real path of their folder.
    if (real !== folder) this.addPrograms(real);
    return this.shows(folder);
  }

  addRoots(folder: string): void {
    for (const { root, parts } of findRoots(folder, (each) => isPrefix(each, this.#places))) {
      for (const part of parts) this.#addPart(root, part, parts);
      const base = readBase(root);
      if (base !== undefined) this.addPrograms(base);
    }
  }

  /** Adds parts of a folder, given as relative paths. */
  addParts(root: string, parts: readonly string[]): void {
    for (const part of parts) this.#addPart(root, part, parts);
  }

  /** Adds one file, unless it contains credentials. */
  addFile(path: string): void {
    if (!existsSync(path) || this.showsAll(path) || isCredentialFile(path)) return;
    if (this.#isBindable(path) && realpathSync.native(path) === path) this.#found.add(path);
  }

  #addPart(root: string, part: string, parts: readonly string[]): void {
    const path = join(root, part);
    if (!existsSync(path) || this.showsAll(path) || !this.#isBindable(path)) return;
    const real = realpathSync.native(path);
    if (!this.#isBindable(real) || isCredentialFile(real)) return;
    // A link must point to a part of this or of another toolchain.
    const isOwn = parts.some((each) => each !== '.' && contains(join(realpathSync.native(root), each), real));
    const isPart = basename(real) === basename(path) || isUsualPart(real);
    const isRoot = part === '.' && isPrefix(real, this.#places);
    if (!isOwn && !isRoot && !isSystem(real) && !(isPart && isPrefix(dirname(real), this.#places))) return;
    if (!isPrograms(path)) {
      this.#found.add(path);
      return;
    }
    this.#addFolder(path, real);
    this.#addTargets(path);
  }

  /** Adds a folder of PATH: completely if it contains only programs, or else its programs one by one. */
  #addFolder(folder: string, real: string): void {
    if (this.showsAll(folder)) return;
    const entries = listEntries(folder);
    const programs = entries.filter((entry) => isProgram(join(folder, entry.name)));
    const isComplete = isPrograms(real) || programs.length === entries.length;
    if (isComplete && !entries.some((entry) => isPrivate(folder, entry))) {
      this.#found.add(folder);
      return;
    }
    for (const { name } of programs.slice(0, MAX_SINGLE_PROGRAMS)) this.#addProgram(join(folder, name));
  }

  #addProgram(path: string): void {
    if (!isProgram(path) || this.showsAll(path)) return;
    const real = realpathSync.native(path);
    const isPlain = [path, real].every((each) => this.#isBindable(each) && !isCredentialFile(each));
    if (isPlain && !contains(this.#places.workspace, real)) this.#found.add(path);
  }

  #addTargets(folder: string): void {
    for (const entry of listEntries(folder)) if (entry.isSymbolicLink()) this.#follow(folder, entry.name);
  }

  /** Adds the target of a link with its toolchain, one link at a time, so that every link of a chain is visible. */
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

  /** Adds all packages of a Node folder, because they depend on each other. */
  #addPackages(folder: string): void {
    if (this.#isBindable(folder) && this.#isBindable(realpathSync.native(folder)) && !this.showsAll(folder))
      this.#found.add(folder);
  }

  #isBindable(path: string): boolean {
    return isSystem(path) || isBindable(path, this.#places);
  }

  /** True when a path is completely visible. */
  showsAll(path: string): boolean {
    if (isSystem(path) || contains(this.#places.workspace, path)) return true;
    for (const bind of this.#found) if (contains(bind, path)) return true;
    return false;
  }

  /** True when a path is at least partly visible. */
  shows(path: string): boolean {
    if (this.showsAll(path)) return true;
    for (const bind of this.#found) if (contains(path, bind)) return true;
    return false;
  }
}

/** The folder of the interpreter that a Python virtual environment uses. @source PEP 405 */
function readBase(root: string): string | undefined {
  try {
    const base = /^home\s*=\s*(.+?)\s*$/m.exec(readText(join(root, 'pyvenv.cfg')) ?? '')?.[1];
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

function isFolder(path: string): boolean {
  return existsSync(path) && statSync(path).isDirectory();
}
