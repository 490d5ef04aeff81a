import { parseMarkup, type MarkupNode } from '../math/markup.ts';

/** Elements that an SVG document of a diagram may have. None of them loads or runs anything. */
const TAGS = new Set(
  `svg g path rect circle ellipse line polyline polygon text tspan textPath defs marker style title desc clipPath mask
   linearGradient radialGradient stop pattern use symbol filter feDropShadow feGaussianBlur feOffset feFlood feComposite
   feMerge feMergeNode foreignObject switch div span p br b i em strong`.split(/\s+/),
);

/**
 * The same SVG document with only these elements, without handlers and without addresses of other documents. Undefined if
 * it is not well-formed. The page shows it as an image, which runs nothing anyway; a saved file can be opened elsewhere.
 */
export function toSafeSvg(svg: string): string | undefined {
  const nodes = parseMarkup(svg.trim());
  const [root] = nodes ?? [];
  if (nodes?.length !== 1 || typeof root !== 'object' || root.tag !== 'svg') return undefined;
  return write(root, false);
}

function write(node: MarkupNode, isStyle: boolean): string {
  if (typeof node === 'string') return encode(isStyle ? withoutAddresses(node) : node);
  const { tag, attributes, children } = node;
  if (!TAGS.has(tag)) return '';
  const words = Object.entries(attributes).flatMap(([name, value]) =>
    isSafe(name, value) ? [` ${name}="${encode(withoutAddresses(value))}"`] : [],
  );
  return `<${tag}${words.join('')}>${children.map((child) => write(child, tag === 'style')).join('')}</${tag}>`;
}

function isSafe(name: string, value: string): boolean {
  if (/^on/i.test(name)) return false;
  if (/^xmlns(:xlink)?$/.test(name)) return true;
  return /(?:^|:)(?:href|src)$/i.test(name) ? value.startsWith('#') : !/script:/i.test(value);
}

/** CSS without imports, and without addresses except of parts of the document itself. */
function withoutAddresses(css: string): string {
  return css
    .replaceAll('\\', '')
    .replaceAll(/@import[^;]*;?/gi, '')
    .replaceAll(/(?:url|image-set|image|src)\(\s*(?!["']?#)[^)]*\)?/gi, 'none');
}

function encode(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}
