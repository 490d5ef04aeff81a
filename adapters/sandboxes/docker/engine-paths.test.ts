import { expect, test } from 'vitest';
import { findEnginePaths, parseMappings, toEnginePath } from './engine-paths.ts';

test('a path is converted by the innermost folder that contains it', () => {
  const mappings = parseMappings(['/work/state=/srv/state', '/work=/home/me/a=b', '/=/host']);
  expect(toEnginePath('/work/src/a.ts', mappings)).toBe('/home/me/a=b/src/a.ts');
  expect(toEnginePath('/work', mappings)).toBe('/home/me/a=b');
  expect(toEnginePath('/work/state/x', mappings)).toBe('/srv/state/x');
  expect(toEnginePath('/workspace', mappings)).toBe('/host/workspace');
});

test('a path that the engine does not have is refused', async () => {
  const toPath = await findEnginePaths(parseMappings(['/work=/home/me']));
  expect(toPath('/work/a')).toBe('/home/me/a');
  expect(() => toPath('/worker')).toThrow(expect.objectContaining({ code: 'sandbox.failed' }));
});
