import { toGlobTest, toTextEncoding, type TextEncoding } from '@klaus/core/policy';
import type { Folder } from '@klaus/core/agent';

/** What the user and the project say about the form of a file. All fields are absent for most files. */
export interface FileRules {
  encoding?: TextEncoding;
  /** The file begins with the byte-order mark of UTF-8. */
  bom?: boolean;
  /** Line ends of a new file. */
  eol?: '\n' | '\r\n' | '\r';
  /** Whether a new file ends with a line break. */
  finalNewline?: boolean;
  indent?: 'tab' | 'space';
}

/** Bytes of a file with rules; longer ones are ignored. */
const MAX_BYTES = 256 * 1024;

/**
 * The rules for one file. The setting `edit.encodings` precedes .gitattributes, and that .editorconfig. Files in
 * deeper folders precede those above. Only the folder itself is searched, not what is above it.
 *
 * @param path Relative to the folder.
 * @param encodings Of the setting: `src/*.c=gbk`.
 * @source https://spec.editorconfig.org/, gitattributes(5)
 */
export async function findFileRules(
  folder: Pick<Folder, 'read' | 'stat'>,
  path: string,
  encodings: readonly string[],
): Promise<FileRules> {
  const names = path.split('/');
  let editor = new Map<string, string>();
  let git = new Map<string, string>();
  for (let depth = 0; depth < names.length; depth++) {
    const above = names.slice(0, depth);
    const inner = names.slice(depth).join('/');
    const config = await readRules(folder, [...above, '.editorconfig']);
    if (/^\s*root\s*=\s*true\s*$/im.test(config.split('[')[0]!)) editor = new Map();
    editor = new Map([...editor, ...readEditorConfig(config, inner)]);
    git = new Map([...git, ...readGitAttributes(await readRules(folder, [...above, '.gitattributes']), inner)]);
  }
  return toRules(editor, git, findSetting(encodings, path));
}

async function readRules(folder: Pick<Folder, 'read' | 'stat'>, names: readonly string[]): Promise<string> {
  const path = names.join('/');
  try {
    const state = await folder.stat(path);
    if (state?.kind !== 'file' || state.size > MAX_BYTES) return '';
    return new TextDecoder().decode(await folder.read(path, { maxBytes: MAX_BYTES }));
  } catch {
    // A link out of the folder, or a file without read permission: its rules are not known.
    return '';
  }
}

function readEditorConfig(text: string, path: string): Map<string, string> {
  const found = new Map<string, string>();
  let applies = false;
  for (const line of text.split(/\r?\n/)) {
    const section = /^\s*\[(.+)\]\s*$/.exec(line)?.[1];
    const pair = /^\s*([^#;=\s][^=]*?)\s*=\s*(.*?)\s*$/.exec(line);
    if (section !== undefined) applies = matches(section, path);
    else if (pair && applies) found.set(pair[1]!.toLowerCase(), pair[2]!.toLowerCase());
  }
  return found;
}

function readGitAttributes(text: string, path: string): Map<string, string> {
  const found = new Map<string, string>();
  for (const line of text.split(/\r?\n/)) {
    const parts = /^\s*(?:"((?:[^"\\]|\\.)*)"|([^#\s]\S*))\s+(.*)$/.exec(line);
    if (!parts || !matches((parts[1] ?? parts[2])!, path)) continue;
    for (const attribute of parts[3]!.split(/\s+/)) {
      const [name, value = ''] = attribute.split('=');
      found.set(name!.replace(/^[-!]/, ''), /^[-!]/.test(attribute) ? '' : value);
    }
  }
  return found;
}

/** False for a glob that cannot be read. */
function matches(glob: string, path: string): boolean {
  try {
    return toGlobTest(glob, { sets: true })(path);
  } catch {
    return false;
  }
}

function findSetting(encodings: readonly string[], path: string): string | undefined {
  const rule = encodings.findLast((each) => matches(each.slice(0, each.lastIndexOf('=')), path));
  return rule?.slice(rule.lastIndexOf('=') + 1);
}

/** What a result says about a text whose indentation is not that of the project; '' if it is. */
export function describeIndent(text: string | null, { indent }: FileRules): string {
  const tabs = /^\t/m.test(text ?? '');
  const spaces = /^ {2}/m.test(text ?? '');
  if (indent === 'tab' && spaces && !tabs) return '(.editorconfig: indent_style = tab, but the text has spaces)';
  if (indent === 'space' && tabs && !spaces) return '(.editorconfig: indent_style = space, but the text has tabs)';
  return '';
}

const EOLS: Readonly<Record<string, FileRules['eol']>> = { lf: '\n', crlf: '\r\n', cr: '\r' };

function toRules(
  editor: ReadonlyMap<string, string>,
  git: ReadonlyMap<string, string>,
  setting: string | undefined,
): FileRules {
  const charset = setting ?? (git.get('working-tree-encoding') || editor.get('charset'));
  const encoding = charset === undefined ? undefined : toTextEncoding(charset);
  const eol = EOLS[git.get('eol') || (editor.get('end_of_line') ?? '')];
  const final = editor.get('insert_final_newline');
  const indent = editor.get('indent_style');
  return {
    ...(encoding ? { encoding } : {}),
    ...(charset === 'utf-8-bom' ? { bom: true } : {}),
    ...(eol ? { eol } : {}),
    ...(final === 'true' || final === 'false' ? { finalNewline: final === 'true' } : {}),
    ...(indent === 'tab' || indent === 'space' ? { indent } : {}),
  };
}
