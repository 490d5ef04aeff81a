/**
 * The address of an endpoint below a base URL, whose query stays. A base URL that is already that of the endpoint, or
 * that repeats the version at the beginning of `path`, is accepted.
 */
export function toEndpoint(baseUrl: string, path: string): URL {
  const url = new URL(baseUrl);
  const base = url.pathname.replace(/\/+$/, '');
  const version = /^\/v\d+(?=\/)/.exec(path)?.[0];
  if (base.endsWith(path)) url.pathname = base;
  else url.pathname = version !== undefined && base.endsWith(version) ? base + path.slice(version.length) : base + path;
  return url;
}

/** The address without its query, which can contain a key. */
export function toShownUrl(url: URL): string {
  return url.origin + url.pathname;
}
