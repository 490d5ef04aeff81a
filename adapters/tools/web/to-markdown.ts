import { runInNewContext } from 'node:vm';
import { toolFailed } from '../tool-failed.ts';

/** Elements without text for a reader. */
const LEFT_OUT = ['script', 'style', 'noscript', 'template', 'iframe', 'object', 'canvas', 'head', 'title'] as const;

const TIMEOUT_MS = 5_000;

/**
 * Converts a page to Markdown. Links are absolute, images are their alternative text, and the title is the first line.
 *
 * @param base The address of the page.
 * @param options.timeoutMs Milliseconds of the conversion, during which nothing else runs. Default 5,000.
 * @throws KlausError `tool.failed` for a page that is nested too deeply.
 */
export async function toMarkdown(
  html: string,
  base: string,
  { timeoutMs = TIMEOUT_MS }: { timeoutMs?: number } = {},
): Promise<string> {
  const { default: TurndownService } = await import('turndown');
  const service = new TurndownService({ headingStyle: 'atx', codeBlockStyle: 'fenced', bulletListMarker: '-' });
  service.remove([...LEFT_OUT]);
  service.addRule('link', {
    filter: 'a',
    replacement: (content, node) => toLink(content.trim(), node.getAttribute('href') ?? '', base),
  });
  service.addRule('image', { filter: 'img', replacement: (_, node) => node.getAttribute('alt') ?? '' });
  let text: string;
  try {
    // Interrupts code of this thread that takes too long, which a worker would need a file of its own for.
    text = String(runInNewContext('convert()', { convert: () => service.turndown(html) }, { timeout: timeoutMs }));
  } catch (cause) {
    // Thousands of nested elements exceed the stack or the time.
    throw toolFailed('The page cannot be converted to text.', { cause });
  }
  const title = findTitle(html);
  return title === '' ? text : `# ${title}\n\n${text}`;
}

function toLink(content: string, href: string, base: string): string {
  if (!URL.canParse(href, base)) return content;
  const url = new URL(href, base);
  if (!/^https?:$/.test(url.protocol) || href.startsWith('#')) return content;
  return `[${content}](${url.href.replaceAll('(', '%28').replaceAll(')', '%29')})`;
}

function findTitle(html: string): string {
  const [, title = ''] = /<title[^>]*>([^<]{0,500})/i.exec(html.slice(0, 100_000)) ?? [];
  return title.replaceAll(/\s+/g, ' ').trim();
}
