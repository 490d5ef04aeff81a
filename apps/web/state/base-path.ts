/** The path below which this server delivers the page, such as `/klaus`; '' at the root of its address. */
export const basePath = typeof location === 'undefined' ? '' : new URL('.', location.href).pathname.slice(0, -1);

/** The name of something of this server in what all pages of its origin share: storage, locks and channels. */
export function toOwnName(name: string): string {
  return basePath === '' ? name : `${name}@${basePath}`;
}
