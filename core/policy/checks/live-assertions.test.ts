import { describe, expect, test } from 'vitest';
import { countLiveAssertions } from './live-assertions.ts';

const py = (body: string): number =>
  countLiveAssertions(`def test_adds():\n${body.replace(/^/gm, '    ')}\n`, 'test_a.py');

describe('assertions that do not always run are not counted', () => {
  test.each([
    'return\nassert 1 == 2',
    'if x: return\nassert 1 == 2',
    'if x:\n    return\nassert 1 == 2',
    'if False:\n    assert 1 == 2',
    'try:\n    assert 1 == 2\nexcept Exception:\n    pass',
    'for x in []:\n    assert x',
    'try:\n    assert 1 == 2\nfinally:\n    return',
    'with contextlib.suppress(AssertionError):\n    assert 1 == 2',
    'with pytest.raises(AssertionError):\n    assert 1 == 2',
    'def check():\n    assert 1 == 2',
    'assert 1 == 2 or True',
  ])('in Python: %s', (body) => expect(py(body)).toBe(0));

  test.each([
    'def test_a():\n    assert 1 == 2\n\ndef test_a():\n    pass\n',
    'class Sums:\n    def test_a(self):\n        assert 1 == 2\n',
  ])('in a test that no runner finds: %s', (text) => expect(countLiveAssertions(text, 'test_a.py')).toBe(0));

  test('in Go, a constant condition', () => {
    expect(
      countLiveAssertions('func TestA(t *testing.T) {\n if false {\n  assert.Equal(t, 1, 2)\n }\n}\n', 'a_test.go'),
    ).toBe(0);
  });
});

describe('ordinary tests count completely', () => {
  test.each([
    ['assert 1 == 1', 1],
    ['with open("a") as f:\n    assert f', 1],
    ['for x in [1]:\n    assert x\nassert 2', 2],
    ['def check(a):\n    assert a\ncheck(1)', 1],
    ['try:\n    assert 1\nfinally:\n    close()', 1],
    ['def inner():\n    return 1\nassert inner() == 1', 1],
  ])('in Python: %s', (body, count) => expect(py(body)).toBe(count));
});
