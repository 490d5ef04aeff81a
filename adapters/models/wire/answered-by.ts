/** Identifies a model and its server, such as `openai/m at localhost:8080/v1`. Without the user and the query of an address. */
export function toAnsweredBy(name: string, baseUrl: string | undefined): string {
  if (baseUrl === undefined || !URL.canParse(baseUrl)) return name;
  const { host, pathname } = new URL(baseUrl);
  return `${name} at ${host}${pathname.replace(/\/+$/, '')}`;
}
