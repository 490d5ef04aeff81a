import { describe, expect, test } from 'vitest';
import { isHidden, renderHunk, type TreeChange, type TreeEntry } from '../protocol/index.ts';
import { decodeText, keepHunks, MAX_SHOWN_BYTES, toChangeHunks } from './change-hunks.ts';

describe('a changed path', () => {
  const bytes = (text: string) => new TextEncoder().encode(text);
  const entry = (content: string, more: Partial<TreeEntry> = {}): TreeEntry => ({
    type: 'file',
    hash: content,
    size: content.length,
    mode: 0o644,
    ...more,
  });
  const refusal = (hunk: string) =>
    expect.objectContaining({ code: 'usage', message: expect.stringContaining(hunk) as string });
  const look = (before: TreeEntry | null, after: TreeEntry | null) => {
    const kind = !before ? 'created' : after ? 'modified' : 'deleted';
    const change: TreeChange = { path: 'f', kind, before, after };
    const content = (side: TreeEntry | null) => (side && side.type !== 'directory' ? bytes(side.hash) : null);
    const hunks = toChangeHunks(change, { before: content(before), after: content(after) });
    const keep = (accepted: string[], edited?: { id: string; text: string }[]) =>
      keepHunks(change, { hunks, answer: { accepted, ...(edited && { edited }) }, before: content(before) });
    return { hunks, keep, shown: hunks.map(renderHunk) };
  };

  test('a text with another mode: places and mode are taken one by one', () => {
    const middle = '1\n2\n3\n4\n5\n6\n7\n';
    const { hunks, keep } = look(entry(`a\n${middle}b\n`), entry(`A\n${middle}B\n`, { mode: 0o755 }));
    expect(hunks.map(({ id, kind }) => [id, kind])).toEqual([
      ['f#1', 'text'],
      ['f#2', 'text'],
      ['f#3', 'mode'],
    ]);
    expect(keep([])).toEqual({ kept: 'none' });
    expect(keep(['f#1', 'f#2', 'f#3', 'g#1'])).toEqual({ kept: 'all' });
    expect(keep(['f#2'])).toEqual({ kept: 'part', content: bytes(`a\n${middle}B\n`), mode: 0o644 });
    expect(keep(['f#3'])).toEqual({ kept: 'part', content: 'before', mode: 0o755 });
    const edited = keep(['f#1'], [{ id: 'f#1', text: 'mine\n1\n2\n3\n' }]);
    expect(edited).toEqual({ kept: 'part', content: bytes(`mine\n${middle}b\n`), mode: 0o644 });
    expect(() => keep(['f#2'], [{ id: 'f#1', text: '' }])).toThrow(refusal('f#1'));
    expect(() => keep(['f#3'], [{ id: 'f#3', text: '0777' }])).toThrow(refusal('f#3'));
  });

  test('a binary content is taken or left apart from its mode', () => {
    const { hunks, keep, shown } = look(entry('a\0'), entry('b\0b', { mode: 0o600 }));
    expect(hunks.map(({ kind }) => kind)).toEqual(['binary', 'mode']);
    expect(shown[0]).toMatch(/^f: .*\b2\b.*\b3\b/);
    expect(keep(['f#1'])).toEqual({ kept: 'part', content: 'after', mode: 0o644 });
    expect(keep(['f#1', 'f#2'])).toEqual({ kept: 'all' });
  });

  test('a new file shows its lines and can be edited', () => {
    const { shown, keep } = look(null, entry('one\ntwo', { mode: 0o755 }));
    expect(shown).toEqual(['@@ -0,0 +1,2 @@\n+one\n+two\n\\ No newline at end of file']);
    expect(keep(['f#1'])).toEqual({ kept: 'all' });
    expect(keep(['f#1'], [{ id: 'f#1', text: 'three\n' }])).toEqual({
      kept: 'part',
      content: bytes('three\n'),
      mode: 0o755,
    });
  });

  test('a text of megabytes shows its lines; larger and binary contents are marked as hidden', () => {
    const large = 'const x = 1;\n'.repeat(160_000);
    const { hunks } = look(null, entry(large));
    expect(hunks).toMatchObject([{ id: 'f#1', newLines: 160_000 }]);
    expect(hunks.some(isHidden)).toBe(false);
    for (const content of ['x'.repeat(MAX_SHOWN_BYTES + 1), 'a\0b']) {
      expect(look(null, entry(content)).hunks).toMatchObject([{ kind: 'created', lines: [], hidden: true }]);
      expect(look(entry('a'), entry(content)).hunks).toMatchObject([{ kind: 'binary', hidden: true }]);
    }
  });

  test('an empty file, a folder and the target of a link are not hidden', () => {
    for (const after of [entry(''), entry('', { type: 'directory', mode: 0o755 }), entry('t', { type: 'symlink' })])
      expect(look(null, after).hunks.some(isHidden)).toBe(false);
  });

  test.each([
    ['a removed file', entry('x\n'), null, '@@ -1 +0,0 @@\n-x'],
    ['an empty new file', null, entry(''), 'f: a new file of 0 bytes, mode 0644'],
    ['a new folder', null, entry('', { type: 'directory', mode: 0o755 }), 'f: a new folder'],
    ['a new link', null, entry('to "x"', { type: 'symlink', mode: 0 }), 'f: a new symbolic link to "to \\"x\\""'],
    [
      'a link that leads elsewhere',
      entry('old', { type: 'symlink', mode: 0 }),
      entry('new', { type: 'symlink', mode: 0 }),
      'f: the link to "old" becomes "new"',
    ],
    [
      'a file that becomes a link',
      entry('x'),
      entry('t', { type: 'symlink', mode: 0 }),
      'f: a file becomes a symbolic link',
    ],
    [
      'another mode of a folder',
      entry('', { type: 'directory', mode: 0o755 }),
      entry('', { type: 'directory', mode: 0o700 }),
      'f: mode 0755 becomes 0700',
    ],
  ])('%s is one hunk', (_name, before, after, text) => {
    const { shown, keep } = look(before, after);
    expect(shown).toEqual([text]);
    expect(keep(['f#1'])).toEqual({ kept: 'all' });
    expect(keep([])).toEqual({ kept: 'none' });
  });

  test('a byte order mark survives, bytes of another encoding make text, control characters none', () => {
    const content = new Uint8Array([0xef, 0xbb, 0xbf, 0x61]);
    expect(bytes(decodeText(content)!)).toEqual(content);
    expect(decodeText(new Uint8Array([0x61, 0xff]))).toBe('aÿ');
    expect(decodeText(new Uint8Array([0x61, 0xff, 0x01]))).toBeUndefined();
  });
});
