/** Elements that load, run or change what is loaded. A template can become a part of the document. */
const REMOVED =
  'script, link, meta, base, iframe, frame, object, embed, applet, portal, fencedframe, template, [attributeName$="href" i]';
/** Attributes that hold addresses, or ask for a request. */
const ADDRESS = /href$|src$|srcset$|srcdoc$|^(?:action|formaction|ping|poster|background|data|manifest|cite|target)$/;
/** Attributes that run something, or take the focus or keys of the page. */
const ACTING = /^on|^(?:autofocus|accesskey|nonce|is)$/;

/**
 * Removes everything from a document that loads, leads to another document, or runs. What is left is shown without scripts
 * and under a policy without a network; this is for what policies do not cover: connections that browsers open before a
 * request (`preconnect`, `dns-prefetch`, names of links), and links that a person follows.
 */
export function removeAddresses(document: Document): void {
  for (const element of document.querySelectorAll(REMOVED)) element.remove();
  for (const element of document.querySelectorAll('*')) {
    for (const { name, value } of [...element.attributes]) {
      const isAddress = ADDRESS.test(name) && !isInside(name, value);
      if (isAddress || ACTING.test(name)) element.removeAttribute(name);
    }
  }
}

/** A part of the document, or data in it. */
function isInside(name: string, value: string): boolean {
  if (/^\s*#/.test(value)) return true;
  return /^(?:xlink:)?href$|^src$|^poster$/.test(name) && /^\s*data:(?:image|font|audio|video)\//i.test(value);
}

/** True for a document with scripts, handlers, or addresses that run. */
export function hasScripts(document: Document): boolean {
  if (document.querySelector('script') !== null) return true;
  return [...document.querySelectorAll('*')].some((element) =>
    [...element.attributes].some(({ name, value }) => name.startsWith('on') || /^\s*javascript:/i.test(value)),
  );
}
