/** A difference as a reader sees it, with every byte that could do something. */
export interface ShownDiff {
  text: string;
  /** Paths as Git writes them: other repositories, whose content the difference does not have. */
  submodules: string[];
}

/** Content that is shown or played and not run, by the name and the first bytes. Only its size is shown. */
const MEDIA: readonly (readonly [RegExp, RegExp])[] = [
  [/\.png$/i, /^\x89PNG\r\n/],
  [/\.jpe?g$/i, /^\xff\xd8\xff/],
  [/\.gif$/i, /^GIF8/],
  [/\.webp$/i, /^RIFF[^]{4}WEBP/],
  [/\.avif$/i, /^[^]{4}ftypavif/],
  [/\.ico$/i, /^\0\0\x01\0/],
  [/\.pdf$/i, /^%PDF-/],
  [/\.woff2?$/i, /^wOF[F2]/],
  [/\.[ot]tf$/i, /^(?:\0\x01\0\0|OTTO|true)/],
  [/\.mp3$/i, /^(?:ID3|\xff[\xe0-\xff])/],
  [/\.mp4$/i, /^[^]{4}ftyp/],
  [/\.(?:wav)$/i, /^RIFF[^]{4}WAVE/],
];

/** Characters that a reader does not see, or that change the order of others: controls, bidi, zero width, tags. */
const INVISIBLE = /(?!\t)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu;

/** @param bytes What `git diff-tree -p --text --full-index` wrote. */
export function toShownDiff(bytes: Buffer): ShownDiff {
  // Each byte is one character, so that no line and no prefix is lost.
  const sections = bytes.toString('latin1').split(/(?<=^|\n)(?=diff --git )/);
  const submodules: string[] = [];
  const shown = sections.map((section) => {
    const head = section.slice(0, section.search(/^@@ /m) >>> 0);
    const [, path = ''] = /^diff --git .* "?b\/(.*?)"?$/m.exec(head) ?? [];
    if (/^(?:index .* |(?:new|deleted) (?:file )?mode |new mode |old mode )160000$/m.test(head)) submodules.push(path);
    return findMedia(section, path) ?? escape(section);
  });
  return { text: shown.join(''), submodules };
}

/** The statement in place of media. */
function findMedia(section: string, path: string): string | undefined {
  const start = section.search(/^@@ /m);
  if (start < 0) return undefined;
  const lines = section.slice(start).split('\n');
  const side = (...signs: readonly string[]): string =>
    lines.flatMap((line) => (signs.includes(line[0] ?? '') ? line.slice(1) : [])).join('\n');
  // With the lines that both have.
  const sides = [side('+', ' '), side('-', ' ')].filter((text) => text !== '');
  const isMedia = (text: string): boolean => MEDIA.some(([name, magic]) => name.test(path) && magic.test(text));
  if (sides.length === 0 || !sides.every(isMedia)) return undefined;
  const [added, removed] = [side('+'), side('-')];
  return `${escape(section.slice(0, start))}Media: ${added.length} bytes added, ${removed.length} bytes removed. The object names above are the hashes of its content, which is not shown.\n`;
}

function escape(latin1: string): string {
  return latin1
    .split('\n')
    .map((line) => {
      const bytes = Buffer.from(line, 'latin1');
      const text = bytes.toString('utf8');
      const isText = Buffer.from(text, 'utf8').equals(bytes);
      const visible = isText ? text : line.replace(/[\x80-\xff]/g, toEscape);
      // Lines with the ends of Windows stay as they are.
      return visible.replace(/\r$/, '').replace(INVISIBLE, toEscape) + (visible.endsWith('\r') ? '\\r' : '');
    })
    .join('\n');
}

function toEscape(character: string): string {
  const code = character.codePointAt(0)!.toString(16);
  return code.length <= 2 ? `\\x${code.padStart(2, '0')}` : `\\u{${code}}`;
}
