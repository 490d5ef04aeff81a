import { expect, test } from 'vitest';
import { toMarkdown } from './to-markdown.ts';

const BASE = 'https://a.example/docs/';

test('links are absolute, and only those of http and https', async () => {
  const html = '<a href="b">x</a> <a href="/c(1)">y</a> <a href="javascript:z()">z</a> <a href="#top">top</a>';
  expect(await toMarkdown(html, BASE)).toBe('[x](https://a.example/docs/b) [y](https://a.example/c%281%29) z top');
});

test.each([
  ['nested elements that exceed the stack', '<i>'.repeat(20_000), {}],
  ['a page that takes too long', '<p>a <b>b</b></p>'.repeat(50_000), { timeoutMs: 1 }],
])('%s are an error', async (_, html, options) => {
  await expect(toMarkdown(html, BASE, options)).rejects.toMatchObject({ code: 'tool.failed' });
});
