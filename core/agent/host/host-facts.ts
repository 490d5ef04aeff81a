import {
  evaluateCommand,
  findScripts,
  isSystemPath,
  type HostFacts,
  type HostScript,
  runsCode,
} from '../../policy/index.ts';
import { readUlidTime, type Access } from '../../protocol/index.ts';
import type { HostFile, HostFiles } from './host-files.ts';
import { singleQuote } from '../../protocol/index.ts';
import { readMain, scriptsOf, toScriptLines } from '../calls/package-scripts.ts';

const MAX_ROUNDS = 6;
const MAX_FILES = 128;
/** Files of packages, which an installation writes; not the programs that it links. */
const OF_PACKAGES = /\/node_modules\/(?!\.bin\/[^/]+$)|\/(?:site|dist)-packages\//;
/** A name that can be a program of a package or an image. */
const NAME = /^(?:@[\w.-]+\/)?[\w][\w./:@-]*$/;

export interface HostRequest {
  session: string;
  /** Absolute. */
  workspace: string;
  /** Klaus's own state: absolute paths. */
  state: readonly string[];
  access: readonly Access[];
  /** Absent: nothing is read, and the scripts of a command are not judged. */
  files: HostFiles | undefined;
}

/** What the gate knows about the machine, for a call whose commands run without a sandbox. Undefined for other calls. */
export async function readHostFacts(given: HostRequest): Promise<HostFacts | undefined> {
  const { session, workspace, state, access, files } = given;
  const lines = access.flatMap((item) =>
    item.kind === 'exec' ? [{ line: item.command, cwd: item.cwd ?? workspace }] : [],
  );
  if (files === undefined || lines.length === 0) return undefined;
  const since = files.since ?? readUlidTime(session) ?? 0;
  const isWritten = (path: string, file: HostFile): boolean =>
    files.wrote?.has(path) === true ||
    files.wrote?.has(file.path) === true ||
    (file.changedAt >= since && !OF_PACKAGES.test(file.path));
  const found = new Map<string, string>();
  const written = new Set<string>();
  const scripts: HostScript[] = [];
  const seen = new Set<string>();
  const add = (path: string): void => {
    if (seen.has(path) || found.size >= MAX_FILES) return;
    seen.add(path);
    if (isSystemPath(path)) return;
    const file = files.read(path);
    if (!file) return;
    const isNew = isWritten(path, file);
    // An installed program is not judged: it is found by its name.
    if (!isNew && /\/(?:node_modules|\.venv|venv)\//.test(path)) return;
    found.set(path, file.text);
    if (isNew) written.add(path);
  };
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const before = found.size + scripts.length;
    for (const { line, cwd } of [...lines, ...scripts]) {
      const uses = findScripts(line, { workspace, cwd, files: found });
      for (const path of toManifests(line, { workspace, cwd })) add(path);
      for (const path of uses.files) add(toReal(path, files.userHome));
      for (const use of uses.packages) {
        for (const script of readScripts(use, { files, isWritten }))
          if (!scripts.some((known) => known.line === script.line && known.cwd === script.cwd)) scripts.push(script);
      }
      for (const path of [...uses.files].filter((each) => each.endsWith('/package.json'))) {
        const main = readMain(found.get(path));
        if (main !== undefined) add(`${path.slice(0, path.lastIndexOf('/'))}/${main}`);
      }
    }
    if (found.size + scripts.length === before) break;
  }
  // Only a command that runs code can run what it does not name.
  const runs = [...lines, ...scripts].some(({ line, cwd }) =>
    runsCode(evaluateCommand(line, { workspace, cwd, files: found })),
  );
  const changed = runs ? files.listChanged(workspace, since) : [];
  const code = new Map(changed.filter(({ path }) => !found.has(path)).map(({ path, text }) => [path, text]));
  for (const path of runs ? (files.wrote ?? []) : []) {
    const file = found.has(path) || code.has(path) ? undefined : files.read(path);
    if (file) code.set(path, file.text);
  }
  return {
    workspace,
    userHome: files.userHome,
    exists: (path) => files.exists(path),
    toReal: (path) => files.toReal(path),
    isNew: (path) => files.changedAt(path) >= since,
    read: (path) => files.read(path)?.text,
    fetched: files.fetched ?? new Set(),
    // Another Klaus of the user has its state at the usual place.
    state: [...new Set([...state, `${files.userHome}/.klaus`])],
    files: found,
    written,
    code,
    scripts,
    ...(files.readsRemote ? { readsRemote: true } : {}),
    local: await findLocal([...lines, ...scripts], { workspace, files }),
  };
}

/** The evaluation names the home folder by a mark. */
function toReal(path: string, userHome: string): string {
  return path === '/~' || path.startsWith('/~/') ? userHome + path.slice(2) : path;
}

/** The lines of a script of the package file that a package manager finds above a folder. */
function readScripts(
  { folder, script }: { folder: string; script: string },
  { files, isWritten }: { files: HostFiles; isWritten: (path: string, file: HostFile) => boolean },
): HostScript[] {
  for (let at = folder; ; at = at.replace(/\/[^/]*$/, '')) {
    const path = `${at}/package.json`;
    const file = files.read(path);
    if (file)
      return toScriptLines(scriptsOf(new TextEncoder().encode(file.text)), script).map((line) => ({
        line,
        cwd: at === '' ? '/' : at,
        name: `the script ${singleQuote(script)} of ${path}`,
        isWritten: isWritten(path, file),
      }));
    if (at === '') return [];
  }
}

/** The programs of packages and the images that lines name and that are on this machine. */
async function findLocal(
  lines: readonly { line: string; cwd: string }[],
  { workspace, files }: { workspace: string; files: HostFiles },
): Promise<Set<string>> {
  const local = new Set<string>();
  for (const { line, cwd } of lines)
    for (const { name, argv, cwds } of evaluateCommand(line, { workspace, cwd }).commands) {
      const words = argv.slice(1).filter((word) => NAME.test(word));
      if (/^(?:npx|bunx|pnpx|npm|pnpm|yarn|bun)$/.test(name))
        for (const word of words) if (cwds.every((at) => isInstalled(word, at, files))) local.add(word);
      if (/^(?:docker|podman|nerdctl)$/.test(name) && argv.some((word) => word === 'run' || word === 'create'))
        for (const word of words.slice(0, 32)) if (await files.hasImage(word)) local.add(word);
    }
  return local;
}

function isInstalled(word: string, cwd: string, files: HostFiles): boolean {
  if (/.@/.test(word)) return false;
  for (let at = cwd; ; at = at.replace(/\/[^/]*$/, '')) {
    if (files.exists(`${at}/node_modules/.bin/${word}`)) return true;
    if (word.startsWith('@') && files.exists(`${at}/node_modules/${word}/package.json`)) return true;
    if (at === '') return false;
  }
}

/** Files that name packages, in the folders of package managers. */
const MANIFESTS =
  'package.json package-lock.json npm-shrinkwrap.json pnpm-lock.yaml yarn.lock .npmrc requirements.txt pyproject.toml setup.py setup.cfg uv.lock poetry.lock Pipfile Pipfile.lock Gemfile Gemfile.lock composer.json composer.lock'.split(
    ' ',
  );

function toManifests(line: string, place: { workspace: string; cwd: string }): string[] {
  return evaluateCommand(line, place).commands.flatMap(({ name, argv, cwds }) =>
    /^(?:npm|pnpm|yarn|bun|pip3?|uv|poetry|pipenv|bundle|composer|python[\d.]*)$/.test(name)
      ? cwds.flatMap((cwd) => [
          ...MANIFESTS.map((file) => `${cwd}/${file}`),
          ...argv
            .filter((word) => word.endsWith('.txt'))
            .map((word) => (word.startsWith('/') ? word : `${cwd}/${word}`)),
        ])
      : [],
  );
}
