import { describe, expect, test } from 'vitest';
import { findClaims } from './find-claims.ts';

const kinds = (text: string) => findClaims(text).map(({ kind }) => kind);

describe('what claims a success', () => {
  test.each([
    ['All tests pass.', ['test']],
    ['all 42 tests are passing now', ['test']],
    ['Fixed the bug. Tests are green.', ['test']],
    ['The test suite passes.', ['test']],
    ['42 passed, 0 failed', ['test']],
    ['- ✅ Tests', ['test']],
    ['Ran `npm test`: 12/12 passed.', ['test']],
    ['No tests fail any more: the suite is green.', ['test']],
    ['The previously failing test now passes.', ['test']],
    ['Lint is clean and the build succeeds.', ['lint', 'build']],
    ['It type-checks without errors.', ['types']],
    ['There are no type errors.', ['types']],
    ['The project compiles.', ['build']],
    ['Everything works.', ['any']],
    ['I verified that the endpoint returns 200.', ['any']],
    ['All checks pass.', ['any']],
    ['**All tests pass** with the new code.', ['test']],
    ['The tests should all pass now.', ['test']],
    ['Alle Tests laufen durch.', ['test']],
    ['Alle Tests sind grün.', ['test']],
    ['Tous les tests passent.', ['test']],
    ['Todas las pruebas pasan.', ['test']],
    ['Tutti i test sono superati.', ['test']],
    ['Todos os testes passaram.', ['test']],
    ['Все тесты проходят.', ['test']],
    ['所有测试都通过了。', ['test']],
    ['すべてのテストがパスしました。', ['test']],
    ['모든 테스트가 통과했습니다.', ['test']],
    ['Done; npm test exits with code 0, so the tests are fine.', ['test']],
    ['Tests: 3 passed, 3 total', ['test']],
  ])('%s', (text, expected) => expect(kinds(text)).toEqual(expected));

  test.each([
    'I renamed the function.',
    'Done.',
    'I added a test for the empty list.',
    'The tests fail.',
    '2 of 14 tests still fail.',
    'Tests are not passing yet.',
    'I could not run the tests.',
    'I did not run the tests; they should pass.',
    'Run npm test to see whether all tests pass.',
    'Once the tests pass, merge it.',
    'Please make sure that all tests pass.',
    'Would you like me to check that the build works?',
    'The build fails with 3 errors.',
    'I updated the type of the parameter.',
    'I wrote the tests.',
    'All tests but one pass, and that one fails.',
    '```\n42 passed\n```',
    '> all tests pass',
    'The function now returns 0 for an empty list.',
    'Die Tests schlagen fehl, sie sind nicht grün.',
    'Les tests ne passent pas.',
    'Not verified: there is no runner here.',
    'The build script calls vite.',
    'I fixed the typo in the README.',
    'You asked that all tests pass.',
  ])('nothing: %s', (text) => expect(findClaims(text)).toEqual([]));

  test('distinguishes all tests from a part, and counts', () => {
    expect(findClaims('All 42 tests pass.')[0]).toMatchObject({ isComplete: true, count: 42 });
    expect(findClaims('The tests pass.')[0]).toMatchObject({ isComplete: true });
    expect(findClaims('The new test passes.')[0]).toMatchObject({ isComplete: false });
    expect(findClaims('test/sum.test.js passes: the tests are green.')[0]).toMatchObject({ isComplete: false });
    expect(findClaims('7 passed')[0]).toMatchObject({ count: 7 });
  });
});
