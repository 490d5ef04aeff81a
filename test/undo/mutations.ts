import { spawnSync } from 'node:child_process';
import {
  appendFileSync,
  chmodSync,
  closeSync,
  ftruncateSync,
  linkSync,
  lstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  unlinkSync,
  utimesSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import type { Chance } from './chance.ts';
import { readImage } from './image.ts';

const NAMES = [
  'a', 'b', 'src', 'lib', 'index.ts', 'read me.txt', '-rf', '--help', 'ünïcødé', '日本語.md', 'line\nbreak', 'tab\there',
  "quote'd", 'back\\slash', '*', '$HOME', '.env', '.hidden', 'ignored.log', 'build', 'node_modules', ' ', 'x'.repeat(255),
  'a-b', 'a.b', 'é', 'e\u0301', '\u{1F600}', '.klaus',
]; // prettier-ignore
const FILE_MODES = [0o644, 0o600, 0o755, 0o444, 0o640, 0o4755, 0o2711];
const FOLDER_MODES = [0o755, 0o700, 0o555, 0o750, 0o1777];
const BIG = 50 * 1024 * 1024;

/** Makes random changes in a folder. An impossible change is skipped. */
export class Playground {
  readonly #root: string;
  readonly #chance: Chance;

  constructor(root: string, chance: Chance) {
    this.#root = root;
    this.#chance = chance;
  }

  fill(): void {
    for (let count = 12 + this.#chance.number(20); count > 0; count--) {
      this.#attempt(() =>
        this.#chance.pick([() => this.#createFile(), () => this.#createFolder(), () => this.#link()])(),
      );
    }
  }

  change(count: number): void {
    for (let i = 0; i < count; i++) this.#attempt(() => this.#once());
  }

  makeBig(): void {
    this.#attempt(() => {
      const fd = openSync(join(this.#root, 'big.bin'), 'w');
      // Sparse except for some marks: fast to create, and all chunks differ.
      ftruncateSync(fd, BIG + this.#chance.number(1_000));
      for (let at = 0; at < BIG; at += 5_000_000) writeSync(fd, `${this.#chance.number(1e9)}`, at);
      closeSync(fd);
    });
  }

  /** Changes or creates the entry at a path, regardless of its type. */
  touch(path: string): void {
    this.#attempt(() => {
      const file = join(this.#root, path);
      const stat = lstatSync(file, { throwIfNoEntry: false });
      if (!stat || stat.isFile()) appendFileSync(file, 'mine\n');
      else if (stat.isDirectory()) writeFileSync(join(file, 'mine'), 'mine\n');
      else unlinkSync(file);
    });
  }

  #once(): void {
    const acts = [
      () => this.#createFile(),
      () => this.#createFile(),
      () => this.#createFolder(),
      () => this.#edit(),
      () => this.#edit(),
      () => this.#editUnseen(),
      () => this.#editUnseen(),
      () => appendFileSync(this.#some('file'), 'more\n'),
      () => unlinkSync(this.#some('file')),
      () => rmSync(this.#some(), { recursive: true }),
      () => this.#chmod(),
      () => this.#chmod(),
      () => this.#link(),
      () => this.#retarget(),
      () => this.#changeType(),
      () => this.#changeType(),
      () => renameSync(this.#some(), this.#newPath()),
      () => this.#swap(),
      () => linkSync(this.#some('file'), this.#newPath()),
      () => this.#asShell(),
    ];
    this.#chance.pick(acts)();
  }

  /** Ignores system errors of impossible changes, such as an existing name. */
  #attempt(act: () => void): void {
    try {
      act();
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && typeof error.code === 'string')) throw error;
      if (error.code.startsWith('ERR_')) throw error;
    }
  }

  #some(kind = ''): string {
    const paths = [...readImage(this.#root)].filter(([, what]) => what.startsWith(kind)).map(([path]) => path);
    if (paths.length === 0) throw Object.assign(new Error('there is none'), { code: 'ENOENT' });
    return join(this.#root, this.#chance.pick(paths));
  }

  #newPath(): string {
    const folders = [...readImage(this.#root)].filter(([, what]) => what.startsWith('directory')).map(([path]) => path);
    const folder = this.#chance.percent(40) ? '' : this.#chance.pick(['', ...folders]);
    return join(this.#root, folder.split('/').length > 6 ? '' : folder, this.#chance.pick(NAMES));
  }

  #content(): Buffer {
    const size = this.#chance.pick([0, 1, 12, 300, 5_000, 70_000]);
    const seed = `${this.#chance.number(1e9)} `;
    return Buffer.from(seed.repeat(Math.ceil(size / seed.length)).slice(0, size));
  }

  #createFile(): void {
    const path = this.#newPath();
    writeFileSync(path, this.#content(), { flag: 'wx' });
    chmodSync(path, this.#chance.pick(FILE_MODES));
  }

  #createFolder(): void {
    mkdirSync(this.#newPath(), { mode: this.#chance.percent(80) ? 0o755 : 0o700 });
  }

  #edit(): void {
    writeFileSync(this.#some('file'), this.#content());
  }

  /** The same size and, as far as a program can set them, the same times. */
  #editUnseen(): void {
    const path = this.#some('file');
    const { atime, mtime, size } = lstatSync(path);
    if (size === 0 || size > 1_000_000) return;
    const bytes = readFileSync(path);
    bytes[this.#chance.number(size)]! ^= 1;
    writeFileSync(path, bytes);
    utimesSync(path, atime, mtime);
  }

  #chmod(): void {
    if (this.#chance.percent(60)) chmodSync(this.#some('file'), this.#chance.pick(FILE_MODES));
    else chmodSync(this.#some('directory'), this.#chance.pick(FOLDER_MODES));
  }

  #link(): void {
    symlinkSync(
      this.#chance.pick(['nowhere', '.', '..', '/nowhere/at/all', 'a', '../../../nowhere', 'ünïcødé']),
      this.#newPath(),
    );
  }

  #retarget(): void {
    const path = this.#some('link');
    unlinkSync(path);
    symlinkSync(`target-${this.#chance.number(5)}`, path);
  }

  #changeType(): void {
    const path = this.#some();
    rmSync(path, { recursive: true });
    const acts = [
      () => writeFileSync(path, this.#content()),
      () => symlinkSync('elsewhere', path),
      () => {
        mkdirSync(path);
        writeFileSync(join(path, this.#chance.pick(NAMES)), this.#content());
      },
    ];
    this.#chance.pick(acts)();
  }

  #swap(): void {
    const [a, b] = [this.#some(), this.#some()];
    const aside = join(this.#root, 'aside');
    if (a.startsWith(b) || b.startsWith(a)) return;
    renameSync(a, aside);
    renameSync(b, a);
    renameSync(aside, b);
  }

  #asShell(): void {
    const command = this.#chance.pick([
      'mkdir -p deep/er/still && echo new > deep/er/still/file',
      'for f in *; do [ -f "$f" ] && [ ! -h "$f" ] && echo appended >> "./$f"; done',
      'find . -name .git -prune -o -type f -size -2k -exec sed -i "s/1/2/" {} +',
      'rm -rf ./src ./build',
    ]);
    spawnSync('sh', ['-c', command], { cwd: this.#root, stdio: 'ignore' });
  }
}
