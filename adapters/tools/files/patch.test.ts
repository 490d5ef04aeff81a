import { describe, expect, test } from 'vitest';
import { applyHunks } from './hunk.ts';
import { parsePatch } from './patch.ts';

/** An error that a tool reports to the model. */
const refusal = (message: RegExp) =>
  expect.objectContaining({ code: 'tool.failed', message: expect.stringMatching(message) as string });
const wrap = (...lines: string[]) => ['*** Begin Patch', ...lines, '*** End Patch'].join('\n');
const update = (path: string, text: string, ...lines: string[]) => {
  const [patch] = parsePatch(wrap(`*** Update File: ${path}`, ...lines));
  return applyHunks(path, text, patch!.hunks);
};

describe('*** Begin Patch', () => {
  test('all kinds of sections', () => {
    const patches = parsePatch(
      wrap(
        '*** Add File: a b.txt',
        '+one',
        '+',
        '*** Delete File: old.txt',
        '*** Update File: x.txt',
        '*** Move to: y.txt',
        '@@ class A',
        '@@ def b',
        ' c',
        '-d',
        '+e',
        '*** End of File',
      ),
    );
    expect(patches).toEqual([
      { kind: 'add', path: 'a b.txt', hunks: [], content: 'one\n\n' },
      { kind: 'delete', path: 'old.txt', hunks: [] },
      {
        kind: 'update',
        path: 'x.txt',
        moveTo: 'y.txt',
        hunks: [
          {
            headers: ['class A', 'def b'],
            lines: [
              { kind: ' ', text: 'c' },
              { kind: '-', text: 'd' },
              { kind: '+', text: 'e' },
            ],
            atEnd: true,
          },
        ],
      },
    ]);
  });

  test('text around it is ignored', () => {
    expect(parsePatch(`apply_patch <<'EOF'\n${wrap('*** Delete File: a')}\nEOF\n`)).toHaveLength(1);
  });

  test.each([
    ['*** Begin Patch\n*** Update File: a\n-x\n+y\n', /\*\*\* End Patch/],
    [wrap('*** Update File: a', 'x'), /\b3\b/],
    [wrap('*** Update File: a', ' x'), /\ba\b.* \+ .* - /],
    [wrap('*** Add File: a', 'x'), /\b3\b.*"x".* \+/],
    [wrap('nonsense'), /\b2\b/],
    [wrap(), /\*\*\* Begin Patch.*---/],
    ['hello', /\*\*\* Begin Patch.*---/],
  ])('%j is refused', (patch, words) => {
    expect(() => parsePatch(patch)).toThrow(refusal(words));
  });

  test('the header chooses between equal places', () => {
    const text = 'class A\n  x\n  end\nclass B\n  x\n  end\n';
    expect(update('f', text, '@@ class B', '-  x', '+  y')).toBe('class A\n  x\n  end\nclass B\n  y\n  end\n');
    expect(() => update('f', text, '-  x', '+  y')).toThrow('2, 5');
  });

  test('the end of the file chooses the last place', () => {
    expect(update('f', 'x\ny\nx\n', '-x', '+z', '*** End of File')).toBe('x\ny\nz\n');
  });

  test('several hunks, an insertion at the end, a file without a last line break', () => {
    expect(update('f', 'a\nb\nc\nd', '@@', '-a', '+A', '@@', ' c', '-d', '+D')).toBe('A\nb\nc\nD');
    expect(update('f', 'a\n', '+b')).toBe('a\nb\n');
    expect(update('f', 'def a\n  1\nend\n', '@@ def a', '+  0')).toBe('def a\n  0\n  1\nend\n');
  });

  test('context of the file is kept where the patch differs in trailing space or quotes', () => {
    expect(update('f', 'a  \n“b”\nc\n', ' a', ' "b"', '-c', '+C')).toBe('a  \n“b”\nC\n');
  });

  test('a hunk that does not fit shows the nearest place and why', () => {
    const text = 'one\n\tif (x) {\n\t\treturn 1;\n\t}\ntwo\n';
    expect(() => update('f.js', text, '     if (x) {', '-        return 1;', '+        return 2;')).toThrow(
      /\n2\t\tif \(x\) \{\n3\t\t\treturn 1;\n.*\b2\b.*\b1 tab\b.*\b4 spaces\b/,
    );
    expect(() => update('f.js', text, '@@ class Nothing', '-two', '+three')).toThrow(refusal(/\bf\.js\b.*@@/));
  });

  test('an empty line of context may lack its space', () => {
    expect(update('f', 'a\n\nb\n', ' a', '', '-b', '+B')).toBe('a\n\nB\n');
  });
});

describe('unified diffs', () => {
  const apply = (text: string, diff: string) => {
    const [patch] = parsePatch(diff);
    return applyHunks(patch!.path, text, patch!.hunks);
  };

  test('with wrong counts and shifted lines', () => {
    const text = 'x\nx\na\nb\nc\n';
    expect(apply(text, '--- a/f\n+++ b/f\n@@ -1,9 +1,9 @@ where\n a\n-b\n+B\n c\n')).toBe('x\nx\na\nB\nc\n');
  });

  test('the line number chooses between equal places', () => {
    expect(apply('x\ny\nx\ny\nx\n', '--- f\n+++ f\n@@ -3 +3 @@\n-x\n+z\n')).toBe('x\ny\nz\ny\nx\n');
  });

  test('the missing line break at the end', () => {
    expect(apply('a\nb\n', '--- f\n+++ f\n@@ -1,2 +1,2 @@\n a\n-b\n+c\n\\ No newline at end of file\n')).toBe('a\nc');
    expect(apply('a\nb', '--- f\n+++ f\n@@ -1,2 +1,2 @@\n a\n-b\n\\ No newline at end of file\n+c\n')).toBe('a\nc\n');
  });

  test('a deleted line that looks like a header', () => {
    expect(apply('-- x\ny\n', '--- f.sql\n+++ f.sql\n@@ -1,2 +1,1 @@\n--- x\n y\n')).toBe('y\n');
  });

  test('as Git writes it: new, deleted, renamed, mode, odd names', () => {
    const diff = [
      'diff --git a/new.sh b/new.sh',
      'new file mode 100755',
      'index 0000000..1',
      '--- /dev/null',
      '+++ b/new.sh',
      '@@ -0,0 +1,2 @@',
      '+a',
      '+b',
      'diff --git a/gone b/gone',
      'deleted file mode 100644',
      '--- a/gone',
      '+++ /dev/null',
      '@@ -1 +0,0 @@',
      '-a',
      'diff --git a/from b/to',
      'similarity index 100%',
      'rename from from',
      'rename to to',
      'diff --git "a/\\303\\244 \\"q\\".txt" "b/\\303\\244 \\"q\\".txt"',
      '--- "a/\\303\\244 \\"q\\".txt"',
      '+++ "b/\\303\\244 \\"q\\".txt"',
      '@@ -1 +1 @@',
      '-a',
      '+b',
      '',
    ].join('\n');
    expect(parsePatch(diff).map(({ hunks: _, ...rest }) => rest)).toEqual([
      { kind: 'add', path: 'new.sh', content: 'a\nb\n', mode: 0o755 },
      { kind: 'delete', path: 'gone' },
      { kind: 'update', path: 'from', moveTo: 'to' },
      { kind: 'update', path: 'ä "q".txt' },
    ]);
  });

  test('a binary patch is refused', () => {
    expect(() => parsePatch('diff --git a/x b/x\nGIT binary patch\nliteral 3\n')).toThrow('binary');
  });
});

test.each([
  ['an empty file', 'diff --git a/e b/e\nnew file mode 100644\nindex 0000000..e69de29\n'],
  ['a mode alone', 'diff --git a/run.sh b/run.sh\nold mode 100644\nnew mode 100755\n'],
  ['a copy', 'diff --git a/x b/y\nsimilarity index 100%\ncopy from x\ncopy to y\n'],
  ['a link', 'diff --git a/l b/l\nnew file mode 120000\n--- /dev/null\n+++ b/l\n@@ -0,0 +1 @@\n+target\n'],
])('%s with another change: the complete patch is refused', (_, part) => {
  expect(() => parsePatch(`--- a/f\n+++ b/f\n@@ -1 +1 @@\n-a\n+b\n${part}`)).toThrow(
    refusal(/\bdiff --git\b|\blink\b/),
  );
});

test('a hunk does not go above the line after @@', () => {
  const text = 'class A\n  x = 1\nclass B\n  y = 2\n';
  const patch = '*** Begin Patch\n*** Update File: f\n@@ class B\n-  x = 1\n+  x = 9\n*** End Patch';
  expect(() => applyHunks('f', text, parsePatch(patch)[0]!.hunks)).toThrow(refusal(/\bf\b.*@@/));
});
