/**
 * @param apiKey Sent as a bearer token.
 * @param isOpenai Whether the server is OpenAI's own: the variables that say whom a request is charged to are meant
 *   for OpenAI alone.
 */
export function toHeaders(apiKey: string, isOpenai: boolean): Record<string, string> {
  const { OPENAI_ORG_ID: organization, OPENAI_PROJECT_ID: project } = process.env;
  return {
    authorization: `Bearer ${apiKey}`,
    ...(isOpenai && organization ? { 'openai-organization': organization } : {}),
    ...(isOpenai && project ? { 'openai-project': project } : {}),
  };
}
