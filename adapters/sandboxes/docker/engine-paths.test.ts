import { expect, test } from 'vitest';
import { findEnginePaths, parseMappings, toEnginePath } from './engine-paths.ts';

test('a path is converted by the innermost folder that contains it', () => {
  const mappings = parseMappings(['/app/state=/srv/state', '/app=/home/me/a=b', '/=/host']);
  expect(toEnginePath('/app/src/a.ts', mappings)).toBe('/home/me/a=b/src/a.ts');
  expect(toEnginePath('/app', mappings)).toBe('/home/me/a=b');
  expect(toEnginePath('/app/state/x', mappings)).toBe('/srv/state/x');
  expect(toEnginePath('/workspace', mappings)).toBe('/host/workspace');
});

test('a path that the engine does not have is refused', async () => {
  const toPath = await findEnginePaths(parseMappings(['/app=/home/me']));
  expect(toPath('/app/a')).toBe('/home/me/a');
  expect(() => toPath('/worker')).toThrow(expect.objectContaining({ code: 'sandbox.failed' }));
});
